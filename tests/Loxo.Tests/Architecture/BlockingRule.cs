using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Loxo.Tests.Architecture;

/// <summary>
/// No member waits for a task by blocking a thread, as the compiler resolves names: <c>Result</c> of another class is no task.
/// </summary>
internal static class BlockingRule
{
    private static readonly string[] _names = ["Result", "Wait", "WaitAll", "WaitAny", "GetResult", "AsyncWaitHandle"];
    private static readonly string[] _tasks = ["Task", "ValueTask"];

    /// <summary>Every call that blocks. Its subject is file and member, such as <c>src/Loxo/Transport/Wire.cs: Wire.Pump</c>.</summary>
    public static IEnumerable<Breach> Calls(Sources sources) =>
        from tree in sources.Trees
        from name in tree.GetRoot().DescendantNodes().OfType<SimpleNameSyntax>()
        where _names.Contains(name.Identifier.ValueText) && Blocks(sources.Model(tree).GetSymbolInfo(name).Symbol)
        let member = MemberOf(name)
        select new Breach(Sources.Place(name), $"{tree.FilePath}: {member}",
            $"{member} blocks its thread until a task ends ({name.Parent}).",
            "Await the task. Or, where the task is known to have ended, add the member to WaitingTests with its reason.");

    private static bool Blocks(ISymbol? symbol)
    {
        if (symbol?.ContainingType is not { } type)
            return false;
        return type.ContainingNamespace.ToDisplayString() switch
        {
            "System" => type.Name == "IAsyncResult" && symbol.Name == "AsyncWaitHandle",
            "System.Threading.Tasks" => _tasks.Contains(type.Name),
            "System.Runtime.CompilerServices" => symbol.Name == "GetResult" && type.Name.EndsWith("Awaiter", StringComparison.Ordinal),
            _ => false,
        };
    }

    private static string MemberOf(SyntaxNode node)
    {
        var type = node.FirstAncestorOrSelf<BaseTypeDeclarationSyntax>()?.Identifier.ValueText;
        return $"{type}." + node.FirstAncestorOrSelf<MemberDeclarationSyntax>() switch
        {
            MethodDeclarationSyntax method => method.Identifier.ValueText,
            PropertyDeclarationSyntax property => property.Identifier.ValueText,
            ConstructorDeclarationSyntax => "constructor",
            OperatorDeclarationSyntax => "operator",
            BaseFieldDeclarationSyntax field => field.Declaration.Variables[0].Identifier.ValueText,
            _ => "member",
        };
    }
}
