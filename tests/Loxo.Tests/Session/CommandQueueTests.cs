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
        var commands = QueuedCommands.On(Connection, Mode, collects: collects);
        var queued = Enumerable.Range(0, count).Select(i => commands.Add($"SELECT {i}")).ToList();
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
    public async Task A_statement_is_parsed_by_the_first_command_and_run_by_those_behind_it([Values] bool collects)
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
        var commands = QueuedCommands.On(Connection, Mode, collects: collects);
        var reading = Enumerable.Range(0, 3).Select(_ => commands.AddPrepared("SELECT x")).ToList().ConvertAll(exchange => commands.Read(exchange));
        for (var i = 0; i < 3; i++)
            Assert.That(await reading[i], Is.EqualTo([i]));
        Assert.That(await commands.Read(commands.AddPrepared("SELECT x")), Is.EqualTo([3]));
        await commands.End();
    }

    [Test]
    public async Task Output_that_another_thread_adds_is_sent_while_a_caller_waits([Values(20, int.MaxValue)] int window)
    {
        Play(server =>
        {
            server.Channel.Window = window;
            server.Login();
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
        var commands = QueuedCommands.On(Connection, Mode, collects: collects);
        var first = commands.Add("SELECT 1");
        commands.Add("SELECT 2", endsGroup: false);
        Assert.That(await commands.Pump(first), Is.EqualTo(Progress.Row));
        await commands.End();
        await AssertUsable();
        Assert.That(Server.Connections, Is.EqualTo(1), "no cancel request");
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
