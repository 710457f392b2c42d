using Loxo.Embedded;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>Changes that share a transaction cost the server fewer flushes of its write-ahead log than they are.</summary>
[Category("OneServer")]
public sealed class GroupedChangesLogTests
{
    private const int Callers = 64, Inserts = 50 * Callers;

    private PgEmbeddedServer _server = null!;

    [OneTimeSetUp]
    public void StartServer()
    {
        var options = TestServer.Options();
        options.Settings["fsync"] = "on";
        options.Settings["synchronous_commit"] = "on";
        _server = PgEmbeddedServer.Start(options);
        Execute("CREATE TABLE logged (id int PRIMARY KEY)");
    }

    [OneTimeTearDown]
    public void StopServer() => _server.Dispose();

    [Test]
    public async Task Grouped_inserts_flush_the_log_once_for_three_of_them_or_more()
    {
        var before = Flushes();
        for (var id = 1; id <= 100; id++)
            Execute($"INSERT INTO logged VALUES ({-id})");
        var alone = Flushes() - before;
        Assert.That(alone, Is.GreaterThanOrEqualTo(100), "one for each insert by itself");

        before = Flushes();
        var first = 0;
        var builder = new PgDataSourceBuilder(_server.ConnectionString + ";Session Reset=Auto");
        await using (var source = builder.UseLanes(static lanes => lanes.GroupChanges = true).Build())
        {
            // Until there are lanes, each takes a session of its own.
            for (; source.GetLaneStatistics()!.MixedLanes == 0; first++)
                await Insert(source, first);
            var next = first;
            await Task.WhenAll(Enumerable.Range(0, Callers).Select(async _ =>
            {
                while (Interlocked.Increment(ref next) is var id && id <= first + Inserts)
                    await Insert(source, id);
            }));
            Assert.That(source.GetLaneStatistics()!.GroupedCommands, Is.GreaterThan(Inserts / 4));
        }
        Assert.That(Flushes() - before, Is.LessThanOrEqualTo(first + (Inserts / 3)));
    }

    private static async Task Insert(PgDataSource source, int id)
    {
        await using var command = source.CreateCommand("INSERT INTO logged VALUES ($1)");
        command.Parameters.Add(new PgParameter<int> { TypedValue = id });
        await command.ExecuteNonQueryAsync();
    }

    // The server counts those of a session when it ends.
    private long Flushes()
    {
        while (Count("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()") > 0)
            Thread.Sleep(10);
        return Count(_server.Version.Major >= 18 ? "SELECT sum(fsyncs)::bigint FROM pg_stat_io WHERE object = 'wal'" : "SELECT wal_sync FROM pg_stat_wal");
    }

    private long Count(string sql)
    {
        using var connection = Open();
        using var command = new PgCommand(sql, connection);
        return (long)command.ExecuteScalar()!;
    }

    private void Execute(string sql)
    {
        using var connection = Open();
        using var command = new PgCommand(sql, connection);
        command.ExecuteNonQuery();
    }

    private PgConnection Open()
    {
        var connection = new PgConnection(_server.ConnectionString + ";Pooling=false");
        connection.Open();
        return connection;
    }
}
