using System.Globalization;
using Loxo.Benchmarks.Canned;
using Loxo.Benchmarks.Measuring;
using Loxo.Embedded;

namespace Loxo.Benchmarks;

/// <summary>The server, and the one of canned answers, on the same core as the client because they inherit the client's affinity.</summary>
internal sealed class BenchServer : IDisposable
{
    private readonly PgEmbeddedServer _server;
    private readonly CannedServer _canned = new();

    public BenchServer()
    {
        var version = Environment.GetEnvironmentVariable("LOXO_BENCH_POSTGRES") is { Length: > 0 } wanted ? wanted : "15";
        _server = PgEmbeddedServer.Start(new PgEmbeddedServerOptions
        {
            Version = int.Parse(version, CultureInfo.InvariantCulture),
            Acquire = PgAcquire.All,
            // Work in the background would fall into somebody's turn.
            Settings = { ["autovacuum"] = "off", ["checkpoint_timeout"] = "1h", ["max_connections"] = "1000" },
        });
        Target = new Target(_server.Host, _server.Port, "postgres", "postgres") { CannedPort = _canned.Port };
        Execute(TestData.Create);
    }

    public Target Target { get; }

    public string Version => _server.Version.ToString();

    /// <summary>The CPU time of all the server's processes, in nanoseconds.</summary>
    public long CpuTime() => CpuClock.OfFamily(_server.ProcessId);

    public void Execute(string[] statements)
    {
        using var connection = new PgConnection(Target.ConnectionString);
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
        _server.Dispose();
    }
}
