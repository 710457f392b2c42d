namespace Loxo.Docs.Tests;

/// <summary>The files of this repository, by their paths from its root.</summary>
internal static class Repository
{
    public static string Root { get; } = FindRoot();

#if DEBUG
    public const string Configuration = "Debug";
#else
    public const string Configuration = "Release";
#endif

    public static string PathOf(string path) => Path.Combine(Root, path);

    public static string Read(string path) => File.ReadAllText(PathOf(path));

    /// <summary>Every page that people read, such as <c>docs/ARCHITECTURE.md</c>.</summary>
    public static IEnumerable<string> Pages() =>
        Directory.EnumerateFiles(Root, "*.md")
            .Concat(Directory.EnumerateFiles(PathOf("docs"), "*.md", SearchOption.AllDirectories))
            .Concat(Directory.EnumerateDirectories(PathOf("src")).SelectMany(project => Directory.EnumerateFiles(project, "*.md")))
            .Select(page => Path.GetRelativePath(Root, page))
            .Order(StringComparer.Ordinal);

    private static string FindRoot()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (folder is not null && !File.Exists(Path.Combine(folder.FullName, "Loxo.slnx")))
            folder = folder.Parent;
        return folder?.FullName ?? throw new InvalidOperationException($"No folder above {AppContext.BaseDirectory} holds Loxo.slnx.");
    }
}
