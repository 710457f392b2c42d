using System.Collections.Concurrent;

namespace Loxo.Embedded.Binaries;

/// <summary>Looks for installed servers: on PATH, in the usual folders of the operating system and in the cache. Changes nothing.</summary>
internal sealed class BinarySearch(string cachedPackages)
{
    private static readonly string[] LinuxPatterns =
    [
        "/usr/lib/postgresql/*/bin",                        // Debian, Ubuntu
        "/usr/pgsql-*/bin",                                 // Fedora, RHEL with the PostgreSQL project's packages
        "/usr/libexec/postgresql*",                         // Alpine
        "/usr/local/pgsql/bin",                             // built from source
        "/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",  // Homebrew
    ];

    private static readonly string[] MacPatterns =
    [
        "/opt/homebrew/opt/postgresql@*/bin",               // Homebrew on Apple silicon
        "/usr/local/opt/postgresql@*/bin",                  // Homebrew on Intel
        "/Applications/Postgres.app/Contents/Versions/*/bin",
        "/usr/local/pgsql/bin",
    ];

    // Asking a program for its version costs some milliseconds; a folder's answer does not change while this process lives.
    private static readonly ConcurrentDictionary<string, PgBinaries?> Probed = new(StringComparer.Ordinal);

    /// <summary>Where the search looks, for messages.</summary>
    public IReadOnlyList<string> Places { get; } = ["PATH", .. SystemPatterns(), Path.Combine(cachedPackages, "*", "bin")];

    /// <summary>Every server found that runs, the newest first.</summary>
    public IReadOnlyList<PgBinaries> FindAll() =>
        [.. Folders().Distinct(StringComparer.Ordinal)
            .Select(folder => Probed.GetOrAdd(folder, ProbeOrNull))
            .OfType<PgBinaries>()
            .OrderByDescending(found => found.Version)];

    private IEnumerable<string> Folders() =>
        OnPath().Concat(Places.Skip(1).SelectMany(Expand)).Where(PgBinaries.LooksComplete);

    // PATH often holds links to the programs; what belongs to them (share, lib) lies beside their targets.
    private static IEnumerable<string> OnPath() =>
        from folder in (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
        let program = new FileInfo(Path.Combine(folder, OperatingSystem.IsWindows() ? "postgres.exe" : "postgres"))
        where program.Exists
        select Path.GetDirectoryName(program.ResolveLinkTarget(returnFinalTarget: true)?.FullName ?? program.FullName);

    private static IEnumerable<string> SystemPatterns() => OperatingSystem.IsWindows()
        ? [Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.ProgramFiles), "PostgreSQL", "*", "bin")]
        : OperatingSystem.IsMacOS() ? MacPatterns : LinuxPatterns;

    /// <summary>The folders that a path with at most one part holding a star stands for.</summary>
    private static IEnumerable<string> Expand(string pattern)
    {
        var star = pattern.IndexOf('*', StringComparison.Ordinal);
        if (star < 0)
            return [pattern];

        var parent = Path.GetDirectoryName(pattern[..(star + 1)])!;
        var end = pattern.IndexOfAny([Path.DirectorySeparatorChar, Path.AltDirectorySeparatorChar], star);
        var name = end < 0 ? pattern[(parent.Length + 1)..] : pattern[(parent.Length + 1)..end];
        var rest = end < 0 ? "" : pattern[(end + 1)..];
        return Directory.Exists(parent) ? Directory.EnumerateDirectories(parent, name).Select(folder => Path.Combine(folder, rest)) : [];
    }

    private static PgBinaries? ProbeOrNull(string folder)
    {
        try
        {
            return PgBinaries.Probe(folder);
        }
        catch (PgEmbeddedServerException)
        {
            return null; // a leftover of another system or an incomplete installation is as good as none
        }
    }
}
