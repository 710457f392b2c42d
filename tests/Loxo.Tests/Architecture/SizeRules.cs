using Microsoft.CodeAnalysis;

namespace Loxo.Tests.Architecture;

/// <summary>Rules for the sizes of lines, files and types below <c>src</c>.</summary>
internal static class SizeRules
{
    private const int LongestLine = 140;
    private const int LongestFile = 400;
    private const int LargestType = 500;
    private const int MostFiles = 2;

    public static IEnumerable<INamedTypeSymbol> TypesOf(Sources sources) =>
        sources.Compilation.GetSymbolsWithName(static _ => true, SymbolFilter.Type).OfType<INamedTypeSymbol>()
            .Where(type => type.TypeKind is not TypeKind.Delegate && type.DeclaringSyntaxReferences.Length > 0);

    public static IEnumerable<Breach> Lines(Sources sources) =>
        from tree in sources.Written
        from line in tree.GetText().Lines
        where line.Span.Length > LongestLine
        select new Breach($"{tree.FilePath}:{line.LineNumber + 1}", tree.FilePath,
            $"the line has {line.Span.Length} characters; at most {LongestLine} are allowed.", "Wrap it.");

    public static IEnumerable<Breach> Files(Sources sources) =>
        from tree in sources.Written
        let lines = LinesOf(tree)
        where lines > LongestFile
        select new Breach($"{tree.FilePath}:{lines}", tree.FilePath, $"the file has {lines} lines; at most {LongestFile} are allowed.",
            "Move one of its subjects into a class of its own.");

    public static IEnumerable<Breach> FilesOfTypes(Sources sources) =>
        from type in TypesOf(sources)
        let files = type.DeclaringSyntaxReferences.Select(part => part.SyntaxTree.FilePath).Distinct().ToArray()
        where files.Length > MostFiles
        select new Breach(Sources.Place(type.DeclaringSyntaxReferences[0].GetSyntax()), type.ToDisplayString(),
            $"{type.ToDisplayString()} is spread over {files.Length} files ({string.Join(", ", files.Select(Path.GetFileName))}); "
            + $"at most {MostFiles} are allowed.", "Make classes of its subjects.");

    public static IEnumerable<Breach> Types(Sources sources) =>
        from type in TypesOf(sources)
        let lines = LinesOfCode(type)
        where lines > LargestType
        select new Breach(Sources.Place(type.DeclaringSyntaxReferences[0].GetSyntax()), type.ToDisplayString(),
            $"{type.ToDisplayString()} has {lines} lines of code; at most {LargestType} are allowed.",
            "Make a class of one of its subjects.");

    /// <summary>Lines with code: no blank lines and no comments.</summary>
    public static int LinesOfCode(INamedTypeSymbol type) =>
        type.DeclaringSyntaxReferences.Where(part => !IsGenerated(part.SyntaxTree)).Sum(part => LinesOfCode(part.GetSyntax()));

    private static bool IsGenerated(SyntaxTree tree) => tree.FilePath.EndsWith(".g.cs", StringComparison.Ordinal);

    // The empty line after the last line break is none.
    private static int LinesOf(SyntaxTree tree) => tree.GetText().Lines.Count(line => line.SpanIncludingLineBreak.Length > 0);

    private static int LinesOfCode(SyntaxNode node) => node.DescendantTokens().SelectMany(token => LinesOf(token)).Distinct().Count();

    private static IEnumerable<int> LinesOf(SyntaxToken token)
    {
        var span = token.GetLocation().GetLineSpan();
        return Enumerable.Range(span.StartLinePosition.Line, span.EndLinePosition.Line - span.StartLinePosition.Line + 1);
    }
}
