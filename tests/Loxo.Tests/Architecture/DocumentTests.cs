using Microsoft.CodeAnalysis.CSharp;

namespace Loxo.Tests.Architecture;

/// <summary>The documentation names only files, folders, types and members that exist.</summary>
public sealed class DocumentTests
{
    private static readonly Dictionary<string, string> _otherPaths = new()
    {
        ["0009-few-words.md"] = "an example of a name",
    };

    private static readonly Dictionary<string, string> _otherNames = new()
    {
        ["Email"] = "a type of the reader's own",
        ["ProcessInterrupts"] = "a function of the server",
    };

    private static readonly Lazy<KnownNames> _names = new(() => new(
        [.. Sources.Own.Trees, .. new[] { "tests", "bench", "samples", "tools" }.SelectMany(Repository.Files)
            .Where(path => path.EndsWith(".cs", StringComparison.Ordinal))
            .Select(path => CSharpSyntaxTree.ParseText(File.ReadAllText(path)))],
        Sources.Own.Compilation));

    [Test]
    public void Paths_and_links_lead_somewhere() =>
        Breach.AssertNone(DocumentRules.Paths(DocumentRules.Pages, Exists, FileNames()), _otherPaths);

    [Test]
    public void Types_and_members_exist() => Breach.AssertNone(DocumentRules.Names(DocumentRules.Pages, _names.Value), _otherNames);

    private static bool Exists(string path) => Path.Exists(Path.Combine(Repository.Root, path));

    private static HashSet<string> FileNames()
    {
        var files = Repository.FilesBelow(Repository.Root).ToList();
        return [.. files.Select(path => Path.GetFileName(path)),
            .. files.Select(path => Path.GetFileName(Path.GetDirectoryName(path)) + "/")];
    }
}
