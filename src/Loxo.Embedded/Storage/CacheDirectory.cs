using System.Security.Cryptography;
using System.Text;
using Loxo.Embedded.Processes;

namespace Loxo.Embedded.Storage;

/// <summary>
/// The folder that everything lives in. <c>packages</c>: fetched binaries. <c>templates</c>: data directories to copy. <c>run</c>: one
/// workspace for each unfinished fetch or template, and for each running server unless servers have a folder of their own. Everything in
/// the first two arrives there by renaming, complete.
/// </summary>
internal sealed class CacheDirectory
{
    private const string EnvironmentVariable = "LOXO_EMBEDDED_CACHE", RunVariable = "LOXO_EMBEDDED_RUN";

    private const string Advice = $"Another one is named with PgEmbeddedServerOptions.CacheDirectory or {EnvironmentVariable}, and for "
        + $"running servers alone with PgEmbeddedServerOptions.RunDirectory or {RunVariable}.";

    private const UnixFileMode Private = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;
    private const UnixFileMode Open =
        Private | UnixFileMode.GroupRead | UnixFileMode.GroupExecute | UnixFileMode.OtherRead | UnixFileMode.OtherExecute;

    // sun_path: 108 bytes on Linux, 104 on BSD systems, with the final NUL.
    private const int LongestSocketPath = 103;

    // A template costs 40 MB; one that no start has used for a month belongs to a server that was upgraded since or to options long gone.
    private static readonly TimeSpan TemplateLife = TimeSpan.FromDays(30);

    private readonly string _root, _unfinished, _servers;

    private CacheDirectory(string root, string? servers, ServerUser? user)
    {
        (_root, _unfinished, User) = (root, Path.Combine(root, "run"), user);
        _servers = servers is null ? _unfinished : Path.GetFullPath(servers);
    }

    /// <summary>Who runs the servers, and so has to reach the folder; null is the user of this process.</summary>
    public ServerUser? User { get; }

    public string Packages => Path.Combine(_root, "packages");

    public string Templates => Path.Combine(_root, "templates");

    /// <exception cref="PgEmbeddedServerException">A folder cannot be made, or the user who runs the servers cannot reach it.</exception>
    public static CacheDirectory Prepare(PgEmbeddedServerOptions options, ServerUser? user)
    {
        var root = options.CacheDirectory ?? Environment.GetEnvironmentVariable(EnvironmentVariable) ?? Default(user);
        var servers = options.RunDirectory ?? (options.CacheDirectory is null ? Environment.GetEnvironmentVariable(RunVariable) : null);
        var cache = new CacheDirectory(Path.GetFullPath(root), servers, user);
        cache.CheckSocketPath();
        Make([cache._root, cache.Packages, cache.Templates, cache._unfinished], user);
        Make([cache._servers], user);
        return cache;
    }

    /// <summary>
    /// A fresh folder that is removed when it is returned, or by a later <see cref="Sweep"/> when this process dies first. What it holds
    /// can be moved to <see cref="Packages"/> and <see cref="Templates"/>.
    /// </summary>
    public Workspace Rent() => Rent(_unfinished);

    /// <summary>Such a folder for a server.</summary>
    public Workspace RentForServer() => Rent(_servers);

    /// <summary>Removes what killed processes left: their servers first, then the folders. And templates that nobody uses.</summary>
    public void Sweep()
    {
        foreach (var folder in new[] { _unfinished, _servers }.Distinct())
        {
            foreach (var abandoned in Workspace.FindAbandoned(folder))
                abandoned.Dispose();
        }
        foreach (var template in new DirectoryInfo(Templates).EnumerateDirectories()
            .Where(folder => DateTime.UtcNow - folder.LastWriteTimeUtc > TemplateLife))
            FileTree.TryDelete(template.FullName);
    }

    private void CheckSocketPath()
    {
        var longest = Encoding.UTF8.GetByteCount(Path.Combine(_servers, "01234567", ".s.PGSQL.65535"));
        if (!OperatingSystem.IsWindows() && longest > LongestSocketPath)
            throw new PgEmbeddedServerException($"The folder '{_servers}' has too long a name: the path of a Unix socket in it would "
                + $"take {longest} bytes, and {LongestSocketPath} is the most. {Advice}");
    }

    private static Workspace Rent(string parent)
    {
        while (true)
        {
            var path = Path.Combine(parent, Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(4)));
            if (Workspace.TryCreate(path) is { } workspace)
                return workspace;
        }
    }

    private static void Make(string[] folders, ServerUser? user)
    {
        try
        {
            foreach (var folder in folders)
                MakeFolder(folder, user is null ? Private : Open);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new PgEmbeddedServerException($"The folder '{folders[0]}' cannot be used: {error.Message} {Advice}", error);
        }
        if (user is not null && ServerUser.FindClosedFolder(folders[0]) is { } closed)
            throw new PgEmbeddedServerException($"This process is root, so the server runs as the user '{user.Name}', who may not enter "
                + $"'{closed}'. Open that folder (chmod o+x). {Advice}");
    }

    // Existing folders keep their mode: it may be somebody's choice. Ours does not depend on the umask.
    private static void MakeFolder(string path, UnixFileMode mode)
    {
        if (Directory.Exists(path))
            return;
        Directory.CreateDirectory(path);
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(path, mode);
    }

    private static string Default(ServerUser? user)
    {
        if (user is not null)
            return "/var/cache/loxo-embedded"; // root's own cache folder is closed to everyone else
        if (OperatingSystem.IsWindows())
            return Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.LocalApplicationData), "Loxo", "Embedded");

        var home = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);
        if (OperatingSystem.IsMacOS())
            return Path.Combine(home, "Library", "Caches", "loxo-embedded");
        return Environment.GetEnvironmentVariable("XDG_CACHE_HOME") is { Length: > 0 } cache
            ? Path.Combine(cache, "loxo-embedded")
            : Path.Combine(home, ".cache", "loxo-embedded");
    }
}
