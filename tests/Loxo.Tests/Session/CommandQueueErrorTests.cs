using Loxo.Protocol;
using Loxo.Session;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class CommandQueueErrorTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task A_command_that_fails_fails_alone_if_each_ends_with_a_Sync([Values(5, 100)] int count, [Values] bool collects)
    {
        Play(server =>
        {
            server.Login();
            for (var i = 0; i < count; i++)
                server.ExpectCommand();
            for (var i = 0; i < count; i++)
                server.Write(i == 2 ? new Answer().ErrorResponse("42601").ReadyForQuery().Bytes : Answer.Select(i).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode, collects: collects);
        var reading = Enumerable.Range(0, count).Select(i => commands.Add($"SELECT {i}")).ToList().ConvertAll(exchange => commands.Read(exchange));
        for (var i = 0; i < count; i++)
        {
            if (i == 2)
                Assert.That((await Catch<PostgresException>(() => reading[2])).SqlState, Is.EqualTo("42601"));
            else
                Assert.That(await reading[i], Is.EqualTo([i]));
        }
        await commands.End();
        await AssertUsable();
    }

    [Test]
    public async Task A_command_that_fails_skips_the_rest_of_its_group(
        [Values(4, 100)] int count, [Values] bool syncIsItsOwn, [Values] bool collects)
    {
        Play(server =>
        {
            server.Login();
            for (var i = 0; i < count; i++)
                server.ExpectStatement();
            server.Expect<Sync>();
            server.ExpectCommand();
            server.Write(new Answer().Result(0).ErrorResponse("42601").ReadyForQuery().Raw(Answer.Select(9)).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode, collects: collects);
        var group = Enumerable.Range(0, count).Select(i => commands.Add($"SELECT {i}", endsGroup: i == count - 1 && !syncIsItsOwn)).ToList();
        var sync = syncIsItsOwn ? commands.Queue.AddSync() : null;
        var next = commands.Add("SELECT 9");
        var reading = group.ConvertAll(exchange => commands.Read(exchange));
        Assert.That(await commands.Read(next), Is.EqualTo([9]));
        Assert.That(await reading[0], Is.EqualTo([0]));
        Assert.That((await Catch<PostgresException>(() => reading[1])).SqlState, Is.EqualTo("42601"));
        foreach (var skipped in reading[2..])
            Assert.That(await skipped, Is.Empty);
        Assert.That(group.Select(exchange => exchange.Query.SkippedAfter is not null), Is.EqualTo(Enumerable.Range(0, count).Select(i => i > 1)));
        Assert.That(sync?.Error, Is.Null);
        await commands.End();
        await AssertUsable();
    }

    [Test]
    public async Task A_commit_that_fails_at_the_end_of_a_group_is_the_error_of_its_Sync()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectStatement();
            server.Expect<Sync>();
            server.Write(new Answer().Command("INSERT 0 1").ErrorResponse("23505").ReadyForQuery().Bytes);
            server.AnswerCommand();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode);
        var insert = commands.Add("INSERT", endsGroup: false);
        var sync = commands.Queue.AddSync();
        Assert.That(await commands.Read(insert), Is.Empty);
        await commands.End();
        Assert.That(sync.Error!.SqlState, Is.EqualTo("23505"));
        await AssertUsable();
    }

    [Test]
    public async Task An_answer_out_of_place_tells_each_command_that_is_due_that_it_may_have_run([Values] bool collects)
    {
        Play(server =>
        {
            server.Login();
            for (var i = 0; i < 3; i++)
                server.ExpectCommand();
            // In one piece: it has arrived when the second command asks for its result.
            server.Write(new Answer().Raw(Answer.Select(0)).ReadyForQuery().Bytes);
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode, collects: collects);
        var queued = Enumerable.Range(0, 3).Select(i => commands.Add($"SELECT {i}")).ToList();
        Assert.That(await commands.Read(queued[0]), Is.EqualTo([0]));
        for (var i = 1; i < 3; i++)
        {
            var error = await Catch<PgException>(() => commands.Read(queued[i]));
            Assert.That(error.Message, Does.Contain("ReadyForQuery").And.Contain("It is not known whether the server has run this command."));
        }
    }

    [Test]
    public async Task A_command_among_others_is_cancelled_without_asking_the_server_to_stop([Values(4, 100)] int count, [Values] bool collects)
    {
        using var source = new CancellationTokenSource();
        Play(server =>
        {
            server.Login();
            for (var i = 0; i < count; i++)
                server.ExpectCommand();
            server.Write(Answer.Select(0).Bytes);
            server.Write(Answer.Select(1).Bytes);
            server.Channel.AwaitClientWaiting();
            source.Cancel();
            server.Write(Answer.Select(2, 2, 2).Bytes);
            for (var i = 3; i < count; i++)
                server.Write(Answer.Select(i).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode, collects: collects);
        var queued = Enumerable.Range(0, count).Select(i => commands.Add($"SELECT {i}")).ToList();
        var reading = queued.ConvertAll(exchange => commands.Read(exchange, exchange == queued[2] ? source.Token : default));
        var error = await Catch<OperationCanceledException>(() => reading[2]);
        Assert.That(error.Message, Does.Contain("the server was not asked to stop it"));
        foreach (var i in Enumerable.Range(0, count).Where(i => i != 2))
            Assert.That(await reading[i], Is.EqualTo([i]));
        await commands.End();
        await AssertUsable();
        Assert.That(Server.Connections, Is.EqualTo(1), "no cancel request");
    }

    [Test]
    public async Task The_server_is_asked_to_stop_when_nobody_waits_for_any_command_on_the_way([Values] bool collects)
    {
        using var source = new CancellationTokenSource();
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.ExpectCommand();
            server.Channel.AwaitClientWaiting();
            source.Cancel();
            server.ExpectCancel().End();
            server.Write(new Answer().ErrorResponse("57014").ReadyForQuery().Bytes);
            server.Write(Answer.Select(2).Bytes);
            // The Sync that ends the queue, and the one that settles the cancel request.
            server.Expect<Sync>();
            server.Write(new Answer().ReadyForQuery().Bytes);
            server.Expect<Sync>();
            server.Write(new Answer().ReadyForQuery().Bytes);
            server.AnswerCommand();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode, collects: collects);
        var queued = Enumerable.Range(0, 2).Select(i => commands.Add($"SELECT {i}")).ToList();
        var reading = queued.ConvertAll(exchange => commands.Read(exchange, source.Token));
        var errors = new[] { await Catch<OperationCanceledException>(() => reading[0]), await Catch<OperationCanceledException>(() => reading[1]) };
        // One of them has given up first, while the other one still waited.
        Assert.That(errors.Select(static error => error.Message), Has.Some.Contains("The server was asked to stop it"));
        await commands.End();
        await AssertUsable();
    }

    [Test]
    public async Task A_statement_that_the_first_command_could_not_parse_fails_with_the_same_error_behind_it([Values] bool collects)
    {
        Play(server =>
        {
            server.Login();
            var flights = new Flights(server);
            flights.Expect("Pa Ba D E S", new Answer());
            flights.Expect("Ba D E S", new Answer());
            server.Write(new Answer().ErrorResponse("42703", "no such column").ReadyForQuery().Bytes);
            server.Write(new Answer().ErrorResponse("26000").ReadyForQuery().Bytes);
            server.AnswerCommand();
        });
        await Open("Max Auto Prepare=256;");
        var commands = QueuedCommands.On(Connection, Mode, collects: collects);
        var reading = Enumerable.Range(0, 2).Select(_ => commands.AddPrepared("SELECT x")).ToList().ConvertAll(exchange => commands.Read(exchange));
        foreach (var each in reading)
            Assert.That((await Catch<PostgresException>(() => each)).SqlState, Is.EqualTo("42703"));
        await commands.End();
        await AssertUsable();
    }

    [Test]
    public async Task A_connection_that_is_cut_tells_each_command_whether_it_may_have_run([Values(20, 100)] int count, [Values] bool collects)
    {
        var sent = 0;
        var stuck = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var isLateAdded = new ManualResetEventSlim();
        Play(server =>
        {
            server.Channel.Window = 100;
            server.Login();
            for (; sent < 5; sent++)
                server.ExpectCommand();
            server.Write(Answer.Select(0).Bytes);
            server.Channel.AwaitClientWaiting();
            server.Channel.AwaitClientSending();
            stuck.SetResult();
            isLateAdded.Wait(TimeSpan.FromMinutes(2));
            server.Reset();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode, collects: collects);
        var queued = Enumerable.Range(0, count).Select(i => commands.Add($"SELECT {i}")).ToList();
        var reading = queued.ConvertAll(exchange => commands.Read(exchange));
        Assert.That(await reading[0], Is.EqualTo([0]));
        // Awaited: the thread that goes on here may be the one that sends.
        await stuck.Task.WaitAsync(TimeSpan.FromMinutes(2));
        // Those before may be in the hands of the operating system.
        reading.Add(commands.Read(commands.Add("SELECT 'late'")));
        isLateAdded.Set();
        var errors = new List<PgException>();
        foreach (var each in reading[1..])
            errors.Add(await Catch<PgException>(() => each));
        var known = errors.ConvertAll(error => error.Message.EndsWith("This command had not been sent, so the server has not run it.", StringComparison.Ordinal));
        Assert.That(known[..(sent - 1)], Has.None.True, "the server has read them");
        Assert.That(known[^1], Is.True, errors[^1].ToString());
        Assert.That(known, Is.Ordered, "as they were sent");
        Assert.That(known.Zip(errors).Where(each => !each.First).Select(each => each.Second.Message),
            Has.All.EndsWith("It is not known whether the server has run this command."));
        Assert.That(Connection.Session!.State, Is.EqualTo(SessionState.Broken));
    }

    [Test]
    public async Task A_statement_that_the_server_has_forgotten_is_prepared_anew_unless_the_order_matters([Values] bool keepsOrder)
    {
        Play(server =>
        {
            server.Login();
            var flights = new Flights(server);
            flights.Expect("Pa Ba D E S", Answer.Select(0));
            flights.Expect("Ba E S", new Answer());
            flights.Expect("P B D E S", new Answer());
            server.Write(new Answer().ErrorResponse("26000", routine: "FetchPreparedStatement").ReadyForQuery().Bytes);
            if (!keepsOrder)
                flights.Expect("Ca Pa Ba D E S", new Answer());
            server.Write(Answer.Select(2).Bytes);
            if (!keepsOrder)
                server.Write(new Answer().CloseComplete().Result(1).ReadyForQuery().Bytes);
        });
        await Open("Max Auto Prepare=256;");
        var commands = QueuedCommands.On(Connection, Mode, keepsOrder);
        Assert.That(await commands.Read(commands.AddPrepared("SELECT x")), Is.EqualTo([0]));
        var again = commands.AddPrepared("SELECT x");
        var other = commands.Add("SELECT 2");
        var reading = commands.Read(again);
        Assert.That(await commands.Read(other), Is.EqualTo([2]));
        if (keepsOrder)
            Assert.That((await Catch<PostgresException>(() => reading)).SqlState, Is.EqualTo("26000"));
        else
            Assert.That(await reading, Is.EqualTo([1]));
        await commands.End();
    }
}
