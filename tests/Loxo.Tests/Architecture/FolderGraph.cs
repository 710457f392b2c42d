using System.Collections.Concurrent;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Loxo.Tests.Architecture;

/// <summary>One use of a symbol across folders.</summary>
/// <param name="From">The folder of the file that uses the symbol, from <c>src/Loxo</c>; empty for the root.</param>
/// <param name="To">The folder of the file that declares it.</param>
/// <param name="Place">File and line of the use.</param>
/// <param name="User">The type that uses the symbol.</param>
/// <param name="Symbol">The symbol.</param>
internal sealed record FolderReference(string From, string To, string Place, string User, ISymbol Symbol)
{
    /// <summary>The symbol if it is a type, else the type that has it.</summary>
    public INamedTypeSymbol? Type => Symbol as INamedTypeSymbol ?? Symbol.ContainingType;

    /// <summary>User and used type, without the place.</summary>
    public string Subject => $"{NameOf(From)}: {User} -> {NameOf(FolderGraph.Top(To))}: {Type?.Name}";

    public override string ToString() =>
        $"{User} ({NameOf(From)}) uses {Symbol.ToDisplayString(SymbolDisplayFormat.CSharpShortErrorMessageFormat)} ({NameOf(To)})";

    public static string NameOf(string folder) => folder.Length == 0 ? "root" : folder;
}

/// <summary>
/// The references between the folders of <c>src/Loxo</c>, as the compiler resolves names: a member counts for the file that declares it, so
/// a use is found without a <c>using</c> and where the type is not named. Comments do not count.
/// </summary>
internal sealed class FolderGraph
{
    private const string Project = "src/Loxo/";

    private readonly Sources _sources;
    private readonly ConcurrentBag<string> _unresolved = [];

    public FolderGraph(Sources sources)
    {
        _sources = sources;
        SyntaxTree[] trees = [.. sources.Trees.Where(tree => tree.FilePath.StartsWith(Project, StringComparison.Ordinal))];
        Folders = [.. trees.Select(FolderOf).Distinct().Order(StringComparer.Ordinal)];
        References = [.. trees.AsParallel().AsOrdered().SelectMany(ReferencesOf)];
    }

    /// <summary>Every folder that has files, from <c>src/Loxo</c>; the root is empty.</summary>
    public IReadOnlyList<string> Folders { get; }

    /// <summary>Every use of a symbol that another folder declares.</summary>
    public IReadOnlyList<FolderReference> References { get; }

    /// <summary>Names that the compiler does not find. There should be none: no rule sees their uses.</summary>
    public IReadOnlyCollection<string> Unresolved => _unresolved;

    /// <summary>The first folder of a path: <c>Types</c> of <c>Types/Arrays</c>.</summary>
    public static string Top(string folder) => folder.Split('/')[0];

    /// <summary>
    /// The groups of folders that use each other, directly or over others. Folders that <paramref name="node"/> maps to the same name count
    /// as one; null leaves a folder out.
    /// </summary>
    public IReadOnlyList<string[]> Cycles(Func<string, string?> node)
    {
        var uses = Edges(node);
        var reachable = uses.Keys.ToDictionary(from => from, from => Reach(uses, from));
        return [.. uses.Keys
            .Where(folder => reachable[folder].Contains(folder))
            .GroupBy(folder => string.Join('|', Circle(folder)), (_, group) => group.Order(StringComparer.Ordinal).ToArray())];

        IEnumerable<string> Circle(string folder) => reachable[folder]
            .Where(other => reachable.TryGetValue(other, out var reached) && reached.Contains(folder)).Order(StringComparer.Ordinal);
    }

    private Dictionary<string, HashSet<string>> Edges(Func<string, string?> node)
    {
        var uses = new Dictionary<string, HashSet<string>>();
        foreach (var reference in References)
        {
            if (node(reference.From) is not { } from || node(reference.To) is not { } to || from == to)
                continue;
            if (!uses.TryGetValue(from, out var used))
                uses[from] = used = [];
            used.Add(to);
        }
        return uses;
    }

    private static HashSet<string> Reach(Dictionary<string, HashSet<string>> uses, string start)
    {
        var found = new HashSet<string>();
        var open = new Stack<string>([start]);
        while (open.TryPop(out var folder))
        {
            foreach (var next in uses.GetValueOrDefault(folder, []).Where(found.Add))
                open.Push(next);
        }
        return found;
    }

    private List<FolderReference> ReferencesOf(SyntaxTree tree)
    {
        var model = _sources.Model(tree);
        var from = FolderOf(tree);
        var references = new List<FolderReference>();
        foreach (var node in tree.GetRoot().DescendantNodes().Where(NamesSymbol))
        {
            var info = model.GetSymbolInfo(node);
            if (info is { Symbol: null, CandidateSymbols: [] } && node is SimpleNameSyntax { Identifier.ValueText: not ("nameof" or "notnull" or "unmanaged") })
                _unresolved.Add($"{Sources.Place(node)}: {node}");
            if (info.Symbol is { } symbol && DeclaredIn(symbol, from) is { } to && to != from)
                references.Add(new(from, to, Sources.Place(node), UserOf(node), symbol));
        }
        return references;
    }

    private static bool NamesSymbol(SyntaxNode node) => node is SimpleNameSyntax { Parent: not NameEqualsSyntax }
        or BaseObjectCreationExpressionSyntax or ElementAccessExpressionSyntax or ConstructorInitializerSyntax
        or PrimaryConstructorBaseTypeSyntax;

    private static string UserOf(SyntaxNode node) => node.FirstAncestorOrSelf<BaseTypeDeclarationSyntax>()?.Identifier.Text ?? "the file";

    // A type in several files belongs to the folder that asks, if one of them is there.
    private static string? DeclaredIn(ISymbol symbol, string from)
    {
        if (symbol is INamespaceSymbol)
            return null;
        var original = ((symbol as IMethodSymbol)?.ReducedFrom ?? symbol).OriginalDefinition;
        if (original.DeclaringSyntaxReferences.IsEmpty) // a default constructor, or a member that the compiler makes
            original = original.ContainingType ?? original;
        string[] folders = [.. original.DeclaringSyntaxReferences.Select(reference => reference.SyntaxTree)
            .Where(tree => tree.FilePath.StartsWith(Project, StringComparison.Ordinal)).Select(FolderOf).Distinct()];
        return folders.Length == 0 || folders.Contains(from) ? null : folders[0];
    }

    private static string FolderOf(SyntaxTree tree) =>
        tree.FilePath.LastIndexOf('/') is var end && end < Project.Length ? "" : tree.FilePath[Project.Length..end];
}
