using System.Text;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Pool;

/// <summary>Session Reset=Verify on a server in memory: what is asked when, and what is made of the answers.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class VerifyTests(WaitMode mode) : WireTest(mode)
{
    private const string Verify = "Pooling=true;Maximum Pool Size=1;Session Reset=Verify";
    private readonly string _database = $"verify_{mode}";
    private readonly List<PgSessionLeakEventArgs> _leaks = [];

    [SetUp]
    public void Listen()
    {
        _leaks.Clear();
        PgDataSource.SessionLeaked += Leaked;
    }

    [TearDown]
    public void Unlisten() => PgDataSource.SessionLeaked -= Leaked;

    [Test]
    public async Task A_session_that_was_changed_is_reported_with_its_statements()
    {
        await Run(State(), State(setting: "work_mem = 77 by session"), State(), found: null);

        var leak = _leaks.Single();
        Assert.That(leak.Differences, Is.EqualTo(new[] { "setting: work_mem = 77 by session" }));
        Assert.That(leak.Statements, Is.EqualTo(new[] { "SELECT 1" }));
        Assert.That(leak.ProcessId, Is.EqualTo(ScriptedPeer.ProcessId));
    }

    [Test]
    public async Task A_session_that_is_as_before_is_not_reported()
    {
        await Run(State("a = 1 by session"), State("a = 1 by session"), State("a = 1 by session"), found: null);

        Assert.That(_leaks, Is.Empty);
    }

    [Test]
    public async Task Where_Auto_behaves_as_Always_nothing_is_reported()
    {
        await Run(State(), State("work_mem = 77 by session"), State(), found: "function f()");

        Assert.That(_leaks, Is.Empty);
    }

    [Test]
    public async Task State_that_a_reset_does_not_undo_is_reported_once()
    {
        Play(peer =>
        {
            peer.Login();
            AnswerState(peer, State());
            peer.AnswerCommand();
            AnswerReturn(peer, State(connection: "d"), State(connection: "d"), found: null);
            peer.AnswerCommand();
            AnswerState(peer, State(connection: "d"));
            AnswerReset(peer);
            AnswerState(peer, State(connection: "d"));
            peer.AnswerCommand();
        });
        var source = Source();

        for (var i = 0; i < 3; i++)
            await UseOnce(source);

        Assert.That(_leaks.Single().Differences, Is.EqualTo(new[] { "dblink connection: d" }));
    }

    [Test]
    public async Task An_open_transaction_is_rolled_back_before_the_session_is_compared()
    {
        Play(peer =>
        {
            peer.Login();
            AnswerState(peer, State());
            peer.ExpectCommand();
            peer.Send.Result(42).ReadyForQuery('T');
            Assert.That(peer.Expect<Query>().Sql, Is.EqualTo("ROLLBACK"));
            peer.Send.CommandComplete("ROLLBACK").ReadyForQuery();
            AnswerReturn(peer, State(), State(), found: null);
            peer.AnswerCommand();
        });
        var source = Source();

        await UseOnce(source);
        await UseOnce(source);

        Assert.That(_leaks, Is.Empty);
    }

    [Test]
    public async Task A_session_that_Auto_resets_is_not_compared()
    {
        Play(peer =>
        {
            peer.Login();
            AnswerState(peer, State());
            Assert.That(peer.ExpectCommand(), Is.EqualTo("SET work_mem = '77kB'"));
            peer.Send.Command("SET").ReadyForQuery();
            AnswerReset(peer);
            AnswerQuestion(peer, null);
            AnswerState(peer, State());
            peer.AnswerCommand();
        });
        var source = Source();
        await using (var connection = source.CreateConnection())
        {
            await Mode.Open(connection);
            await Mode.ExecuteNonQuery(new PgCommand("SET work_mem = '77kB'", connection));
        }

        await UseOnce(source);

        Assert.That(_leaks, Is.Empty);
    }

    [Test]
    public async Task A_state_that_cannot_be_read_costs_nobody_a_command()
    {
        Play(peer =>
        {
            peer.Login();
            peer.Expect<Query>();
            peer.Send.ErrorResponse("42501").ReadyForQuery();
            peer.AnswerCommand();
            peer.Expect<Query>();
            peer.Send.ErrorResponse("42501").ReadyForQuery();
            AnswerReset(peer);
            AnswerQuestion(peer, null);
            peer.Expect<Query>();
            peer.Send.ErrorResponse("42501").ReadyForQuery();
            peer.AnswerCommand();
        });
        var source = Source();

        await UseOnce(source);
        await UseOnce(source);

        Assert.That(_leaks, Is.Empty);
    }

    [Test]
    public async Task An_error_of_a_handler_is_no_error_of_the_next_command()
    {
        PgDataSource.SessionLeaked += Fail;
        try
        {
            await Run(State(), State("work_mem = 77 by session"), State(), found: null);
        }
        finally
        {
            PgDataSource.SessionLeaked -= Fail;
        }

        Assert.That(_leaks, Has.Count.EqualTo(1));

        static void Fail(object? sender, PgSessionLeakEventArgs leak) => throw new InvalidOperationException("A handler failed.");
    }

    private async Task Run(byte[]?[] before, byte[]?[] after, byte[]?[] reset, string? found)
    {
        Play(peer =>
        {
            peer.Login();
            AnswerState(peer, before);
            peer.AnswerCommand();
            AnswerReturn(peer, after, reset, found);
            peer.AnswerCommand();
        });
        var source = Source();
        await UseOnce(source);
        await UseOnce(source);
    }

    private static void AnswerReturn(ScriptedPeer peer, byte[]?[] after, byte[]?[] reset, string? found)
    {
        AnswerState(peer, after);
        AnswerReset(peer);
        AnswerQuestion(peer, found);
        AnswerState(peer, reset);
    }

    private static void AnswerReset(ScriptedPeer peer)
    {
        Assert.That(peer.Expect<Query>().Sql, Does.StartWith("SET SESSION AUTHORIZATION DEFAULT; RESET ALL"));
        peer.Send.CommandComplete("DISCARD").ReadyForQuery();
    }

    private static void AnswerQuestion(ScriptedPeer peer, string? found)
    {
        Assert.That(peer.Expect<Query>().Sql, Does.Contain("pg_identify_object"));
        var answer = peer.Send;
        if (found is not null)
            answer = answer.DataRow(Encoding.UTF8.GetBytes(found), "contains EXECUTE"u8.ToArray());
        answer.CommandComplete("SELECT").ReadyForQuery();
    }

    private static void AnswerState(ScriptedPeer peer, byte[]?[] state)
    {
        Assert.That(peer.Expect<Query>().Sql, Does.Contain("pg_listening_channels"));
        peer.Send.DataRow(state).CommandComplete("SELECT 1").ReadyForQuery();
    }

    private static byte[]?[] State(string? setting = null, string? connection = null)
    {
        var state = new byte[]?[12];
        state[0] = setting is null ? null : Encoding.UTF8.GetBytes(setting);
        state[9] = connection is null ? null : Encoding.UTF8.GetBytes(connection);
        return state;
    }

    private PgDataSource Source() => Server.DataSource($"{Verify};Database={_database}");

    private async Task UseOnce(PgDataSource source)
    {
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        await using var command = new PgCommand("SELECT 1", connection);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(42));
        await Mode.Close(connection);
    }

    // Other tests may run beside this one.
    private void Leaked(object? sender, PgSessionLeakEventArgs leak)
    {
        if (leak.Database == _database)
            _leaks.Add(leak);
    }
}
