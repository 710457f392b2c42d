using System.Globalization;
using Loxo.Embedded;

namespace Loxo.Benchmarks;

/// <summary>The server, on the same core as the client because it inherits the client's affinity.</summary>
internal sealed class BenchServer : IDisposable
{
    private readonly PgEmbeddedServer _server;

    public BenchServer()
    {
        var version = Environment.GetEnvironmentVariable("LOXO_BENCH_POSTGRES") is { Length: > 0 } wanted ? wanted : "15";
        _server = PgEmbeddedServer.Start(new PgEmbeddedServerOptions
        {
            Version = int.Parse(version, CultureInfo.InvariantCulture),
            Acquire = PgAcquire.All,
            // Work in the background would fall into somebody's turn.
            Settings = { ["autovacuum"] = "off", ["checkpoint_timeout"] = "1h", ["max_connections"] = "400" },
        });
        Target = new Target(_server.Host, _server.Port, "postgres", "postgres");
        using var connection = new PgConnection(Target.ConnectionString);
        connection.Open();
        foreach (var sql in TestData.Create)
        {
            using var command = new PgCommand(sql, connection);
            command.ExecuteNonQuery();
        }
    }

    public Target Target { get; }

    public string Version => _server.Version.ToString();

    public void Dispose() => _server.Dispose();
}
