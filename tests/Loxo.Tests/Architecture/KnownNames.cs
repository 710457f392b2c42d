using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Loxo.Tests.Architecture;

/// <summary>The names of types and members that C# files declare or use, and those of the .NET types that they can use.</summary>
internal sealed class KnownNames
{
    private readonly Dictionary<string, HashSet<string>> _members = [];
    private readonly HashSet<string> _used = [];
    private readonly HashSet<string> _ofNet;

    /// <param name="trees">Files that compile: a name that they use exists.</param>
    /// <param name="references">The assemblies that .NET's types are taken from.</param>
    public KnownNames(IEnumerable<SyntaxTree> trees, Compilation references)
    {
        foreach (var node in trees.SelectMany(tree => tree.GetRoot().DescendantNodes()))
        {
            if (node is MemberDeclarationSyntax member)
                Add(member);
            else if (node is SimpleNameSyntax name)
                _used.Add(name.Identifier.ValueText);
        }
        _ofNet = [.. references.References.Select(references.GetAssemblyOrModuleSymbol).OfType<IAssemblySymbol>()
            .SelectMany(assembly => assembly.TypeNames)];
    }

    /// <summary>
    /// Whether there is a name, given in parts such as Type and Member. Of a type that the files declare the member is looked up, too.
    /// </summary>
    public bool Has(string[] parts)
    {
        if (parts.Length > 1 && _members.TryGetValue(parts[0], out var members))
            return members.Contains(parts[1]) || _members.ContainsKey(parts[1]);
        return _used.Contains(parts[0]) || _ofNet.Contains(parts[0]) || _ofNet.Contains(parts[0] + "Attribute");
    }

    private void Add(MemberDeclarationSyntax member)
    {
        var names = NamesOf(member);
        _used.UnionWith(names);
        if (member is BaseTypeDeclarationSyntax type)
            MembersOf(type.Identifier.ValueText).UnionWith(PropertiesOf(type));
        if (member.Parent is BaseTypeDeclarationSyntax parent)
            MembersOf(parent.Identifier.ValueText).UnionWith(names);
    }

    private static IEnumerable<string> NamesOf(MemberDeclarationSyntax member) => member switch
    {
        BaseTypeDeclarationSyntax type => [type.Identifier.ValueText],
        DelegateDeclarationSyntax type => [type.Identifier.ValueText],
        MethodDeclarationSyntax method => [method.Identifier.ValueText],
        PropertyDeclarationSyntax property => [property.Identifier.ValueText],
        EventDeclarationSyntax @event => [@event.Identifier.ValueText],
        EnumMemberDeclarationSyntax value => [value.Identifier.ValueText],
        BaseFieldDeclarationSyntax field => field.Declaration.Variables.Select(variable => variable.Identifier.ValueText),
        _ => [],
    };

    // The parameters of a record are properties.
    private static IEnumerable<string> PropertiesOf(BaseTypeDeclarationSyntax type) =>
        type is RecordDeclarationSyntax { ParameterList.Parameters: var parameters }
            ? parameters.Select(parameter => parameter.Identifier.ValueText)
            : [];

    private HashSet<string> MembersOf(string type)
    {
        if (!_members.TryGetValue(type, out var members))
            _members[type] = members = [];
        return members;
    }
}
