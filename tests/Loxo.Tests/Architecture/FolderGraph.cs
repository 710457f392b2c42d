using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Loxo.Tests.Architecture;

/// <summary>One use of a symbol across folders.</summary>
/// <param name="From">The folder of the file that uses the symbol.</param>
/// <param name="To">The folder of the file that declares it.</param>
/// <param name="Place">File and line of the use.</param>
/// <param name="Symbol">The symbol.</param>
internal sealed record FolderReference(string From, string To, string Place, string Symbol)
{
    public override string ToString() => $"{From} -> {To}: {Symbol} ({Place})";
}

/// <summary>
/// Which folders of a project use which others, as the compiler resolves names: a member counts for the file that declares it, so a use is found
/// even where the type is not named. Comments do not count.
/// </summary>
internal sealed class FolderGraph
{
    private const string ImplicitUsings = """
        global using System;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Net.Http;
        global using System.Threading;
        global using System.Threading.Tasks;
        """;

    private static readonly Dictionary<string, FolderGraph> _byProject = [];

    private FolderGraph(IReadOnlyList<FolderReference> references) => References = references;

    /// <summary>Every use of a symbol that another folder declares.</summary>
    public IReadOnlyList<FolderReference> References { get; }

    /// <summary>The graph of all folders below a project's folder; made once for each project.</summary>
    /// <param name="project">From the repository's root, such as <c>src/Loxo</c>. Folders are named from there; the project's own folder is empty.</param>
    public static FolderGraph Of(string project)
    {
        lock (_byProject)
            return _byProject.TryGetValue(project, out var known) ? known : _byProject[project] = new(Read(project));
    }

    /// <summary>
    /// The folders that use each other, directly or over others: each group is one circle of references. Folders that <paramref name="node"/> maps to
    /// the same name count as one; null leaves a folder out.
    /// </summary>
    public IReadOnlyList<string[]> Cycles(Func<string, string?>? node = null)
    {
        var uses = Edges(node ?? (folder => folder));
        var reachable = uses.Keys.ToDictionary(from => from, from => Reach(uses, from));
        return [.. uses.Keys
            .Where(folder => reachable[folder].Contains(folder))
            .GroupBy(folder => string.Join('|', reachable[folder].Where(other => reachable.GetValueOrDefault(other)?.Contains(folder) ?? false).Order(StringComparer.Ordinal)))
            .Select(group => group.Order(StringComparer.Ordinal).ToArray())];
    }

    /// <summary>The uses from one folder to the other, for a message.</summary>
    public IEnumerable<FolderReference> Between(string from, string to) =>
        References.Where(reference => reference.From == from && reference.To == to).DistinctBy(reference => (reference.Place.Split(':')[0], reference.Symbol));

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

    private static List<FolderReference> Read(string project)
    {
        var root = Path.Combine(Repository.Root, project);
        SyntaxTree[] trees = [.. Repository.Files(project).Where(path => path.EndsWith(".cs", StringComparison.Ordinal))
            .Select(path => CSharpSyntaxTree.ParseText(File.ReadAllText(path), path: path))];
        var compilation = CSharpCompilation.Create("Graph", [.. trees, CSharpSyntaxTree.ParseText(ImplicitUsings)], Assemblies(Path.GetFileName(project)),
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true));
        var references = new List<FolderReference>();
        foreach (var tree in trees)
        {
            var model = compilation.GetSemanticModel(tree);
            var from = FolderOf(root, tree);
            foreach (var name in tree.GetRoot().DescendantNodes().Where(node => node is SimpleNameSyntax or BaseObjectCreationExpressionSyntax))
            {
                if (model.GetSymbolInfo(name).Symbol is not { } symbol || DeclaredIn(root, symbol, from) is not { } to || to == from)
                    continue;
                var line = tree.GetLineSpan(name.Span).StartLinePosition.Line + 1;
                references.Add(new(from, to, $"{Path.GetRelativePath(root, tree.FilePath)}:{line}", symbol.ToDisplayString(SymbolDisplayFormat.MinimallyQualifiedFormat)));
            }
        }
        return references;
    }

    // A type in several files belongs to the folder that asks, if one of them is there.
    private static string? DeclaredIn(string root, ISymbol symbol, string from)
    {
        if (symbol is INamespaceSymbol)
            return null;
        var original = ((symbol as IMethodSymbol)?.ReducedFrom ?? symbol).OriginalDefinition;
        if (original.DeclaringSyntaxReferences.IsEmpty) // a default constructor, or a member that the compiler makes
            original = original.ContainingType ?? original;
        var folders = original.DeclaringSyntaxReferences.Select(reference => FolderOf(root, reference.SyntaxTree)).Distinct().ToList();
        return folders.Count == 0 || folders.Contains(from) ? null : folders[0];
    }

    private static string FolderOf(string root, SyntaxTree tree) => Path.GetRelativePath(root, Path.GetDirectoryName(tree.FilePath)!).Replace('\\', '/') is var folder && folder == "." ? "" : folder;

    private static IEnumerable<MetadataReference> Assemblies(string except) =>
        ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(path => Path.GetFileNameWithoutExtension(path) != except && !Path.GetFileName(path).EndsWith("Tests.dll", StringComparison.Ordinal))
            .Select(path => MetadataReference.CreateFromFile(path));
}
