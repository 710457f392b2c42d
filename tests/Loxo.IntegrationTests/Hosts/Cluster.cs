using Loxo.Embedded;
using Loxo.IntegrationTests.Replication;

namespace Loxo.IntegrationTests.Hosts;

/// <summary>A primary with two standbys that stream from it.</summary>
internal sealed class Cluster : IAsyncDisposable
{
    private static readonly string[] Names = ["one", "two"];

    private readonly List<StandbyServer> _standbys = [];

    private Cluster(PgEmbeddedServer primary) => Primary = primary;

    public PgEmbeddedServer Primary { get; }

    public StandbyServer First => _standbys[0];

    public StandbyServer Second => _standbys[1];

    /// <summary>The ports: of the primary, and of the standbys.</summary>
    public int[] Ports => [Primary.Port, First.Port, Second.Port];

    public static async Task<Cluster> StartAsync()
    {
        var cluster = new Cluster(await PgEmbeddedServer.StartAsync(TestServer.Options()));
        try
        {
            foreach (var name in Names)
                cluster._standbys.Add(await StandbyServer.StartAsync(cluster.Primary, name, keepsSlots: false));
            return cluster;
        }
        catch
        {
            await cluster.DisposeAsync();
            throw;
        }
    }

    /// <summary>A connection string for hosts by their ports.</summary>
    public static string Of(params int[] ports) =>
        $"Host={string.Join(',', ports.Select(port => $"127.0.0.1:{port}"))};Username=postgres;Database=postgres;Timeout=60;Command Timeout=60";

    /// <summary>Asks one server.</summary>
    public static async Task<T> Ask<T>(int port, string sql)
    {
        await using var connection = new PgConnection(Of(port) + ";Pooling=false");
        await connection.OpenAsync();
        await using var command = new PgCommand(sql, connection);
        return (T)(await command.ExecuteScalarAsync())!;
    }

    /// <summary>Runs statements on one server, each by itself.</summary>
    public static async Task Run(int port, params string[] statements)
    {
        await using var connection = new PgConnection(Of(port) + ";Pooling=false");
        await connection.OpenAsync();
        foreach (var sql in statements)
        {
            await using var command = new PgCommand(sql, connection);
            await command.ExecuteNonQueryAsync();
        }
    }

    /// <summary>Waits until a server answers with true.</summary>
    public static async Task Until(int port, string sql)
    {
        for (var i = 0; i < 1200; i++)
        {
            if (await Ask<bool>(port, sql))
                return;
            await Task.Delay(50);
        }
        Assert.Fail($"It did not come true on port {port}: {sql}");
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var standby in _standbys)
            await standby.DisposeAsync();
        await Primary.DisposeAsync();
    }
}

/// <summary>The servers of the tests that change none of them.</summary>
[SetUpFixture]
public sealed class SharedCluster
{
    private static readonly Lazy<Task<Cluster>> One = new(Cluster.StartAsync);

    internal static Task<Cluster> Get() => One.Value;

    [OneTimeTearDown]
    public async Task Stop()
    {
        if (One.IsValueCreated)
            await (await One.Value).DisposeAsync();
    }
}
