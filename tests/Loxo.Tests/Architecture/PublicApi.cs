using System.Reflection;
using System.Text;

namespace Loxo.Tests.Architecture;

/// <summary>What an assembly shows to its users, as text: the same assembly always gives the same text.</summary>
internal static class PublicApi
{
    private const BindingFlags Declared = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly Dictionary<Type, string> _keywords = new()
    {
        [typeof(void)] = "void", [typeof(bool)] = "bool", [typeof(byte)] = "byte", [typeof(sbyte)] = "sbyte", [typeof(char)] = "char",
        [typeof(short)] = "short", [typeof(ushort)] = "ushort", [typeof(int)] = "int", [typeof(uint)] = "uint", [typeof(long)] = "long",
        [typeof(ulong)] = "ulong", [typeof(float)] = "float", [typeof(double)] = "double", [typeof(decimal)] = "decimal",
        [typeof(string)] = "string", [typeof(object)] = "object",
    };

    public static string Of(Assembly assembly)
    {
        var text = new StringBuilder();
        foreach (var type in assembly.GetExportedTypes().OrderBy(type => type.FullName, StringComparer.Ordinal))
        {
            text.Append(Head(type)).Append('\n');
            foreach (var member in Members(type).Order(StringComparer.Ordinal))
                text.Append("    ").Append(member).Append('\n');
            text.Append('\n');
        }
        return text.ToString();
    }

    private static string Head(Type type)
    {
        var kind = type.IsEnum ? "enum" : type.IsInterface ? "interface" : typeof(Delegate).IsAssignableFrom(type) ? "delegate" : type.IsValueType ? "struct" : "class";
        var modifier = type.IsAbstract && type.IsSealed ? "static " : type is { IsAbstract: true, IsInterface: false } ? "abstract "
            : type is { IsSealed: true, IsValueType: false } ? "sealed " : "";
        var bases = new List<string>();
        if (type.BaseType is { } parent && parent != typeof(object) && !type.IsValueType)
            bases.Add(Name(parent));
        if (type.IsEnum)
            bases.Add(Name(Enum.GetUnderlyingType(type)));
        else
            bases.AddRange(type.GetInterfaces().Except(type.BaseType?.GetInterfaces() ?? []).Where(one => one.IsPublic).Select(Name).Order(StringComparer.Ordinal));
        return $"{modifier}{kind} {type.Namespace}.{Name(type)}" + (bases.Count > 0 ? " : " + string.Join(", ", bases) : "");
    }

    private static IEnumerable<string> Members(Type type)
    {
        if (type.IsEnum)
            return Enum.GetNames(type).Select(name => $"{name} = {Convert.ToInt64(Enum.Parse(type, name))}");
        if (typeof(Delegate).IsAssignableFrom(type))
            return [Method(type.GetMethod("Invoke")!)];
        return type.GetMembers(Declared).Select(Member).OfType<string>();
    }

    private static string? Member(MemberInfo member) => member switch
    {
        ConstructorInfo constructor when IsSeen(constructor) => $"{Access(constructor)}.ctor({Parameters(constructor)})",
        MethodInfo method when IsSeen(method) && !(method.IsSpecialName && !method.Name.StartsWith("op_", StringComparison.Ordinal)) => Method(method),
        PropertyInfo property when property.GetAccessors(nonPublic: true).Any(IsSeen) => Property(property),
        FieldInfo field when field.IsPublic || field.IsFamily => Field(field),
        EventInfo change when IsSeen(change.AddMethod!) => $"event {Name(change.EventHandlerType!)} {change.Name}",
        _ => null,
    };

    private static string Method(MethodInfo method)
    {
        var types = method.IsGenericMethod ? $"<{string.Join(", ", method.GetGenericArguments().Select(Name))}>" : "";
        var inherited = method.GetBaseDefinition() != method ? "override " : method is { IsAbstract: true } ? "abstract " : method is { IsVirtual: true, IsFinal: false } ? "virtual " : "";
        return $"{Access(method)}{inherited}{Name(method.ReturnType)} {method.Name}{types}({Parameters(method)})";
    }

    private static string Property(PropertyInfo property)
    {
        var accessors = property.GetAccessors(nonPublic: true).Where(IsSeen).OrderBy(one => one.ReturnType == typeof(void)).ToArray();
        var parts = accessors.Select(one => Access(one) + (one.ReturnType != typeof(void) ? "get;"
            : one.ReturnParameter.GetRequiredCustomModifiers().Any(modifier => modifier.Name == "IsExternalInit") ? "init;" : "set;"));
        var inherited = accessors[0].GetBaseDefinition() != accessors[0] ? "override " : "";
        var index = property.GetIndexParameters() is { Length: > 0 } keys ? $"[{string.Join(", ", keys.Select(Parameter))}]" : "";
        return $"{inherited}{Name(property.PropertyType)} {property.Name}{index} {{ {string.Join(' ', parts)} }}";
    }

    private static string Field(FieldInfo field) => field.IsLiteral
        ? $"const {Name(field.FieldType)} {field.Name} = {Value(field.GetRawConstantValue())}"
        : $"{(field.IsStatic ? "static " : "")}{(field.IsInitOnly ? "readonly " : "")}{Name(field.FieldType)} {field.Name}";

    private static bool IsSeen(MethodBase method) => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly;

    private static string Access(MethodBase method) => (method.IsPublic ? "" : "protected ") + (method.IsStatic ? "static " : "");

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(Parameter));

    private static string Parameter(ParameterInfo parameter)
    {
        var prefix = parameter.IsDefined(typeof(ParamArrayAttribute)) ? "params " : parameter.IsOut ? "out " : parameter.ParameterType.IsByRef ? (parameter.IsIn ? "in " : "ref ") : "";
        return $"{prefix}{Name(parameter.ParameterType)} {parameter.Name}" + (parameter.HasDefaultValue ? " = " + Value(parameter.DefaultValue) : "");
    }

    private static string Value(object? value) => value switch
    {
        null => "default",
        string text => $"\"{text}\"",
        bool flag => flag ? "true" : "false",
        IFormattable number => number.ToString(null, System.Globalization.CultureInfo.InvariantCulture),
        _ => value.ToString()!,
    };

    private static string Name(Type type)
    {
        if (type.IsByRef)
            return Name(type.GetElementType()!);
        if (type.IsArray)
            return $"{Name(type.GetElementType()!)}[{new string(',', type.GetArrayRank() - 1)}]";
        if (Nullable.GetUnderlyingType(type) is { } underlying)
            return Name(underlying) + "?";
        if (_keywords.TryGetValue(type, out var keyword))
            return keyword;
        var name = type.Name.Split('`')[0];
        var full = type is { IsNested: true, IsGenericParameter: false } ? $"{Name(type.DeclaringType!)}.{name}" : name;
        return type.IsGenericType && type.GetGenericArguments() is { Length: > 0 } arguments ? $"{full}<{string.Join(", ", arguments.Select(Name))}>" : full;
    }
}
