using System.Globalization;
using Loxo.Benchmarks.Canned;
using Loxo.Benchmarks.Measuring;
using Loxo.Embedded;

namespace Loxo.Benchmarks;

/// <summary>The server, and the one of canned answers, on the same core as the client because they inherit the client's affinity.</summary>
internal sealed class BenchServer : IDisposable
{
    public const string PasswordRole = "with_password", Password = "secret";

    private readonly PgEmbeddedServer _server;
    private readonly PgEmbeddedServer _tls;
    private readonly CannedServer _canned = new();

    public BenchServer()
    {
        var version = Environment.GetEnvironmentVariable("LOXO_BENCH_POSTGRES") is { Length: > 0 } wanted ? wanted : "15";
        var options = Options(int.Parse(version, CultureInfo.InvariantCulture));
        _server = PgEmbeddedServer.Start(options);
        options.Tls = new PgEmbeddedTlsOptions();
        options.HbaLines.Add($"host all {PasswordRole} all scram-sha-256");
        options.InitialStatements.Add($"SET password_encryption = 'scram-sha-256'; CREATE ROLE {PasswordRole} LOGIN PASSWORD '{Password}'");
        _tls = PgEmbeddedServer.Start(options);
        Target = new Target(_server.Host, _server.Port, "postgres", "postgres") { CannedPort = _canned.Port, TlsPort = _tls.Port };
        Execute(Target, TestData.Create);
        Execute(Target.Tls, TestData.Create);
    }

    public Target Target { get; }

    public string Version => _server.Version.ToString();

    /// <summary>The CPU time of all the server's processes, in nanoseconds.</summary>
    public long CpuTime() => CpuClock.OfFamily(_server.ProcessId);

    public void Execute(string[] statements) => Execute(Target, statements);

    private static void Execute(Target target, string[] statements)
    {
        using var connection = new PgConnection(target.ConnectionString);
        connection.Open();
        foreach (var sql in statements)
        {
            using var command = new PgCommand(sql, connection);
            command.ExecuteNonQuery();
        }
    }

    public void Dispose()
    {
        _canned.Dispose();
        _tls.Dispose();
        _server.Dispose();
    }

    private static PgEmbeddedServerOptions Options(int version) => new()
    {
        Version = version,
        Acquire = PgAcquire.All,
        // Work in the background would fall into somebody's turn.
        Settings = { ["autovacuum"] = "off", ["checkpoint_timeout"] = "1h", ["max_connections"] = "1000" },
    };
}
