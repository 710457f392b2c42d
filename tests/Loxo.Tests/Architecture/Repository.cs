namespace Loxo.Tests.Architecture;

/// <summary>The repository that the tests were built in.</summary>
internal static class Repository
{
    private static readonly string[] _made = ["bin", "obj", ".git", ".vs", "TestResults", "artifacts"];

    /// <summary>Where Loxo.slnx is.</summary>
    public static string Root { get; } = FindRoot();

    /// <summary>The driver's own files.</summary>
    public static IReadOnlyList<SourceFile> Driver { get; } =
        [.. Files("src/Loxo").Where(path => path.EndsWith(".cs", StringComparison.Ordinal)).Select(path => new SourceFile(path))];

    /// <summary>Full paths of what people wrote below a folder, not of what builds make.</summary>
    public static IEnumerable<string> Files(string folder) => FilesBelow(Path.Combine(Root, folder)).Order(StringComparer.Ordinal);

    /// <summary>The text of a file, by its path from the root.</summary>
    public static string Read(string path) => File.ReadAllText(Path.Combine(Root, path));

    public static string Relative(string path) => Path.GetRelativePath(Root, path).Replace('\\', '/');

    public static IEnumerable<string> FilesBelow(string directory) => Directory.EnumerateFiles(directory).Concat(
        Directory.EnumerateDirectories(directory).Where(child => !_made.Contains(Path.GetFileName(child))).SelectMany(FilesBelow));

    private static string FindRoot()
    {
        var directory = new DirectoryInfo(AppContext.BaseDirectory);
        while (directory is not null && !File.Exists(Path.Combine(directory.FullName, "Loxo.slnx")))
            directory = directory.Parent;
        return directory?.FullName ?? throw new InvalidOperationException("Loxo.slnx is in none of the folders above the tests.");
    }
}
