namespace Loxo.Docs.Tests;

/// <summary>A fenced block of a page, marked <c>csharp</c> unless another kind is asked for.</summary>
public sealed record CodeBlock(string Page, int Line, string Code)
{
    private const string Fence = "```";

    /// <summary>Whether it is a program of its own rather than lines to be put into one.</summary>
    public bool IsProgram => Code.StartsWith("using ", StringComparison.Ordinal) && !Code.StartsWith("using var ", StringComparison.Ordinal);

    public static IEnumerable<CodeBlock> All() => Repository.Pages().SelectMany(page => Of(page, File.ReadAllLines(Repository.PathOf(page))));

    public static IEnumerable<CodeBlock> Of(string page, string[] lines, string kind = "csharp")
    {
        for (var i = 0; i < lines.Length; i++)
        {
            if (!lines[i].TrimStart().StartsWith(Fence, StringComparison.Ordinal))
                continue;
            var end = Array.FindIndex(lines, i + 1, line => line.Trim() == Fence);
            if (end < 0)
                throw new InvalidOperationException($"{page}: the block that starts in line {i + 1} has no end.");
            if (lines[i].Trim() == Fence + kind)
                yield return new CodeBlock(page, i + 2, string.Join('\n', lines[(i + 1)..end]));
            i = end;
        }
    }

    public override string ToString() => $"{Page} line {Line}";
}
