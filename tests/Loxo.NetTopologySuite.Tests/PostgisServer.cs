using System.Diagnostics;
using Loxo.Embedded;

namespace Loxo.NetTopologySuite.Tests;

/// <summary>
/// A server with PostGIS, which no PostgreSQL has that is fetched: it is installed by the system's packages, for version 15. Where it is not and cannot
/// be, tests that need it are ignored.
/// </summary>
[SetUpFixture]
public class PostgisServer
{
    private const string Package = "postgresql-15-postgis-3", AptGet = "/usr/bin/apt-get", ServicePolicy = "/usr/sbin/policy-rc.d";
    private const string Extension = "/usr/share/postgresql/15/extension/postgis.control";

    private static readonly Lazy<PgEmbeddedServer> Server = new(Start);

    /// <summary>Where the extension is installed.</summary>
    public static string ConnectionString => Server.Value.ConnectionString + ";Timeout=120;Command Timeout=300";

    [OneTimeTearDown]
    public void Remove()
    {
        if (Server.IsValueCreated)
            Server.Value.Dispose();
    }

    private static PgEmbeddedServer Start()
    {
        if (!File.Exists(Extension))
            Install();
        var server = PgEmbeddedServer.Start(new PgEmbeddedServerOptions { BinaryDirectory = "/usr/lib/postgresql/15/bin", Settings = { ["lc_messages"] = "C" } });
        using var connection = new PgConnection(server.ConnectionString);
        connection.Open();
        using var command = new PgCommand("CREATE EXTENSION postgis", connection); // needs a server that serves, unlike InitialStatements
        command.ExecuteNonQuery();
        return server;
    }

    private static void Install()
    {
        if (!Environment.IsPrivilegedProcess || !File.Exists(AptGet))
            Assert.Ignore($"There is no PostGIS for PostgreSQL 15. Install it: apt-get install {Package}");
        var (succeeded, output) = InstallOnce();
        if (!succeeded && Run(AptGet, "update").Succeeded) // a fresh container has no lists of packages
            (succeeded, output) = InstallOnce();
        if (!succeeded)
            Assert.Ignore($"There is no PostGIS for PostgreSQL 15, and apt-get install {Package} failed: {output}");
    }

    // Only the files are wanted; without a policy that forbids it, the package starts a server too (invoke-rc.d(8)).
    private static (bool Succeeded, string Output) InstallOnce()
    {
        var hasPolicy = File.Exists(ServicePolicy);
        try
        {
            if (!hasPolicy)
            {
                File.WriteAllText(ServicePolicy, "#!/bin/sh\nexit 101\n");
                if (!OperatingSystem.IsWindows())
                    File.SetUnixFileMode(ServicePolicy, (UnixFileMode)0b111_101_101);
            }
            return Run(AptGet, "install", "-y", "--no-install-recommends", Package);
        }
        finally
        {
            if (!hasPolicy)
                File.Delete(ServicePolicy);
        }
    }

    private static (bool Succeeded, string Output) Run(string program, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            Environment = { ["DEBIAN_FRONTEND"] = "noninteractive", ["LC_ALL"] = "C" },
        };
        using var process = Process.Start(start)!;
        var errors = process.StandardError.ReadToEndAsync();
        var output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return (process.ExitCode == 0, output + errors.Result);
    }
}
