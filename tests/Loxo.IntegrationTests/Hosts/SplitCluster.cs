using Loxo.Embedded;
using Loxo.IntegrationTests.Replication;
using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Hosts;

/// <summary>A primary (host 0) that waits for one of its two standbys (hosts 1 and 2) with each commit, each on a host that can be cut off.</summary>
internal sealed class SplitCluster : IAsyncDisposable
{
    private const int Hosts = 3;

    private readonly List<PgEmbeddedServer> _servers = [];

    private SplitCluster(Network network) => Network = network;

    public Network Network { get; }

    /// <summary>The hosts with their ports, and limits that make a host that answers nothing known soon.</summary>
    public string ConnectionString => $"Host={string.Join(',', Enumerable.Range(0, Hosts).Select(EndPoint))};Username=postgres;Database=postgres;"
        + "Timeout=20;Command Timeout=3;Cancellation Timeout=300;Host Recheck Seconds=1";

    public static async Task<SplitCluster> StartAsync()
    {
        var cluster = new SplitCluster(Network.Create(Hosts));
        try
        {
            for (var host = 0; host < Hosts; host++)
                cluster._servers.Add(cluster.Start(host));
            await cluster.MakeStandbys();
            await Run(cluster.EndPoint(0), Writing.Table);
            await Until(cluster.EndPoint(0), "SELECT count(*) = 2 FROM pg_stat_replication WHERE state = 'streaming'");
            await cluster._servers[0].ReloadAsync(Synchronous("ANY 1 (s1, s2)"));
            await Until(cluster.EndPoint(0), "SELECT count(*) = 2 FROM pg_stat_replication WHERE sync_state = 'quorum'");
            return cluster;
        }
        catch
        {
            await cluster.DisposeAsync();
            throw;
        }
    }

    public string EndPoint(int host) => $"{Network.AddressOf(host)}:{_servers[host].Port}";

    /// <summary>Ends a server without a word: what else may happen on its host does not matter any more.</summary>
    public Task Fence(int host) => _servers[host].KillAsync();

    /// <summary>Makes the standby that has come further the primary of the other one.</summary>
    /// <returns>Its host.</returns>
    public async Task<int> Promote()
    {
        var places = new List<long>();
        foreach (var host in new[] { 1, 2 })
            places.Add(await Ask<long>(EndPoint(host), "SELECT (pg_last_wal_receive_lsn() - '0/0')::bigint"));
        var (next, other) = places[0] >= places[1] ? (1, 2) : (2, 1);
        // Before it takes a write, it has to wait for the one that is left.
        await _servers[next].ReloadAsync(Synchronous($"ANY 1 (s{other})"));
        await _servers[other].ReloadAsync(new Dictionary<string, string> { ["primary_conninfo"] = Follows(next, other) });
        Assert.That(await Ask<bool>(EndPoint(next), "SELECT pg_promote()"), Is.True);
        return next;
    }

    /// <summary>Cuts a host off, and makes sure that it cannot be reached.</summary>
    public async Task CutOff(int host)
    {
        Network.Cut(host);
        await using var connection = new PgConnection(Single(EndPoint(host)) + ";Timeout=2");
        Assert.That((await Assert.ThrowsAsync<PgException>(() => connection.OpenAsync()))!.Code, Is.EqualTo(PgErrorCode.Timeout), "the network is not split");
    }

    /// <summary>Asks one server.</summary>
    public static async Task<T> Ask<T>(string endPoint, string sql)
    {
        await using var connection = new PgConnection(Single(endPoint));
        await connection.OpenAsync();
        await using var command = new PgCommand(sql, connection);
        return (T)(await command.ExecuteScalarAsync())!;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var server in _servers)
            await server.DisposeAsync();
        Network.Dispose();
    }

    private static string Single(string endPoint) => $"Host={endPoint};Username=postgres;Database=postgres;Pooling=false;Timeout=120;Command Timeout=120";

    private static async Task Run(string endPoint, string sql)
    {
        await using var connection = new PgConnection(Single(endPoint));
        await connection.OpenAsync();
        await using var command = new PgCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }

    private static async Task Until(string endPoint, string sql)
    {
        for (var i = 0; i < 1200; i++)
        {
            if (await Ask<bool>(endPoint, sql))
                return;
            await Task.Delay(50);
        }
        Assert.Fail($"It did not come true on {endPoint}: {sql}");
    }

    // Servers of tests do not wait for anything when they commit, unless they are told.
    private static Dictionary<string, string> Synchronous(string names) =>
        new() { ["synchronous_standby_names"] = names, ["synchronous_commit"] = "on" };

    private string Follows(int primary, int standby) =>
        $"host={Network.AddressOf(primary)} port={_servers[primary].Port} user=postgres dbname=postgres application_name=s{standby}";

    private PgEmbeddedServer Start(int host)
    {
        var options = TestServer.Options();
        options.Settings["listen_addresses"] = "*";
        options.Settings["hot_standby_feedback"] = "on";
        options.Settings["wal_keep_size"] = "256MB";
        foreach (var line in Network.HbaLines)
            options.HbaLines.Add(line);
        if (host > 0)
            options.Settings["primary_conninfo"] = Follows(0, host); // without effect until there is a standby.signal
        return Network.On(host, () => PgEmbeddedServer.Start(options));
    }

    private async Task MakeStandbys()
    {
        foreach (var server in _servers)
            await server.StopAsync();
        foreach (var standby in _servers.Skip(1))
            await StandbyServer.CopyAsync(_servers[0].DataDirectory, standby.DataDirectory);
        for (var host = 0; host < Hosts; host++)
            Network.On(host, () => _servers[host].Restart());
    }
}
