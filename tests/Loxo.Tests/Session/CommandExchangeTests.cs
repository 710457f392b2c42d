using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Session;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>The steps of a command over bytes. No channel is touched.</summary>
public sealed class CommandExchangeTests
{
    private ServerSession _session = null!;
    private MessageReader _messages = null!;

    private CommandExchange Command => _session.Command;

    [SetUp]
    public void ClaimNewSession()
    {
        _session = NoChannel.Session();
        _session.Opened();
        _session.Claim(owner: null);
        _messages = new MessageReader();
    }

    [TearDown]
    public void Dispose()
    {
        // An idle session says Terminate, for which there is no channel.
        _session.Failed(SessionErrors.Closed());
        _session.Dispose();
        _messages.Dispose();
    }

    [Test]
    public void A_command_that_cannot_be_written_leaves_no_bytes_and_the_session_free()
    {
        var position = _session.Output.Position;
        Assert.Throws<FormatException>(() => Command.Start(new Statements("SELECT 1") { FailsAt = 1 }, ResultMode.Rows));
        Assert.That((_session.State, _session.Output.Position, _session.Wire.Flights.Count), Is.EqualTo((SessionState.Idle, position, 0)));
    }

    [Test]
    public void A_command_stops_at_rows_and_ends_of_results_and_is_over_with_ReadyForQuery()
    {
        Command.Start(new Statements("SELECT 1", "SELECT 2"), ResultMode.Rows);
        Assert.That(_session.Wire.Flights.First, Is.SameAs(Command));
        Assert.That(Advance(new Answer().Result(1, 2).Result()), Is.EqualTo(Progress.Row));
        Assert.That(Command.Result, Is.SameAs(Command.Query.Runs[0]));
        Command.LeaveResult();
        Assert.That(Advance(), Is.EqualTo(Progress.ResultEnd));
        Assert.That(Command.Result, Is.SameAs(Command.Query.Runs[1]));
        Assert.That(Advance(), Is.EqualTo(Progress.NeedMore));
        Assert.That(Advance(new Answer().ReadyForQuery()), Is.EqualTo(Progress.Done));
        Assert.That(_session.State, Is.EqualTo(SessionState.Busy), "the caller ends it");
    }

    [Test]
    public void Results_that_are_not_wanted_do_not_stop_the_command()
    {
        Command.Start(new Statements("SELECT 1"), ResultMode.Skip);
        Assert.That(Advance(Answer.Select(1, 2)), Is.EqualTo(Progress.Done));
    }

    [Test]
    public void A_command_of_which_nothing_was_executed_is_written_again_once()
    {
        var statements = new Statements("SELECT 1");
        Command.Start(statements, ResultMode.Rows);
        Assert.That(Advance(Forgotten()), Is.EqualTo(Progress.FlightEnd));
        Assert.That((statements.Written, _session.Wire.Flights.Count), Is.EqualTo((2, 2)), "the first flight is taken off by the wire");
        Assert.That(Advance(Forgotten()), Is.EqualTo(Progress.Done));
        Assert.That((statements.Written, Command.Query.Error!.SqlState), Is.EqualTo((2, "26000")));
    }

    [Test]
    public void The_second_reply_is_the_commands()
    {
        Command.Start(new Statements("SELECT 1"), ResultMode.Rows);
        Advance(Forgotten());
        Assert.That(Advance(Answer.Select(1)), Is.EqualTo(Progress.Row));
        Assert.That(Command.Query.Error, Is.Null);
    }

    [Test]
    public void A_command_whose_row_was_handed_out_is_not_written_again()
    {
        var statements = new Statements("SELECT 1", "SELECT 2");
        Command.Start(statements, ResultMode.Rows);
        Assert.That(Advance(new Answer().Result(1)), Is.EqualTo(Progress.Row));
        Command.LeaveResult();
        Assert.That(Advance(Forgotten()), Is.EqualTo(Progress.Done));
        Assert.That(statements.Written, Is.EqualTo(1));
    }

    [Test]
    public void A_command_that_cannot_be_written_again_is_over_and_tells_why()
    {
        var position = _session.Output.Position;
        Command.Start(new Statements("SELECT 1") { FailsAt = 2 }, ResultMode.Rows);
        var written = _session.Output.Position;
        Assert.That(Advance(Forgotten()), Is.EqualTo(Progress.Done));
        Assert.That(Command.Failure, Is.InstanceOf<FormatException>());
        Assert.That((position < written, _session.Output.Position), Is.EqualTo((true, written)), "nothing of the second flight is left");
        Assert.That(_session.State, Is.EqualTo(SessionState.Busy), "the caller ends it");
    }

    [Test]
    public void The_next_command_knows_nothing_of_a_failure_before_it()
    {
        Command.Start(new Statements("SELECT 1") { FailsAt = 2 }, ResultMode.Rows);
        Advance(Forgotten());
        _session.End();
        _session.Claim(owner: null);
        Command.Start(new Statements("SELECT 1"), ResultMode.Rows);
        Assert.That((Command.Failure, Command.Query.Error, Command.StoppedBeforeSent), Is.EqualTo(((Exception?)null, (ServerErrorFields?)null, false)));
        Assert.That(Advance(Forgotten()), Is.EqualTo(Progress.FlightEnd), "it may be written again once, too");
    }

    // The server does not know the statement: it answers in place of ParseComplete.
    private static Answer Forgotten() =>
        new Answer().ErrorResponse("26000", "prepared statement does not exist", routine: "FetchPreparedStatement").ReadyForQuery();

    private Progress Advance(Answer? answer = null)
    {
        if (answer is not null)
            _messages.Append(answer.Bytes);
        return Command.Advance(_messages);
    }

    private sealed class Statements(params string[] texts) : IStatementSource, IParameterValues
    {
        public int Written { get; private set; }

        /// <summary>The call of <see cref="Write(CommandExchange)"/> that fails in its midst; 0 for none.</summary>
        public int FailsAt { get; init; }

        public int Count => 0;

        public void Write(CommandExchange exchange)
        {
            Written++;
            foreach (var text in texts)
                exchange.Query.Add(text, [], this, []);
            if (Written == FailsAt)
                throw new FormatException();
        }

        public FormatCode Format(int index) => throw new InvalidOperationException("There are no parameters.");

        public void Write(int index, MessageWriter writer) => throw new InvalidOperationException("There are no parameters.");
    }
}
