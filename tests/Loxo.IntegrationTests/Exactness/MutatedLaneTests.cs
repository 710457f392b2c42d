using Loxo.Commands;
using Loxo.Pool;
using Loxo.Pooling;
using Loxo.Session;
using Loxo.Transport;

namespace Loxo.IntegrationTests.Exactness;

/// <summary>
/// As <see cref="MutatedStreamTests"/> for a lane, whose callers share a session: each of them gets the data that was recorded for him, or a
/// <see cref="PgException"/> and a lane that takes no more commands. The next command gets its own data, by a session that was opened for it.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class MutatedLaneTests(WaitMode mode)
{
    // The test that may not take long tries every so many changes. There are 43 of most messages.
    private const int Step = 29;

    private string _database = "";

    // A caller that blocks shares its transaction with nobody.
    private IEnumerable<RecordedLane> Sessions => RecordedLane.All.Where(session => mode == WaitMode.Async || !session.IsGrouped);

    private string ConnectionString => new PgConnectionStringBuilder(TestServer.Default.ConnectionString)
    {
        Database = _database,
        SslMode = SslMode.Disable,
        SessionReset = SessionReset.Auto,
        CommandTimeout = 20,
    }.ConnectionString;

    [OneTimeSetUp]
    public async Task CreateDatabase()
    {
        _database = $"mutated_lane_{Environment.ProcessId}_{mode}".ToLowerInvariant();
        await Aside(TestServer.Default.ConnectionString, $"CREATE DATABASE {_database}");
        await Aside(ConnectionString, RecordedSession.Schema);
    }

    [OneTimeTearDown]
    public Task DropDatabase() => Aside(TestServer.Default.ConnectionString, $"DROP DATABASE {_database} WITH (FORCE)");

    [Test]
    public Task A_broken_stream_never_becomes_wrong_data() => BreakAll(Step);

    [Test, Category("Long")]
    public Task No_broken_stream_becomes_wrong_data() => BreakAll(1);

    private async Task BreakAll(int step)
    {
        var failures = new List<string>();
        var runs = 0;
        foreach (var session in Sessions)
        {
            var recorded = await Record(session);
            Assert.That(await Failure(session, recorded, null), Is.Null, $"{session}, played as it was recorded");
            foreach (var mutation in Mutation.All(recorded.Messages, recorded.Ends[0], recorded.Ends[^1]).Where((_, i) => i % step == 0))
            {
                runs++;
                if (ExcuseOf(session, recorded.Messages, mutation) is null && await Failure(session, recorded, mutation) is { } failure)
                    failures.Add($"{session}: {MutatedStreamTests.Show(recorded.Messages, mutation)}: {failure}");
            }
        }
        ProofTest.AssertNone(failures, runs);
    }

    // The reason why no client can notice it; null if the change must be noticed or do no harm.
    private static string? ExcuseOf(RecordedLane session, List<ServerMessage> messages, Mutation mutation) => mutation switch
    {
        { Kind: Mutation.Change.SwapWithNext } when messages[mutation.At].Type == 'D' && messages[mutation.At + 1].Type == 'D' =>
            "Two rows of one result in the other order are a result like any other.",
        { Kind: Mutation.Change.Replace, Sample: 'C' } when messages[mutation.At].Type == 'E' => "A tag in place of an error says that the statement has succeeded.",
        { Sample: 'C' } when session.IsOfReads && messages[mutation.At].Type == 'D'
            && messages.Count(other => other.After == messages[mutation.At].After && (other.Type is 'C' or 'E')) > 1 =>
            "Where no ReadyForQuery follows, a result ends with the first tag that counts its rows.",
        _ => null,
    };

    private async Task<Recorded> Record(RecordedLane session)
    {
        var dialer = new RecordingDialer(new SocketDialer(TimeProvider.System));
        await using var source = Source(dialer, session);
        var (lane, rental) = await Begin(source, session);
        var messages = dialer.Connections[0];
        List<int> ends = [messages.Count];
        var opened = messages[^1].After;
        var results = new List<string[]>();
        var before = source.GetLaneStatistics()!;
        foreach (var round in session.Rounds)
        {
            results.Add([.. (await Run(source, session, lane, round, null)).Select(static result => result.Text)]);
            ends.Add(messages.Count);
        }
        var after = source.GetLaneStatistics()!;
        Assert.That(after.Commands - before.Commands, Is.EqualTo(session.Rounds.Sum(static round => round.Length)), "each of them ran in the lane");
        Assert.That(after.OwnSessions, Is.EqualTo(before.OwnSessions));
        Assert.That(after.Groups - before.Groups, session.IsGrouped ? Is.Positive : Is.Zero);
        Assert.That(source.Lanes!.All, Is.EqualTo([lane]));
        Assert.That(await Result(source, session.Canary), Is.EqualTo((session.CanaryResult, (Exception?)null)));
        Assert.That(source.GetLaneStatistics()!.Commands - after.Commands, Is.EqualTo(1), "so did the canary");
        Assert.That(dialer.Connections, Has.Count.EqualTo(2));
        source.Pool!.Return(rental);
        return new([.. results], [.. messages], [.. ends], opened, [.. dialer.Connections[1]]);
    }

    // Null if all is well.
    private async Task<string?> Failure(RecordedLane session, Recorded recorded, Mutation? mutation)
    {
        var messages = mutation?.Apply(recorded.Messages) ?? recorded.Messages;
        // A command whose group fails is sent again, and what was recorded behind the group answers something else.
        if (mutation?.Sample == 'E')
        {
            var shown = recorded.Messages[recorded.Ends.First(end => end > mutation.At) - 1].After;
            messages = [.. messages.Where(message => message.After <= shown)];
        }
        List<ServerMessage> fresh = [.. recorded.Messages.Where(message => message.After <= recorded.Opened),
            .. recorded.Messages[recorded.Ends[^1]..].Select(message => message with { After = recorded.Opened + 1 })];
        var dialer = new LaneReplayDialer(messages, fresh, recorded.Own);
        await using var source = Source(dialer, session);
        var (lane, rental) = await Begin(source, session);
        try
        {
            var channel = dialer.Lanes[0];
            channel.EndWhere(() => IsStuck(lane, session));
            return await Use(source, session, recorded, mutation, lane, dialer);
        }
        finally
        {
            source.Pool!.Discard(rental);
        }
    }

    private async Task<string?> Use(
        PgDataSource source, RecordedLane session, Recorded recorded, Mutation? mutation, Lane lane, LaneReplayDialer dialer)
    {
        var channel = dialer.Lanes[0];
        var isBroken = false;
        dialer.Refuses = true;
        for (var round = 0; round < session.Rounds.Length; round++)
        {
            // What comes while nothing is due breaks the lane as well.
            if (!isBroken)
                isBroken = HasBrokenIdle(lane, channel);
            if (isBroken)
                break;
            var results = await Run(source, session, lane, session.Rounds[round], channel);
            for (var i = 0; i < results.Length; i++)
            {
                var (text, error) = results[i];
                if (text == recorded.Results[round][i])
                    continue;
                if (error is null || mutation is null)
                    return $"call {i} of round {round} read {text} for {recorded.Results[round][i]}";
                if (!IsOfBrokenSession(error))
                    return $"call {i} of round {round} got {error.GetType().Name}: {error.Message}";
                // An error is one more answer where the server could have sent it.
                if (ProofTest.First(error) is PostgresException { SqlState: "XX111" } && mutation.Sample == 'E')
                    return null;
                isBroken = true;
            }
        }
        dialer.Refuses = false;
        if (!isBroken && !HasBrokenIdle(lane, channel))
        {
            if (mutation?.Sample == 'E')
                return null;
            // An error behind the last answer is met by the next command.
            var (text, error) = await Result(source, session.Canary);
            return text == session.CanaryResult || (mutation is not null && IsOfBrokenSession(error)) ? null : $"the next command read {text}";
        }
        if (!lane.IsRetired)
            return "the broken lane takes commands";
        var sends = channel.Sends;
        if (OpenLane(source, session) is not { } next)
            return "no other lane was opened";
        var (canary, _) = await Result(source, session.Canary);
        return canary != session.CanaryResult ? $"the next command read {canary}"
            : dialer.Lanes.Count != 2 || next.Counts.Commands != 1 ? "the next command did not run in another lane"
            : channel.Sends != sends || !channel.IsShut ? "the broken session was used again"
            : null;
    }

    // The lane's thread has read all that has come, and waits for more.
    private static bool HasBrokenIdle(Lane lane, LaneChannel channel)
    {
        SpinWait.SpinUntil(() => lane.IsRetired || channel.IsAwaited, 5000);
        return lane.IsRetired || !channel.IsAwaited;
    }

    // Commands that want a lane have one opened, once the broken one has left the list, and the thread that opened the former one has ended.
    private static Lane? OpenLane(PgDataSource source, RecordedLane session)
    {
        var lanes = source.Lanes!;
        if (!SpinWait.SpinUntil(() => lanes.Count == 0, 5000))
            return null;
        return SpinWait.SpinUntil(() => lanes.Choose(session.IsOfReads) is not null || lanes.Count > 0, 5000) ? lanes.All.Single() : null;
    }

    // Each text with rows has run once, as it must before it runs in a lane; the session where it has is kept from the lanes.
    private async Task<(Lane Lane, Rental<PooledSession> Own)> Begin(PgDataSource source, RecordedLane session)
    {
        // The rest does not run on a thread of a lane.
        await Task.Yield();
        var lane = OpenLane(source, session)!;
        foreach (var call in session.Rounds.SelectMany(static round => round).Append(session.Canary)
            .Where(static call => !call.IsNonQuery).DistinctBy(static call => call.Sql))
            Assert.That((await Result(source, call with { Value = 1 })).Error, Is.Null);
        Assert.That(lane.Counts.Commands, Is.EqualTo(0));
        return (lane, source.Pool!.Rent());
    }

    private async Task<(string Text, Exception? Error)[]> Run(
        PgDataSource source, RecordedLane session, Lane lane, RecordedLane.Call[] calls, LaneChannel? channel)
    {
        await Task.Yield();
        var results = new Task<(string, Exception?)>[calls.Length];
        if (mode == WaitMode.Async)
        {
            // While the gate is held, nothing is answered, and nobody ends the group of those behind the first one.
            using (lane.Session.Wire.Gate.EnterScope())
            {
                for (var i = 0; i < calls.Length; i++)
                    results[i] = Result(source, calls[i], isFast: session.IsGrouped ? lane : null);
            }
        }
        else
        {
            channel?.IsHeld = calls.Length > 1;
            for (var i = 0; i < calls.Length; i++)
            {
                var call = calls[i];
                var sent = lane.Session.Wire.SentPosition;
                results[i] = Task.Factory.StartNew(() => Result(source, call), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();
                while (!lane.IsRetired && !results[i].IsCompleted && lane.Session.Wire.SentPosition == sent)
                    Thread.Sleep(0);
            }
            channel?.IsHeld = false;
        }
        return await Task.WhenAll(results);
    }

    // All that was sent has been answered as far as anything was recorded, and yet a caller waits.
    private static bool IsStuck(Lane lane, RecordedLane session)
    {
        lock (lane.Session.Wire.Gate)
        {
            return lane.Depth > 0 && lane.Session.Output.PendingLength == 0 && lane.Session.Groups.IsEmpty
                && lane.Session.Wire.Flights.Exchanges.Any(exchange => exchange is CommandExchange || session.GroupsChanges);
        }
    }

    private async Task<(string Text, Exception? Error)> Result(PgDataSource source, RecordedLane.Call call, Lane? isFast = null)
    {
        try
        {
            await using var command = source.CreateCommand(call.Sql);
            command.Parameters.Add(new PgParameter<int> { TypedValue = call.Value });
            // By itself it would be known as fast after three runs that each took less than 8 ms.
            if (isFast is not null)
                ((IExecutable)command).Plan(isFast.Session)[0].Source.FastRuns = 3;
            var executor = new Executor(mode);
            return (call.IsNonQuery ? $"{await executor.Run(command, Call.NonQuery)} rows" : await executor.ReadAll(command), null);
        }
        catch (Exception error)
        {
            return ($"error {(ProofTest.First(error) is PostgresException own ? own.SqlState : error.Message)}", error);
        }
    }

    // Nobody waits until his time is over.
    private static bool IsOfBrokenSession(Exception? error) => error is PgException { InnerException: not TimeoutException };

    private PgDataSource Source(Dialer dialer, RecordedLane session)
    {
        var settings = new PgDataSourceBuilder(ConnectionString + ";Multiplexing=true").Build().Settings;
        var lanes = new PgLaneOptions { Minimum = 1, Maximum = session.GroupsReads ? 2 : 1, GroupQueries = session.GroupsReads, GroupChanges = session.GroupsChanges };
        var source = new PgDataSource(settings, dialer: dialer, lanes: lanes);
        MutatedStreamTests.AnswerAudit(source, _database);
        return source;
    }

    private static async Task Aside(string connectionString, string sql)
    {
        await using var connection = new PgConnection(connectionString + ";Pooling=false");
        await connection.OpenAsync();
        await using var command = new PgCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }

    /// <summary>What was recorded.</summary>
    /// <param name="Results">Of each call, round by round.</param>
    /// <param name="Messages">Of the lane.</param>
    /// <param name="Ends">How many messages had come when the lane was open, and behind each round.</param>
    /// <param name="Opened">How many requests opened the lane.</param>
    /// <param name="Own">The messages of the session that ran each text once.</param>
    private sealed record Recorded(string[][] Results, List<ServerMessage> Messages, int[] Ends, int Opened, List<ServerMessage> Own);
}
