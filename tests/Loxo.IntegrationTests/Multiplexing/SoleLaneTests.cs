namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>One lane for queries and one for changes, whose first command waits for a table that another session has locked.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class SoleLaneTests(WaitMode mode) : LaneTest(mode)
{
    // The server runs the first command of the lane; the others wait behind it.
    private const int Commands = 9;
    private static readonly int[] _givenUp = [3, 6];

    private readonly List<string> _tables = [];
    private PgDataSource _source = null!;
    private Kind _kind;

    public enum Kind
    {
        Query,
        Change,
        GroupedChange,
    }

    public enum Reason
    {
        Timeout,
        Token,
        Cancel,
    }

    // A text that was slow takes a session of its own for a while, so each case has texts of its own.
    private string Table => _tables[^1];

    private string Locked => _kind == Kind.Query ? $"SELECT $1::int FROM {Table}" : $"UPDATE {Table} SET n = n + 1 RETURNING $1::int";

    private string Free => _kind == Kind.Query ? $"SELECT $1::int /* {Table} */" : $"UPDATE {Table}_free SET n = n + 1 RETURNING $1::int";

    private PgLane Lane =>
        _source.GetLaneStatistics()!.Lanes.Single(lane => !lane.IsRetiring && lane.IsForQueries == (_kind == Kind.Query));

    private long OwnSessions => _source.GetLaneStatistics()!.OwnSessions.Values.Sum();

    private long Grouped => _source.GetLaneStatistics()!.GroupedCommands;

    [TearDown]
    public async Task Drop()
    {
        if (_source is not null)
            await _source.DisposeAsync();
        foreach (var table in _tables)
            await Execute($"DROP TABLE {table}, {table}_free");
        _tables.Clear();
    }

    [Test]
    public async Task A_command_that_is_given_up_costs_no_neighbour_its_answer([Values] Kind kind, [Values] Reason reason)
    {
        if (reason == Reason.Token && Mode == WaitMode.Blocking)
            Assert.Ignore("Blocking calls take no token.");
        await OpenLanes(kind);
        for (var tries = 1; !await TryGiveUp(reason); tries++)
        {
            Assert.That(tries, Is.LessThan(20));
            await UseOtherTexts();
        }
    }

    [Test]
    public async Task A_command_takes_a_session_of_its_own_while_the_only_lane_has_run_its_first_one_for_a_second(
        [Values(Kind.Query, Kind.Change)] Kind kind)
    {
        await OpenLanes(kind);
        var (process, withoutLane) = (Lane.ProcessId, OwnSessionsFor(PgOwnSessionReason.NoLane));
        Task<object?> first;
        await using (var other = await OpenAnother())
        {
            await using var transaction = await Lock(other);
            first = Call(() => Run(_source, Locked, 1));
            await Until(() => Lane.RunningFor >= TimeSpan.FromSeconds(1));

            var next = Call(() => Run(_source, Free, 2));
            await Until(() => next.IsCompleted || Lane.CommandsInFlight > 1);
            Assert.That((next.IsCompleted, first.IsCompleted), Is.EqualTo((true, false)), "The command waits in the lane.");
            Assert.That(await next, Is.EqualTo(2));
            Assert.That(OwnSessionsFor(PgOwnSessionReason.NoLane), Is.EqualTo(withoutLane + 1));
        }
        Assert.That(await first, Is.EqualTo(1));
        await AssertTakesCommands(process);
    }

    // False if the machine is too slow: the lane refuses some of the commands because its first one has run for a second, or the text does
    // not count as fast and shares no transaction.
    private async Task<bool> TryGiveUp(Reason reason)
    {
        var (process, ownSessions, grouped) = (Lane.ProcessId, OwnSessions, Grouped);
        using var cancelled = new CancellationTokenSource();
        PgCommand[] commands = [.. Enumerable.Range(0, Commands).Select(NewCommand)];
        PgCommand[] later = [.. Enumerable.Range(Commands, 3).Select(NewCommand)];
        if (reason == Reason.Timeout)
        {
            foreach (var i in _givenUp)
                commands[i].CommandTimeout = 1;
        }
        Task<object?>[] calls;
        Task<object?>[] laterCalls = [];
        bool areInLane;
        await using (var other = await OpenAnother())
        {
            await using var transaction = await Lock(other);
            calls = await Start(commands, i => _givenUp.Contains(i) ? cancelled.Token : CancellationToken.None);
            areInLane = OwnSessions == ownSessions;
            if (areInLane)
            {
                if (reason == Reason.Token)
                    await cancelled.CancelAsync();
                foreach (var i in _givenUp)
                    await AssertGivenUp(commands[i], calls[i], reason, cancelled.Token);
                Assert.That(Enumerable.Range(0, Commands).Where(i => calls[i].IsCompleted).ToArray(), Is.EqualTo(_givenUp));
                // Within the first second they come to the lane, while the answers that nobody wants are still to come.
                laterCalls = await Start(later, static _ => CancellationToken.None);
            }
        }
        if (!areInLane)
        {
            await Task.WhenAll(calls).ContinueWith(static _ => { }, TaskScheduler.Default);
            return false;
        }

        Task<object?>[] all = [.. calls, .. laterCalls];
        for (var i = 0; i < all.Length; i++)
        {
            if (!_givenUp.Contains(i))
                Assert.That(await all[i].WaitAsync(TimeSpan.FromMinutes(1)), Is.EqualTo(i), "The answer is another command's.");
        }
        await AssertTakesCommands(process);
        // The second group is that of the later commands, unless they have sessions of their own.
        return _kind == Kind.Change || Mode == WaitMode.Blocking || Grouped - grouped >= Commands - 1;
    }

    private static async Task AssertGivenUp(PgCommand command, Task<object?> call, Reason reason, CancellationToken token)
    {
        if (reason == Reason.Timeout)
        {
            var late = await Catch<PgException>(() => call);
            Assert.That(late.Code, Is.EqualTo(PgErrorCode.Timeout));
            Assert.That(late.Message, Does.Contain("the server was not asked to stop it"));
            return;
        }
        if (reason == Reason.Cancel)
            command.Cancel();
        var error = await Catch<OperationCanceledException>(() => call);
        if (reason == Reason.Token)
            Assert.That(error.CancellationToken, Is.EqualTo(token));
    }

    private async Task AssertTakesCommands(int process)
    {
        var commands = Lane.Commands;
        Assert.That(await Run(_source, Free, 100), Is.EqualTo(100));
        Assert.That((Lane.ProcessId, Lane.Commands), Is.EqualTo((process, commands + 1)), "The lane takes commands again.");
    }

    private PgCommand NewCommand(int id)
    {
        var command = _source.CreateCommand(Locked);
        command.CommandTimeout = 0;
        command.Parameters.Add(new PgParameter { Value = id });
        return command;
    }

    // Under the gate the lane cannot send, so all commands but the first, which is sent at once, share a transaction.
    private async Task<Task<object?>[]> Start(PgCommand[] commands, Func<int, CancellationToken> token)
    {
        if (Mode == WaitMode.Async)
        {
            lock (_source.Lanes!.All.Single(lane => lane.Reads == (_kind == Kind.Query)).Session.Wire.Gate)
                return [.. commands.Select((command, i) => Mode.ExecuteScalar(command, token(i)))];
        }
        var calls = new List<Task<object?>>();
        var before = Lane.CommandsInFlight + OwnSessions;
        foreach (var command in commands)
        {
            calls.Add(Call(() => Mode.ExecuteScalar(command)));
            while (Lane.CommandsInFlight + OwnSessions - before < calls.Count)
                await Task.Delay(1);
        }
        return [.. calls];
    }

    private async Task<PgTransaction> Lock(PgConnection connection)
    {
        var transaction = await Mode.Run(connection.BeginTransaction, () => connection.BeginTransactionAsync().AsTask());
        await using var command = new PgCommand($"LOCK TABLE {Table} IN ACCESS EXCLUSIVE MODE", connection);
        await Mode.ExecuteNonQuery(command);
        return transaction;
    }

    private async Task OpenLanes(Kind kind)
    {
        _kind = kind;
        _source = new PgDataSourceBuilder(Source.ConnectionString)
            .UseLanes(lanes => (lanes.Minimum, lanes.Maximum, lanes.GroupChanges) = (1, 2, kind == Kind.GroupedChange)).Build();
        await UseOtherTexts();
        for (var end = DateTime.UtcNow.AddMinutes(1); !_source.GetLaneStatistics()!.Lanes.Any(lane => lane.IsForQueries == (kind == Kind.Query));)
        {
            Assert.That(DateTime.UtcNow, Is.LessThan(end), "No lane has been opened.");
            await Run(_source, Free, 0);
            await Task.Delay(10);
        }
        await UseOtherTexts();
    }

    // The first run of a text takes a session of its own. After three fast runs a text may share a transaction; after two slow ones it uses
    // no lane for a minute.
    private async Task UseOtherTexts()
    {
        long slow;
        do
        {
            slow = OwnSessionsFor(PgOwnSessionReason.Slow);
            _tables.Add("sole_" + Guid.NewGuid().ToString("N")[..12]);
            await Execute($"CREATE TABLE {Table} AS SELECT 0 AS n; CREATE TABLE {Table}_free AS SELECT 0 AS n");
            for (var i = 0; i < 8; i++)
            {
                await Run(_source, Locked, i);
                await Run(_source, Free, i);
            }
        }
        while (OwnSessionsFor(PgOwnSessionReason.Slow) != slow);
    }

    private long OwnSessionsFor(PgOwnSessionReason reason) => _source.GetLaneStatistics()!.OwnSessions.GetValueOrDefault(reason);
}
