using System.Collections.Concurrent;
using System.Data;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>
/// Many callers, each of which checks that every answer is its own, while commands fail, are given up, and lanes break. One command in ten
/// inserts a row, and the table shows in the end whether each has run as often as its caller was told.
/// </summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class LaneStressTests(WaitMode mode) : LaneTest(mode)
{
    private const int Callers = 256;

    private readonly ConcurrentDictionary<string, int> _errors = new();
    // By the id of the command: true if it has run, false if it has not, null if nobody can know.
    private readonly ConcurrentDictionary<int, bool?> _changes = new();
    private PgDataSource _source = null!;
    private long _begun;
    private long _answers;
    private long _givenUp;
    private long _lost;
    private long _killed;

    [Test]
    public Task Every_answer_is_its_callers_own() => Run(Mode == WaitMode.Async ? 130_000 : 60_000, breaks: false, groupsChanges: false);

    [Test]
    public Task Every_answer_is_its_callers_own_while_lanes_break([Values] bool groupsChanges) =>
        Run(Mode == WaitMode.Async ? 45_000 : 20_000, breaks: true, groupsChanges);

    [Test, Category("Long"), Category("OneServer")]
    public async Task Ten_million_answers_are_their_callers_own()
    {
        const int Statements = 5_000_000;
        using var run = LongRun.Begin("lanes", cases: 2);
        try
        {
            await Run(Statements, breaks: true, groupsChanges: false, () => run.GoesOn);
        }
        finally
        {
            run.Report(_begun, Statements, "statements");
        }
    }

    private async Task Run(int statements, bool breaks, bool groupsChanges, Func<bool>? goesOn = null)
    {
        (_begun, _answers, _givenUp, _lost, _killed) = (0, 0, 0, 0, 0);
        _errors.Clear();
        _changes.Clear();
        await Execute("CREATE TABLE lane_changes (id int CHECK (id >= 0))");
        _source = new PgDataSourceBuilder(Source.ConnectionString).UseLanes(lanes => lanes.GroupChanges = groupsChanges).Build();
        await AwaitLane(_source);
        await Run(_source, "SELECT $1::int, repeat('x', $2::int) FROM pg_sleep($3)", 1, 1, 0.0);
        await Run(_source, "SELECT 1 / ($1::int - $1::int)", 1).ContinueWith(static _ => { }, TaskScheduler.Default);
        using var ended = new CancellationTokenSource();
        var killer = breaks ? Task.Run(() => BreakLanes(ended.Token)) : Task.CompletedTask;
        var running = Enumerable.Range(0, Callers).Select(caller => Call(() => Loop(caller, statements / Callers, breaks, goesOn))).ToList();
        foreach (var caller in running)
            await caller;
        await ended.CancelAsync();
        await killer;
        // The lane that was ended last has been noticed.
        await Task.Delay(200, CancellationToken.None);
        var errors = string.Join("\n", _errors.OrderByDescending(error => error.Value).Take(5).Select(error => $"{error.Value} times {error.Key}"));
        Assert.That(_answers + _givenUp + _lost, Is.EqualTo(_begun));
        // Of a hundred three are given up early, and blocking callers give up none.
        Assert.That(_givenUp, Mode == WaitMode.Async ? Is.LessThan(_begun / 20) : Is.Zero);
        Assert.That(_answers, breaks ? Is.GreaterThan(_begun / 3) : Is.EqualTo(_begun - _givenUp), errors);
        Assert.That(_lost, breaks ? Is.GreaterThan(0) : Is.Zero, $"{_killed} sessions were ended\n{errors}");
        Assert.That(await Run(_source, "SELECT 1"), Is.EqualTo(1));
        // Few callers that block may leave none behind one that sleeps.
        if (Mode == WaitMode.Async)
            Assert.That(_source.GetLaneStatistics()!.Moved, Is.Positive);
        await CompareChanges(mayShare: groupsChanges);
    }

    [TearDown]
    public async Task CleanUp()
    {
        if (_source is not null)
            await _source.DisposeAsync();
        await Execute("DROP TABLE IF EXISTS lane_changes");
    }

    private async Task CompareChanges(bool mayShare)
    {
        var there = new HashSet<int>();
        await using (var command = Command("SELECT id FROM lane_changes"))
        await using (var reader = await Mode.ExecuteReader(command))
        {
            while (await Mode.Read(reader))
                Assert.That(there.Add(reader.GetInt32(0)), Is.True, "a change has run twice");
        }
        Assert.That(_changes, Has.Count.GreaterThan(_begun / 20));
        Assert.That(_changes.Where(change => change.Value is { } hasRun && hasRun != there.Contains(change.Key)), Is.Empty);
        Assert.That(there.Except(_changes.Keys), Is.Empty);
        // Blocking callers send by themselves.
        var transactions = await Scalar<long>("SELECT count(DISTINCT xmin::text) FROM lane_changes");
        Assert.That(transactions, mayShare && Mode == WaitMode.Async ? Is.LessThan(there.Count) : Is.EqualTo(there.Count));
    }

    private async Task<bool> Loop(int caller, int count, bool breaks, Func<bool>? goesOn)
    {
        var random = new Random(caller);
        await using var connection = _source.CreateConnection();
        await Mode.Open(connection);
        for (var i = 0; i < count && goesOn?.Invoke() != false; i++)
        {
            Interlocked.Increment(ref _begun);
            var id = (caller * 1_000_000) + i;
            try
            {
                await One(connection, random, id);
                Interlocked.Increment(ref _answers);
            }
            catch (OperationCanceledException)
            {
                Interlocked.Increment(ref _givenUp);
            }
            catch (PgException e) when (breaks && e is not PostgresException { SqlState: "22012" })
            {
                Interlocked.Increment(ref _lost);
                _errors.AddOrUpdate($"{e.Code}: {e.Message}", 1, static (_, count) => count + 1);
                // The session that was ended may have been one of this caller's own, which it has behind a large result.
                if (connection.State != ConnectionState.Open)
                {
                    await Mode.Close(connection);
                    await Mode.Open(connection);
                }
            }
        }
        return true;
    }

    private async Task One(PgConnection connection, Random random, int id)
    {
        var kind = random.Next(100);
        if (kind < 3)
        {
            await using var failing = new PgCommand("SELECT 1 / ($1::int - $1::int)", connection);
            failing.Parameters.Add(new PgParameter { Value = id });
            var error = await Catch<PgException>(() => Mode.ExecuteScalar(failing));
            if (error is not PostgresException { SqlState: "22012" })
                throw error;
            return;
        }
        if (kind is >= 6 and < 16)
        {
            await Change(connection, random, id);
            return;
        }
        using var cancelled = kind < 6 && Mode == WaitMode.Async ? new CancellationTokenSource(random.Next(3)) : null;
        var isLarge = kind == 99 && random.Next(3) == 0;
        var length = kind < 90 ? random.Next(50) : isLarge ? 400_000 : random.Next(20_000);
        // A text that has had a large result once does not run in a lane again soon.
        var text = isLarge ? $"SELECT $1::int, repeat('x', $2::int), {random.Next(100)} FROM pg_sleep($3)"
            : "SELECT $1::int, repeat('x', $2::int) FROM pg_sleep($3)";
        await using var command = new PgCommand(text, connection);
        command.Parameters.Add(new PgParameter { Value = id });
        command.Parameters.Add(new PgParameter { Value = length });
        // Those behind it run in another lane.
        command.Parameters.Add(new PgParameter<double>(random.Next(1000) == 0 ? 0.04 : 0));
        var reader = await Mode.ExecuteReader(command, token: cancelled?.Token ?? default);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(id), "another caller's answer");
        Assert.That(reader.GetString(1), Has.Length.EqualTo(length));
        Assert.That(await Mode.Read(reader), Is.False);
        await Mode.Close(reader);
    }

    private async Task Change(PgConnection connection, Random random, int id)
    {
        const string Insert = "INSERT INTO lane_changes VALUES ($1) RETURNING id";
        using var cancelled = Mode == WaitMode.Async && random.Next(20) == 0 ? new CancellationTokenSource(random.Next(3)) : null;
        var token = cancelled?.Token ?? default;
        if (random.Next(200) == 0)
        {
            await InsertInvalid();
            return;
        }
        try
        {
            var answer = random.Next(10) switch
            {
                < 7 => await Alone(),
                < 9 => await InBatch(),
                _ => await InTransaction(),
            };
            _changes[id] = true;
            Assert.That(answer, Is.EqualTo(id), "another caller's change");
        }
        catch (Exception e) when (e is PgException or OperationCanceledException)
        {
            _changes[id] = e.Message.Contains("has not run it", StringComparison.Ordinal) ? false : null;
            throw;
        }

        // The error rolls back its whole group, and the server runs the other changes again.
        async Task InsertInvalid()
        {
            await using var command = new PgCommand(Insert, connection);
            command.Parameters.Add(new PgParameter<int> { TypedValue = -1 - id });
            var error = await Catch<PgException>(() => Mode.ExecuteScalar(command));
            if (error is not PostgresException { SqlState: PostgresErrorCodes.CheckViolation })
                throw error;
        }

        async Task<object?> Alone()
        {
            await using var command = new PgCommand(Insert, connection);
            command.Parameters.Add(new PgParameter<int> { TypedValue = id });
            return await Mode.ExecuteScalar(command, token);
        }

        async Task<object?> InBatch()
        {
            await using var batch = new PgBatch(connection);
            foreach (var sql in new[] { Insert, "SELECT $1::int" })
            {
                var command = new PgBatchCommand(sql);
                command.Parameters.Add(new PgParameter<int> { TypedValue = id });
                batch.BatchCommands.Add(command);
            }
            return await Mode.Run(() => batch.ExecuteScalar(), () => batch.ExecuteScalarAsync(token));
        }

        async Task<object?> InTransaction()
        {
            await using var transaction = await Mode.Run(
                () => connection.BeginTransaction(), () => connection.BeginTransactionAsync(CancellationToken.None).AsTask());
            var answer = await Alone();
            await Mode.Commit(transaction);
            return answer;
        }
    }

    private async Task BreakLanes(CancellationToken token)
    {
        while (!token.IsCancellationRequested)
        {
            await Task.Delay(50, CancellationToken.None);
            try
            {
                _killed += await Scalar<long>(
                    """
                    SELECT count(pg_terminate_backend(pid)) FROM (
                        SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
                            AND application_name = 'lanes' AND query ~ '^SELECT .1::int, repeat|^INSERT INTO lane_changes'
                        ORDER BY random() LIMIT 1) AS one
                    """);
            }
            catch (PgException)
            {
                // It was itself among those.
            }
        }
    }
}
