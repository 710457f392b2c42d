namespace Loxo.Embedded.Binaries;

internal static class PathSearch
{
    /// <summary>The first file of that name in a folder of PATH, or null.</summary>
    public static string? Find(string fileName) =>
        (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
            .Select(folder => Path.Combine(folder, fileName))
            .FirstOrDefault(File.Exists);
}
