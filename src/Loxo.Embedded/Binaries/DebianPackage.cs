using Loxo.Embedded.Processes;
using Loxo.Embedded.Storage;

namespace Loxo.Embedded.Binaries;

/// <summary>Installs the server with apt-get: Debian and its relatives, as root.</summary>
internal sealed class DebianPackage(CacheDirectory cache, PgEmbeddedServerOptions options)
{
    private const string AptGet = "/usr/bin/apt-get";

    // postgresql-common reads every file in this folder when a server package is installed.
    private const string ClusterSettings = "/etc/postgresql-common/createcluster.d";

    public string Name { get; } = options.Version is { } major ? $"postgresql-{major}" : "postgresql";

    public static bool IsPossible() => File.Exists(AptGet) && Environment.IsPrivilegedProcess;

    /// <exception cref="PgEmbeddedServerException">There is no apt-get, this process is not root, or the installation failed.</exception>
    public void Install(CancellationToken token)
    {
        if (!IsPossible())
            throw new PgEmbeddedServerException(
                "PgAcquire.SystemPackages was allowed, but needs apt-get (Debian and its relatives) and a process that runs as root.");

        options.Log?.Invoke($"Installing {Name} with apt-get");
        var result = InstallOnce(token);
        if (!result.Succeeded && Run(["update"], token).Succeeded) // a fresh container has no lists of packages
            result = InstallOnce(token);
        if (!result.Succeeded)
            throw new PgEmbeddedServerException($"apt-get install {Name} failed (exit code {result.ExitCode}): {result.Output}");
    }

    private CommandResult InstallOnce(CancellationToken token)
    {
        var file = Path.Combine(ClusterSettings, $"loxo-embedded-{Environment.ProcessId}.conf");
        var isNew = !Directory.Exists(ClusterSettings);
        try
        {
            // Only the programs are wanted: without this, the package also makes a cluster and starts it on port 5432.
            Directory.CreateDirectory(ClusterSettings);
            File.WriteAllText(file, "create_main_cluster = false\n");
            return Run(["install", "-y", "--no-install-recommends", Name], token);
        }
        finally
        {
            File.Delete(file);
            if (isNew)
                FileTree.TryDeleteEmpty(ClusterSettings);
        }
    }

    private CommandResult Run(string[] arguments, CancellationToken token)
    {
        using var workspace = cache.Rent();
        return new Command(AptGet, arguments)
        {
            WorkingDirectory = workspace.Directory,
            Timeout = options.AcquireTimeout,
            Environment = new Dictionary<string, string?> { ["DEBIAN_FRONTEND"] = "noninteractive", ["LC_ALL"] = "C" },
        }.Run(token);
    }
}
