using System.Data.Common;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Xml.Linq;

namespace Loxo.Conformance.BadInput;

/// <summary>
/// Which exceptions the XML documentation of Loxo and of .NET promises for a member: its own, those that it inherits from what it overrides,
/// hides or implements, and those that its type documents for all members.
/// </summary>
internal static class Documentation
{
    private const BindingFlags Members =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly Lazy<Dictionary<string, XElement>> _elements = new(Load);
    private static readonly Lazy<Dictionary<string, MemberInfo>> _members = new(() => typeof(PgConnection).Assembly.GetExportedTypes()
        .SelectMany(type => type.GetMembers(Members).Where(IsDocumented)).GroupBy(DocumentationId.Of).ToDictionary(group => group.Key, group => group.First()));

    public static IReadOnlyCollection<Type> ExceptionsOf(MemberInfo member)
    {
        var found = new HashSet<string>();
        Collect(Definition(member), found, []);
        for (var type = member.DeclaringType; type is not null && type.Assembly == typeof(PgConnection).Assembly; type = type.BaseType)
            Collect(DocumentationId.Of(type.IsGenericType ? type.GetGenericTypeDefinition() : type), found, []);
        return [.. found.Select(TypeOf).OfType<Type>()];
    }

    /// <summary>The property or event that an accessor belongs to; otherwise the method itself.</summary>
    public static MemberInfo Owner(MethodBase method) => method is not { IsSpecialName: true, DeclaringType: { } type } ? method
        : (MemberInfo?)type.GetProperties(Members).FirstOrDefault(property => property.GetMethod == method || property.SetMethod == method)
            ?? type.GetEvents(Members).FirstOrDefault(@event => @event.AddMethod == method || @event.RemoveMethod == method) ?? (MemberInfo)method;

    private static bool IsDocumented(MemberInfo member) => member is MethodBase or PropertyInfo or EventInfo or FieldInfo;

    private static MemberInfo Definition(MemberInfo member)
    {
        if (member is MethodInfo { IsGenericMethod: true } generic)
            member = generic.GetGenericMethodDefinition();
        return member.DeclaringType is { IsConstructedGenericType: true } type
            ? type.GetGenericTypeDefinition().GetMembers(Members).First(one => one.HasSameMetadataDefinitionAs(member))
            : member;
    }

    private static void Collect(MemberInfo member, HashSet<string> found, HashSet<string> seen)
    {
        Collect(DocumentationId.Of(member), found, seen);
        foreach (var inherited in Inherited(member))
            Collect(DocumentationId.Of(Definition(inherited)), found, seen);
    }

    private static void Collect(string id, HashSet<string> found, HashSet<string> seen)
    {
        if (!seen.Add(id))
            return;
        if (_members.Value.TryGetValue(id, out var member))
        {
            foreach (var inherited in Inherited(member))
                Collect(Definition(inherited), found, seen);
        }
        if (!_elements.Value.TryGetValue(id, out var element))
            return;
        foreach (var exception in element.Elements("exception"))
            found.Add((string)exception.Attribute("cref")!);
        foreach (var reference in element.Elements("inheritdoc").Select(one => (string?)one.Attribute("cref")).OfType<string>())
            Collect(reference, found, seen);
    }

    // What it overrides, hides or implements: the members of the same name and parameters in base types and interfaces.
    private static IEnumerable<MemberInfo> Inherited(MemberInfo member)
    {
        var type = member.DeclaringType!;
        if (member is ConstructorInfo)
            yield break;
        var others = new List<Type>(type.GetInterfaces());
        for (var parent = type.BaseType; parent is not null && parent != typeof(object); parent = parent.BaseType)
            others.Add(parent);
        foreach (var other in others)
        {
            foreach (var candidate in other.GetMember(member.Name, Members))
            {
                if (candidate.MemberType == member.MemberType && Signature(candidate) == Signature(member))
                    yield return candidate;
            }
        }
    }

    private static string Signature(MemberInfo member) => string.Join(',', (member switch
    {
        MethodBase method => method.GetParameters(),
        PropertyInfo property => property.GetIndexParameters(),
        _ => [],
    }).Select(parameter => parameter.ParameterType.IsGenericParameter ? "T" : parameter.ParameterType.Name));

    private static Type? TypeOf(string cref)
    {
        var name = cref[2..];
        return Type.GetType(name) ?? typeof(PgConnection).Assembly.GetType(name) ?? typeof(DbException).Assembly.GetType(name)
            ?? typeof(System.Text.Json.JsonException).Assembly.GetType(name);
    }

    private static Dictionary<string, XElement> Load()
    {
        var own = Path.ChangeExtension(typeof(PgConnection).Assembly.Location, ".xml");
        var runtime = new DirectoryInfo(RuntimeEnvironment.GetRuntimeDirectory());
        var packs = new DirectoryInfo(Path.Combine(runtime.Parent!.Parent!.Parent!.FullName, "packs", "Microsoft.NETCore.App.Ref"));
        var reference = packs.EnumerateDirectories().Where(one => one.Name.StartsWith(runtime.Name[..3], StringComparison.Ordinal))
            .OrderByDescending(one => one.Name, StringComparer.Ordinal).First().EnumerateDirectories("ref").Single().EnumerateDirectories().Single().FullName;
        string[] others = ["System.Data.Common", "System.Runtime", "System.Collections", "System.ComponentModel.Primitives", "System.ComponentModel.TypeConverter"];
        return others.Select(name => Path.Combine(reference, name + ".xml")).Prepend(own)
            .SelectMany(file => XDocument.Load(file).Descendants("member"))
            .GroupBy(element => (string)element.Attribute("name")!).ToDictionary(group => group.Key, group => group.First());
    }
}
