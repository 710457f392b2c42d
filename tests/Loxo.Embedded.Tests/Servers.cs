namespace Loxo.Embedded.Tests;

/// <summary>How these tests get servers: from the shared cache, fetching what is missing.</summary>
internal static class Servers
{
    private static readonly Lazy<string> AnyBinaries = new(() =>
    {
        using var server = Start();
        return server.BinaryDirectory;
    });

    /// <summary>The programs of some server, for tests that want a cache of their own without fetching into it.</summary>
    public static string Binaries => AnyBinaries.Value;

    public static PgEmbeddedServer Start(PgEmbeddedServerOptions? options = null) => PgEmbeddedServer.Start(Fetching(options));

    public static PgEmbeddedServerOptions Fetching(PgEmbeddedServerOptions? options = null)
    {
        options ??= new PgEmbeddedServerOptions();
        options.Acquire = PgAcquire.All;
        return options;
    }
}

/// <summary>An empty cache folder that goes with the test.</summary>
internal sealed class EmptyCache(string? parent = null) : IDisposable
{
    public string Path { get; } =
        System.IO.Path.Combine(parent ?? System.IO.Path.GetTempPath(), "loxo-embedded-tests-" + Guid.NewGuid().ToString("N")[..8]);

    public string[] Workspaces => Entries("run");

    public string[] Templates => Entries("templates");

    public string[] Packages => Entries("packages");

    public void Dispose()
    {
        if (Directory.Exists(Path))
            Directory.Delete(Path, recursive: true);
    }

    private string[] Entries(string folder) => Directory.GetFileSystemEntries(System.IO.Path.Combine(Path, folder));
}
