using System.Text.RegularExpressions;

namespace Loxo.Tests.Architecture;

/// <summary>A page of documentation: its path from the repository's root, and its text.</summary>
internal sealed record Page(string Path, string Text);

/// <summary>Rules for names in documentation: each file, folder, type and member exists.</summary>
internal static partial class DocumentRules
{
    private static readonly string[] _extensions = [".cs", ".md", ".txt", ".sh", ".csproj", ".props", ".slnx", ".json", ".yml", ".sql"];

    /// <summary>The pages of this repository.</summary>
    public static IReadOnlyList<Page> Pages { get; } =
        [.. Repository.Files("docs").Where(path => path.EndsWith(".md", StringComparison.Ordinal)).Select(Repository.Relative)
            .Concat(["README.md", "CONTRIBUTING.md", "bench/README.md"])
            .Select(path => new Page(path, Repository.Read(path)))];

    /// <summary>Links and quoted paths lead to files and folders, from the repository's root, <c>src/Loxo</c> or the page.</summary>
    /// <param name="pages">The pages to check.</param>
    /// <param name="exists">Whether there is a file or folder of this path from the root.</param>
    /// <param name="names">The name of every file and folder, a folder with a slash behind it.</param>
    public static IEnumerable<Breach> Paths(IEnumerable<Page> pages, Func<string, bool> exists, IReadOnlySet<string> names)
    {
        foreach (var page in pages)
        {
            var folder = page.Path.Contains('/') ? page.Path[..(page.Path.LastIndexOf('/') + 1)] : "";
            foreach (var (line, target) in Matches(page, Link()).Where(link => !link.Text.Contains(':')))
            {
                if (target.Split('#')[0] is { Length: > 0 } file && !exists(folder + file))
                    yield return Missing(page, line, target);
            }
            foreach (var (line, quoted) in Matches(page, Quoted()).Where(quoted => IsPath(quoted.Text, exists)))
            {
                var path = quoted.Split(' ')[0];
                if (!names.Contains(path) && !exists(path) && !exists("src/Loxo/" + path) && !exists(folder + path))
                    yield return Missing(page, line, path);
            }
        }
    }

    /// <summary>Quoted names of types and members are those of this repository or of .NET.</summary>
    /// <param name="pages">The pages to check.</param>
    /// <param name="names">The names that there are.</param>
    public static IEnumerable<Breach> Names(IEnumerable<Page> pages, KnownNames names) =>
        from page in pages
        from quoted in Matches(page, Quoted())
        let name = Name().Match(quoted.Text)
        where name.Success && !names.Has([.. name.Groups[1].Captures.Select(part => part.Value)])
        select new Breach($"{page.Path}:{quoted.Line}", quoted.Text, $"there is no type or member `{quoted.Text}`.",
            "Write its name of today.");

    private static Breach Missing(Page page, int line, string path) =>
        new($"{page.Path}:{line}", path, $"there is no file or folder '{path}'.",
            "Write its path of today, from the root or from src/Loxo.");

    private static bool IsPath(string text, Func<string, bool> exists)
    {
        var path = text.Split(' ')[0];
        return Path().IsMatch(path)
            && (_extensions.Contains(System.IO.Path.GetExtension(path)) || path.EndsWith('/')
                || path.StartsWith("./", StringComparison.Ordinal)
                || (path.IndexOf('/') is var end and > 0 && (exists(path[..end]) || exists("src/Loxo/" + path[..end]))));
    }

    // Not in blocks of code: those are compiled by Loxo.Docs.Tests.
    private static IEnumerable<(int Line, string Text)> Matches(Page page, Regex pattern)
    {
        var isCode = false;
        foreach (var (index, line) in page.Text.Split('\n').Index())
        {
            if (line.TrimStart().StartsWith("```", StringComparison.Ordinal))
                isCode = !isCode;
            else if (!isCode)
            {
                foreach (Match match in pattern.Matches(line))
                    yield return (index + 1, match.Groups[1].Value);
            }
        }
    }

    [GeneratedRegex(@"\]\(([^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex("(?<!`)`([^`]+)`(?!`)")]
    private static partial Regex Quoted();

    [GeneratedRegex(@"^(?![.]{3})[\w.-][\w./-]*$")]
    private static partial Regex Path();

    // Type, Type<T>, Type.Member, Member(arguments); in PascalCase, so that BEGIN is none.
    [GeneratedRegex(@"^(?:new )?([A-Z]\w*[a-z]\w*)(?:<[^>]*>)?(?:\.(?<1>[A-Z]\w*)(?:<[^>]*>)?)*(?:\(.*\))?$")]
    private static partial Regex Name();
}
