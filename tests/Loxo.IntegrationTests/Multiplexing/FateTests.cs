using System.Collections.Concurrent;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>
/// Callers of both wait modes change rows by lanes and sessions of their own. What each is told of its change is held against the tables: done
/// means done, not run means not run, and nothing is done twice.
/// </summary>
[TestFixture(WaitMode.Async)]
[Category("Slow")]
public sealed class FateTests(WaitMode mode) : DatabaseTest(mode)
{
    private const int Callers = 64, Blocking = 16, Steps = 150, Counters = 8;

    private readonly ConcurrentDictionary<int, Fate> _fates = new();
    private readonly ConcurrentQueue<string> _wrong = new();
    private readonly int[] _sure = new int[Counters], _unsure = new int[Counters];
    private PgDataSource _source = null!;
    private bool _breaks;
    private int _lost;

    /// <summary>What a caller knows of its change.</summary>
    private enum Fate
    {
        Done,
        NotRun,
        Unknown,
    }

    [SetUp]
    public Task CreateTables() => Execute($"""
        CREATE TABLE fate (id int PRIMARY KEY, worth int CHECK (worth >= 0));
        CREATE TABLE fate_counter (id int PRIMARY KEY, n int);
        INSERT INTO fate_counter SELECT n, 0 FROM generate_series(0, {Counters - 1}) n
        """);

    [TearDown]
    public Task DropTables() => Execute("DROP TABLE fate, fate_counter");

    [Test]
    public async Task What_callers_are_told_of_their_changes_is_true([Values] bool groups, [Values] bool breaks)
    {
        (_breaks, _lost) = (breaks, 0);
        _fates.Clear();
        _wrong.Clear();
        Array.Clear(_sure);
        Array.Clear(_unsure);
        var builder = new PgDataSourceBuilder(TestServer.Default.ConnectionString + ";Session Reset=Auto;Application Name=fates;Maximum Pool Size=24");
        await using (_source = builder.UseLanes(lanes => lanes.GroupChanges = groups).Build())
        {
            while (_source.Lanes!.Count == 0)
                await Select(Mode, 0);
            using var stop = new CancellationTokenSource();
            var breaking = breaks ? Task.Run(() => Break(stop.Token)) : Task.CompletedTask;
            await Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => caller < Blocking
                ? Task.Factory.StartNew(() => Call(caller, WaitMode.Blocking).GetAwaiter().GetResult(), TaskCreationOptions.LongRunning)
                : Task.Run(() => Call(caller, WaitMode.Async))));
            await stop.CancelAsync();
            await breaking;
            Assert.That(_source.GetLaneStatistics()!.Commands, Is.GreaterThan(Steps), "lanes were used");
        }
        await Compare();
        Assert.That(_wrong, Is.Empty);
        Assert.That(_lost, breaks ? Is.Positive : Is.Zero, "changes whose fate nobody can know");
    }

    // A blocking caller awaits nothing that is not over, so that it stays on its own thread.
    private async Task Call(int caller, WaitMode mode)
    {
        var random = new Random(caller);
        for (var step = 0; step < Steps; step++)
        {
            var (id, counter) = ((caller * Steps) + step, random.Next(Counters));
            switch (random.Next(6))
            {
                case 0:
                    await Try(id, -1, () => Run(mode, "INSERT INTO fate VALUES ($1, $2)", id, 1));
                    break;
                case 1:
                    await Try(id, -1, () => Run(mode, "INSERT INTO fate VALUES ($1, $2)", id, -1));
                    break;
                case 2:
                    await Try(-1, counter, () => Run(mode, "UPDATE fate_counter SET n = n + 1 WHERE id = $1", counter));
                    break;
                case 3:
                    await Try(id, -1, () => RunBatch(mode, id));
                    break;
                case 4:
                    await Try(id, -1, () => RunInTransaction(mode, id));
                    break;
                default:
                    await Try(-1, -1, () => Select(mode, id));
                    break;
            }
        }
    }

    private async Task Try(int id, int counter, Func<Task> change)
    {
        var fate = Fate.Done;
        try
        {
            await change();
        }
        catch (PostgresException e) when (e.SqlState == "23514")
        {
            fate = Fate.NotRun;
        }
        catch (PgException e)
        {
            fate = e.Message.Contains("has not run it", StringComparison.Ordinal) ? Fate.NotRun : Fate.Unknown;
            if (!_breaks)
                _wrong.Enqueue(e.ToString());
        }
        if (fate == Fate.Unknown)
            Interlocked.Increment(ref _lost);
        if (id >= 0)
            _fates[id] = fate;
        if (counter >= 0 && fate != Fate.NotRun)
            Interlocked.Increment(ref (fate == Fate.Done ? _sure : _unsure)[counter]);
    }

    private async Task Compare()
    {
        var there = new HashSet<int>();
        await using (var command = new PgCommand("SELECT id FROM fate", Connection))
        await using (var reader = await command.ExecuteReaderAsync())
        {
            while (await reader.ReadAsync())
                there.Add(reader.GetInt32(0));
        }
        foreach (var (id, fate) in _fates)
        {
            if (fate != Fate.Unknown && there.Contains(id) != (fate == Fate.Done))
                _wrong.Enqueue($"{id} is {fate}, and {(there.Contains(id) ? "it is there" : "it is not there")}");
        }
        for (var counter = 0; counter < Counters; counter++)
        {
            var count = await Scalar<int>($"SELECT n FROM fate_counter WHERE id = {counter}");
            if (count < _sure[counter] || count > _sure[counter] + _unsure[counter])
                _wrong.Enqueue($"counter {counter} is {count}, with {_sure[counter]} changes and {_unsure[counter]} of which nobody knows");
        }
    }

    private async Task Select(WaitMode mode, int id)
    {
        await using var command = _source.CreateCommand("SELECT $1::int");
        command.Parameters.Add(new PgParameter<int> { TypedValue = id });
        if (await mode.ExecuteScalar(command) is not int answer || answer != id)
            _wrong.Enqueue($"{id} got another caller's answer");
    }

    private async Task Run(WaitMode mode, string sql, params int[] values)
    {
        await using var command = _source.CreateCommand(sql);
        foreach (var value in values)
            command.Parameters.Add(new PgParameter<int> { TypedValue = value });
        if (await mode.ExecuteNonQuery(command) != 1)
            _wrong.Enqueue($"{sql} did not change one row");
    }

    private async Task RunBatch(WaitMode mode, int id)
    {
        await using var batch = _source.CreateBatch();
        foreach (var sql in new[] { "INSERT INTO fate VALUES ($1, 1) RETURNING id", "SELECT $1::int" })
        {
            var command = new PgBatchCommand(sql);
            command.Parameters.Add(new PgParameter<int> { TypedValue = id });
            batch.BatchCommands.Add(command);
        }
        if (await mode.Run(() => batch.ExecuteScalar(), () => batch.ExecuteScalarAsync()) is not int answer || answer != id)
            _wrong.Enqueue($"{id} got another batch's answer");
    }

    private async Task RunInTransaction(WaitMode mode, int id)
    {
        await using var connection = _source.CreateConnection();
        await mode.Open(connection);
        await using var transaction = await mode.Run(() => connection.BeginTransaction(), () => connection.BeginTransactionAsync().AsTask());
        await using var command = new PgCommand("INSERT INTO fate VALUES ($1, 1)", connection);
        command.Parameters.Add(new PgParameter<int> { TypedValue = id });
        await mode.ExecuteNonQuery(command);
        await mode.Commit(transaction);
    }

    private async Task Break(CancellationToken token)
    {
        while (!token.IsCancellationRequested)
        {
            await Task.Delay(60, CancellationToken.None);
            await Scalar<long>("""
                SELECT count(pg_terminate_backend(pid)) FROM
                (SELECT pid FROM pg_stat_activity WHERE application_name = 'fates' ORDER BY random() LIMIT 1) one
                """);
        }
    }
}
