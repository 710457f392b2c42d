using System.Collections.Concurrent;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>Reads that are sent together are one read-only transaction, and nobody can tell.</summary>
[TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class GroupTests(WaitMode mode) : DatabaseTest(mode)
{
    private const int Callers = 64;

    // The numbers of the commands that have not ended.
    private readonly ConcurrentDictionary<int, bool> _running = new();

    [Test]
    public async Task Reads_that_are_sent_together_share_a_transaction()
    {
        await using var source = await OpenLanes("");
        var times = (await Many(source, "SELECT now() + $1::int * interval '0'", 5000)).Distinct().Count();
        Assert.That(times, Is.LessThan(3000));
    }

    [Test]
    public async Task A_transaction_is_not_shared_where_it_would_share_a_snapshot()
    {
        var name = await CreateDatabase();
        try
        {
            await Execute($"ALTER DATABASE {name} SET default_transaction_isolation = 'repeatable read'");
            await using var source = await OpenLanes($";Database={name}");
            var times = await Many(source, "SELECT now() + $1::int * interval '0'", 2000);
            Assert.That(await One(source, "SELECT current_setting('transaction_read_only')"), Is.EqualTo("off"));
            Assert.That(times.Distinct().Count(), Is.GreaterThan(1800)); // two backends may begin at the same microsecond
        }
        finally
        {
            await Drop(name);
        }
    }

    [Test]
    public async Task A_query_that_writes_unseen_runs_once()
    {
        var name = await CreateDatabase();
        try
        {
            await using var source = await OpenLanes($";Database={name}");
            await One(source, "CREATE TABLE written (id int)");
            await One(source, "CREATE FUNCTION write() RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO written VALUES (1); RETURN 7; END $$");
            await One(source, "CREATE VIEW hidden AS SELECT write() AS value");
            await OpenLanes(source);
            var values = await Many(source, "SELECT value + $1::int * 0 FROM hidden", 500);
            Assert.That(values, Is.All.EqualTo(7));
            Assert.That(await One(source, "SELECT count(*) FROM written"), Is.EqualTo(501)); // and the first run
        }
        finally
        {
            await Drop(name);
        }
    }

    [Test]
    public async Task A_statement_that_is_out_of_date_costs_no_command_its_result()
    {
        var name = await CreateDatabase();
        try
        {
            await using var source = await OpenLanes($";Database={name}");
            await One(source, "CREATE TABLE growing (id int)");
            await One(source, "INSERT INTO growing SELECT n FROM generate_series(1, 1000) n");
            await OpenLanes(source);
            using var stop = new CancellationTokenSource();
            var changing = Task.Run(async () =>
            {
                for (var i = 0; !stop.IsCancellationRequested; i++)
                {
                    await using var other = await PgDataSource.Create(TestServer.Default.ConnectionString + $";Database={name}").OpenConnectionAsync();
                    await new PgCommand($"ALTER TABLE growing ADD COLUMN c{i} int", other).ExecuteNonQueryAsync();
                    // A command runs again once: no two changes while the same command runs, however slow the machine is.
                    var began = _running.Keys.ToList();
                    do
                        await Task.Delay(20);
                    while (began.Exists(_running.ContainsKey) && !stop.IsCancellationRequested);
                }
            });
            var ids = new List<object?>();
            for (var i = 0; i < 5; i++)
                ids.AddRange(await Many(source, "SELECT * FROM growing WHERE id = $1::int", 1000));
            await stop.CancelAsync();
            await changing;
            Assert.That(ids, Is.EqualTo(Enumerable.Repeat(Enumerable.Range(1, 1000), 5).SelectMany(static id => id)));
        }
        finally
        {
            await Drop(name);
        }
    }

    [Test]
    public async Task A_query_that_fails_costs_no_neighbour_its_result()
    {
        await using var source = await OpenLanes("");
        // How many share a transaction depends on how fast client and server are, and on how often groups have failed.
        var before = source.GetLaneStatistics()!;
        PgLaneStatistics after;
        do
        {
            var results = await Many(source, "SELECT $1::int / ($1::int % 50)", 5000);
            after = source.GetLaneStatistics()!;
            Assert.That(results, Is.EqualTo(Enumerable.Range(1, 5000).Select(static i => i % 50 == 0 ? (object)"22012" : i / (i % 50))));
        }
        while ((after.GroupedCommands - before.GroupedCommands <= 500 || after.Groups - before.Groups <= 50)
            && after.Commands - before.Commands < 100_000);
        Assert.That(after.GroupedCommands - before.GroupedCommands, Is.GreaterThan(500));
        Assert.That(after.Groups - before.Groups, Is.GreaterThan(50));
    }

    [Test]
    public async Task Queries_share_nothing_for_a_while_when_groups_fail_again_and_again()
    {
        var builder = new PgDataSourceBuilder(TestServer.Default.ConnectionString + ";Session Reset=Auto");
        await using var source = builder.UseLanes(static lanes => (lanes.Minimum, lanes.Maximum) = (1, 2)).Build();
        await OpenLanes(source);
        const string Sql = "SELECT 1 / ($1::int - $1::int + $2::int)";
        await Many(source, Sql, 500, 1);
        var before = source.GetLaneStatistics()!;
        var results = await Many(source, Sql, 5000, 0);
        var after = source.GetLaneStatistics()!;
        Assert.That(results, Is.All.EqualTo("22012"));
        Assert.That(after.Commands - before.Commands, Is.GreaterThan(3000));
        // Without pauses it would be nearly all of them. What is on its way when a group fails is grouped, and how much that is depends on the machine.
        Assert.That(after.GroupedCommands - before.GroupedCommands, Is.InRange(2, 2500));
        while (source.GetLaneStatistics()!.Groups - after.Groups < 20)
            Assert.That(await Many(source, Sql, 500, 1), Is.All.EqualTo(1));
    }

    [Test]
    public async Task Only_texts_that_were_fast_share_a_transaction()
    {
        await using var source = await OpenLanes("");
        const string Sql = "SELECT $1::int, pg_sleep(0.02)";
        await Many(source, Sql, 1);
        var before = source.GetLaneStatistics()!;
        Assert.That(await Many(source, Sql, 300), Is.EqualTo(Enumerable.Range(1, 300)));
        var after = source.GetLaneStatistics()!;
        Assert.That(after.Commands - before.Commands, Is.GreaterThan(3));
        Assert.That(after.GroupedCommands, Is.EqualTo(before.GroupedCommands));
    }

    private async Task<PgDataSource> OpenLanes(string settings)
    {
        var source = PgDataSource.Create(TestServer.Default.ConnectionString + ";Multiplexing=true;Session Reset=Auto" + settings);
        await OpenLanes(source);
        return source;
    }

    private async Task OpenLanes(PgDataSource source)
    {
        while (source.Lanes!.Count == 0)
        {
            await One(source, "SELECT 1");
            await Task.Delay(10);
        }
    }

    private async Task<object?> One(PgDataSource source, string sql)
    {
        await using var command = source.CreateCommand(sql);
        return await Mode.ExecuteScalar(command);
    }

    // With the numbers from 1 on, or with these and another one. An error is its SQLSTATE.
    private async Task<object?[]> Many(PgDataSource source, string sql, int count, int? second = null)
    {
        var next = 0;
        var results = new object?[count];
        await Run(0, 1);
        await Task.WhenAll(Enumerable.Range(0, Callers).Select(async _ =>
        {
            await Task.Yield();
            for (var i = Interlocked.Increment(ref next); i <= count; i = Interlocked.Increment(ref next))
                results[i - 1] = await Run(i, i);
        }));
        return results;

        async Task<object?> Run(int number, int value)
        {
            _running[number] = true;
            await using var command = source.CreateCommand(sql);
            command.Parameters.Add(new PgParameter<int> { TypedValue = value });
            if (second is { } other)
                command.Parameters.Add(new PgParameter<int> { TypedValue = other });
            try
            {
                return await command.ExecuteScalarAsync();
            }
            catch (PostgresException e)
            {
                return e.SqlState;
            }
            finally
            {
                _running.TryRemove(number, out _);
            }
        }
    }

    private async Task<string> CreateDatabase()
    {
        var name = "groups_" + Guid.NewGuid().ToString("N")[..12];
        await Execute($"CREATE DATABASE {name}");
        return name;
    }

    private Task Drop(string name) => Execute($"DROP DATABASE {name} WITH (FORCE)");
}
