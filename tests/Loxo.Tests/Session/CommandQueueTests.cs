using Loxo.Protocol;
using Loxo.Session;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class CommandQueueTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task Many_commands_are_on_their_way_at_once_and_each_caller_gets_its_own_rows([Values(2, 100)] int count, [Values] bool collects)
    {
        Play(server =>
        {
            server.Login();
            for (var i = 0; i < count; i++)
                Assert.That(server.ExpectCommand(), Is.EqualTo($"SELECT {i}"));
            for (var i = 0; i < count; i++)
                server.Write(Answer.Select([.. Enumerable.Repeat(i, i)]).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode);
        var queued = Enumerable.Range(0, count).Select(i => commands.Add($"SELECT {i}", collects ? ResultMode.Collect : ResultMode.Rows)).ToList();
        // The last caller begins: those that collect need not wait for each other.
        var reading = queued.Select((exchange, i) => (Index: i, Exchange: exchange)).Reverse()
            .Select(each => (each.Index, Values: commands.Read(each.Exchange))).ToList();
        foreach (var (index, values) in reading)
            Assert.That(await values, Is.EqualTo(Enumerable.Repeat(index, index)));
        await commands.End();
        await AssertUsable();
    }

    [Test]
    public async Task A_command_that_collects_lets_those_behind_it_end_before_it_is_read()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.ExpectCommand();
            server.Write(Answer.Select(1, 2, 3).Bytes);
            server.Write(Answer.Select(4).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode);
        var first = commands.Add("SELECT 1");
        var second = commands.Add("SELECT 2");
        Assert.That(await commands.Read(second), Is.EqualTo([4]));
        Assert.That(await commands.Read(first), Is.EqualTo([1, 2, 3]));
        await commands.End();
        await AssertUsable();
    }

    [Test]
    public async Task A_command_that_has_collected_enough_holds_the_others_up_until_its_rows_are_read()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.ExpectCommand();
            server.Write(Answer.Select([.. Enumerable.Range(0, 100)]).Bytes);
            server.Write(Answer.Select(4).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode, mostCollected: 150);
        var first = commands.Add("SELECT 1");
        var second = commands.Add("SELECT 2");
        var reading = commands.Read(second);
        Assert.That(await commands.Pump(first), Is.EqualTo(Progress.Row));
        Assert.That(reading.IsCompleted, Is.False);
        var values = new List<int>();
        first.Rows.Start(1, hasRows: true);
        QueuedCommands.TakeRows(first, values);
        Assert.That(values, Has.Count.InRange(1, 30), "no more than the cap were collected");
        values.AddRange(await commands.Read(first));
        Assert.That(values, Is.EqualTo(Enumerable.Range(0, 100)));
        Assert.That(await reading, Is.EqualTo([4]));
        await commands.End();
        await AssertUsable();
    }

    [Test]
    public async Task A_command_that_has_collected_enough_and_is_given_up_holds_nobody_up()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.ExpectCommand();
            server.Write(Answer.Select([.. Enumerable.Range(0, 100)]).Bytes);
            server.Write(Answer.Select(4).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode, mostCollected: 150);
        var first = commands.Add("SELECT 1");
        var second = commands.Add("SELECT 2");
        var reading = commands.Read(second);
        Assert.That(await commands.Pump(first), Is.EqualTo(Progress.Row));
        commands.Queue.GiveUp(first, StopReason.Cancel);
        Assert.That(await reading, Is.EqualTo([4]));
        await commands.End();
        await AssertUsable();
    }

    [Test]
    public async Task A_caller_whose_time_is_over_is_not_the_next_to_receive()
    {
        using var haveBegun = new ManualResetEventSlim();
        using var timedOut = new ManualResetEventSlim();
        Play(server =>
        {
            server.Login();
            for (var i = 0; i < 3; i++)
                server.ExpectCommand();
            haveBegun.Wait();
            if (Mode == WaitMode.Async)
                server.LetTimePass(1);
            timedOut.Wait();
            server.Write(Answer.Select(0).Bytes);
            server.Channel.AwaitClientWaiting();
            server.Write(Answer.Select(1).Bytes);
            server.Write(Answer.Select(2).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode);
        var queued = Enumerable.Range(0, 3).Select(i => commands.Add($"SELECT {i}", i == 0 ? ResultMode.Skip : ResultMode.Collect)).ToList();
        var first = commands.Read(queued[0]);
        while (!Connection.Session!.Wire.IsInUse)
            Thread.Yield();
        var second = commands.Read(queued[1], timeout: 1);
        var third = commands.Read(queued[2]);
        haveBegun.Set();
        Assert.That((await Catch<PgException>(() => second)).Code, Is.EqualTo(PgErrorCode.Timeout));
        timedOut.Set();
        Assert.That(await first, Is.Empty);
        Assert.That(await third, Is.EqualTo([2]));
        await commands.End();
        await AssertUsable();
    }

    [Test]
    public async Task A_command_that_fails_fails_alone_if_each_ends_with_a_Sync()
    {
        Play(server =>
        {
            server.Login();
            for (var i = 0; i < 5; i++)
                server.ExpectCommand();
            for (var i = 0; i < 5; i++)
                server.Write(i == 2 ? new Answer().ErrorResponse("42601").ReadyForQuery().Bytes : Answer.Select(i).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode);
        var reading = Enumerable.Range(0, 5).Select(i => commands.Add($"SELECT {i}")).ToList().ConvertAll(exchange => commands.Read(exchange));
        for (var i = 0; i < 5; i++)
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
    public async Task A_command_that_fails_skips_the_rest_of_its_group([Values] bool syncIsItsOwn)
    {
        Play(server =>
        {
            server.Login();
            for (var i = 0; i < 4; i++)
                server.ExpectStatement();
            server.Expect<Sync>();
            server.ExpectCommand();
            server.Write(new Answer().Result(0).ErrorResponse("42601").ReadyForQuery().Raw(Answer.Select(9)).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode);
        var group = Enumerable.Range(0, 4).Select(i => commands.Add($"SELECT {i}", endsGroup: i == 3 && !syncIsItsOwn)).ToList();
        var sync = syncIsItsOwn ? commands.Queue.AddSync() : null;
        var next = commands.Add("SELECT 9");
        var reading = group.ConvertAll(exchange => commands.Read(exchange));
        Assert.That(await commands.Read(next), Is.EqualTo([9]));
        Assert.That(await reading[0], Is.EqualTo([0]));
        Assert.That((await Catch<PostgresException>(() => reading[1])).SqlState, Is.EqualTo("42601"));
        Assert.That(await reading[2], Is.Empty);
        Assert.That(await reading[3], Is.Empty);
        Assert.That(group.Select(exchange => exchange.Query.SkippedAfter is not null), Is.EqualTo([false, false, true, true]));
        Assert.That(sync?.Error, Is.Null);
        await commands.End();
        await AssertUsable();
    }

    [Test]
    public async Task The_answers_of_a_group_come_before_its_end_where_they_are_asked_for()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectStatement();
            server.Expect<Flush>();
            server.Write(new Answer().Result(1).Bytes);
            server.ExpectCommand();
            server.Write(Answer.Select(2).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode);
        var first = commands.Add("SELECT 1", endsGroup: false);
        commands.Queue.RequestAnswers();
        Assert.That(await commands.Read(first), Is.EqualTo([1]));
        Assert.That(await commands.Read(commands.Add("SELECT 2")), Is.EqualTo([2]));
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
    public async Task A_command_among_others_is_cancelled_without_asking_the_server_to_stop()
    {
        using var source = new CancellationTokenSource();
        Play(server =>
        {
            server.Login();
            for (var i = 0; i < 4; i++)
                server.ExpectCommand();
            server.Write(Answer.Select(0).Bytes);
            server.Write(Answer.Select(1).Bytes);
            server.Channel.AwaitClientWaiting();
            source.Cancel();
            server.Write(Answer.Select(2, 2, 2).Bytes);
            server.Write(Answer.Select(3).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode);
        var queued = Enumerable.Range(0, 4).Select(i => commands.Add($"SELECT {i}")).ToList();
        var reading = queued.ConvertAll(exchange => commands.Read(exchange, exchange == queued[2] ? source.Token : default));
        await Catch<OperationCanceledException>(() => reading[2]);
        foreach (var i in (int[])[0, 1, 3])
            Assert.That(await reading[i], Is.EqualTo([i]));
        await commands.End();
        await AssertUsable();
        Assert.That(Server.Connections, Is.EqualTo(1), "no cancel request");
    }

    [Test]
    public async Task The_server_is_asked_to_stop_when_nobody_waits_for_any_command_on_the_way()
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
        var commands = QueuedCommands.On(Connection, Mode);
        var queued = Enumerable.Range(0, 2).Select(i => commands.Add($"SELECT {i}")).ToList();
        var reading = queued.ConvertAll(exchange => commands.Read(exchange, source.Token));
        await Catch<OperationCanceledException>(() => reading[0]);
        await Catch<OperationCanceledException>(() => reading[1]);
        await commands.End();
        await AssertUsable();
    }

    [Test]
    public async Task A_statement_is_parsed_by_the_first_command_and_run_by_those_behind_it()
    {
        Play(server =>
        {
            server.Login();
            var flights = new Flights(server);
            flights.Expect("Pa Ba D E S", new Answer());
            flights.Expect("Ba D E S", new Answer());
            flights.Expect("Ba D E S", new Answer());
            server.Write(Answer.Select(0).Bytes);
            for (var i = 1; i < 3; i++)
                server.Write(new Answer().BindComplete().RowDescription(("value", 23)).DataRow(i).CommandComplete("SELECT 1").ReadyForQuery().Bytes);
            flights.Expect("Ba E S", new Answer().BindComplete().DataRow(3).CommandComplete("SELECT 1").ReadyForQuery());
        });
        await Open("Max Auto Prepare=256;");
        var commands = QueuedCommands.On(Connection, Mode);
        var reading = Enumerable.Range(0, 3).Select(_ => commands.AddPrepared("SELECT x")).ToList().ConvertAll(exchange => commands.Read(exchange));
        for (var i = 0; i < 3; i++)
            Assert.That(await reading[i], Is.EqualTo([i]));
        Assert.That(await commands.Read(commands.AddPrepared("SELECT x")), Is.EqualTo([3]));
        await commands.End();
    }

    [Test]
    public async Task A_statement_that_the_first_command_could_not_parse_fails_with_the_same_error_behind_it()
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
        var commands = QueuedCommands.On(Connection, Mode);
        var reading = Enumerable.Range(0, 2).Select(_ => commands.AddPrepared("SELECT x")).ToList().ConvertAll(exchange => commands.Read(exchange));
        foreach (var each in reading)
            Assert.That((await Catch<PostgresException>(() => each)).SqlState, Is.EqualTo("42703"));
        await commands.End();
        await AssertUsable();
    }

    [Test]
    public async Task A_connection_that_is_cut_tells_each_command_whether_it_may_have_run()
    {
        const int Count = 20;
        var sent = 0;
        using var isLateAdded = new ManualResetEventSlim();
        Play(server =>
        {
            server.Login();
            server.Channel.Window = 100;
            for (; sent < 5; sent++)
                server.ExpectCommand();
            server.Write(Answer.Select(0).Bytes);
            server.Channel.AwaitClientWaiting();
            isLateAdded.Wait();
            server.Reset();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode);
        var queued = Enumerable.Range(0, Count).Select(i => commands.Add($"SELECT {i}")).ToList();
        var reading = queued.ConvertAll(exchange => commands.Read(exchange));
        Assert.That(await reading[0], Is.EqualTo([0]));
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
    public async Task Output_that_another_thread_adds_is_sent_while_a_caller_waits([Values(20, int.MaxValue)] int window)
    {
        Play(server =>
        {
            server.Login();
            server.Channel.Window = window;
            server.ExpectCommand();
            server.Channel.AwaitClientWaiting();
            for (var i = 0; i < 10; i++)
                server.ExpectCommand();
            for (var i = 0; i < 11; i++)
                server.Write(Answer.Select(i).Bytes);
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode);
        var first = commands.Read(commands.Add("SELECT 0"));
        var others = new List<CommandExchange>();
        for (var i = 1; i <= 10; i++)
        {
            others.Add(commands.Add($"SELECT {i}"));
            commands.Queue.Send();
        }
        Assert.That(await first, Is.EqualTo([0]));
        for (var i = 1; i <= 10; i++)
            Assert.That(await commands.Read(others[i - 1]), Is.EqualTo([i]));
        await commands.End();
    }

    [Test]
    public async Task What_nobody_has_read_is_skipped_at_the_end([Values] bool collects)
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.ExpectStatement();
            server.Write(Answer.Select(1, 2, 3).Bytes);
            server.Expect<Sync>();
            server.Write(new Answer().Result(4, 5).ReadyForQuery().Bytes);
            server.AnswerCommand();
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode);
        var results = collects ? ResultMode.Collect : ResultMode.Rows;
        var first = commands.Add("SELECT 1", results);
        commands.Add("SELECT 2", results, endsGroup: false);
        Assert.That(await commands.Pump(first), Is.EqualTo(Progress.Row));
        await commands.End();
        await AssertUsable();
        Assert.That(Server.Connections, Is.EqualTo(1), "no cancel request");
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

    [Test]
    public async Task Definitions_that_a_later_command_changes_count_as_changed_when_that_has_run()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.ExpectCommand();
            server.Write(Answer.Select(1).Bytes);
            server.Channel.AwaitClientWaiting();
            server.Write(new Answer().Command("CREATE TABLE").ReadyForQuery().Bytes);
        });
        await Open();
        var commands = QueuedCommands.On(Connection, Mode);
        var context = Connection.Session!.Context;
        var first = commands.Add("SELECT 1");
        var second = commands.Add("CREATE TABLE t ()");
        Connection.Session!.Effects.Add(SessionChanges.Definitions);
        await commands.Read(first);
        var before = context.Database.Invalidations;
        await commands.Read(second);
        Assert.That(context.Database.Invalidations, Is.GreaterThan(before));
        await commands.End();
    }
}
