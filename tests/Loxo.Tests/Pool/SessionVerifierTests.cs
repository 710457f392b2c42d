using System.Text;
using Loxo.Session;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Pool;

/// <summary>Session Reset=Verify on a server in memory: what is asked when, and what is made of the answers.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class SessionVerifierTests(WaitMode mode) : WireTest(mode)
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
        await Run(peer => AnswerRental(peer, State("work_mem = 77 by session"), State()));

        var leak = _leaks.Single();
        Assert.That(leak.Differences, Is.EqualTo(new[] { "setting: work_mem = 77 by session" }));
        Assert.That(leak.Statements, Is.EqualTo(new[] { "SELECT 1" }));
        Assert.That(leak.ProcessId, Is.EqualTo(ScriptedPeer.ProcessId));
    }

    [Test]
    public async Task A_session_that_is_as_before_is_not_reported()
    {
        await Run(peer => AnswerRental(peer, State(), State()));

        Assert.That(_leaks, Is.Empty);
    }

    [Test]
    public async Task Where_Auto_behaves_as_Always_nothing_is_compared()
    {
        await Run(peer => Assert.That(AnswerRental(peer, State("work_mem = 77 by session"), State()), Is.EqualTo("reset, state")), found: "function f()");

        Assert.That(_leaks, Is.Empty);
    }

    [Test]
    public async Task State_that_a_reset_does_not_undo_is_reported_once()
    {
        await Run(peer =>
        {
            AnswerRental(peer, State(connection: "d"), State(connection: "d"));
            AnswerRental(peer, State(connection: "d"), State(connection: "d"));
        }, rentals: 2);

        Assert.That(_leaks.Single().Differences, Is.EqualTo(new[] { "dblink connection: d" }));
    }

    [Test]
    public async Task An_open_transaction_is_rolled_back_before_the_session_is_compared()
    {
        await Run(peer =>
        {
            peer.ExpectCommand();
            peer.Send.Result(42).ReadyForQuery('T');
            Assert.That(AnswerReturn(peer, State("a = 1 by session"), State()), Is.EqualTo("rollback, state, reset, state"));
        });

        Assert.That(_leaks, Has.Count.EqualTo(1));
    }

    [TestCase('I')]
    [TestCase('T')]
    public async Task A_session_that_cannot_be_written_to_when_it_comes_back_is_compared_before_its_next_use(char status)
    {
        PgCommand running = null!;
        var kinds = "";
        Play(peer =>
        {
            Prepare(peer);
            peer.ExpectCommand();
            peer.Channel.AwaitClientWaiting();
            running.Cancel();
            // Late: the command ends first, and its session comes back with the cancel request under way.
            peer.ExpectCancel().End();
            peer.Send.Result(42).ReadyForQuery(status);
            peer.Expect<Sync>();
            peer.Send.ReadyForQuery(status);
            kinds = AnswerReturn(peer, State("work_mem = 77 by session"), State());
            peer.AnswerCommand();
        });
        var source = Source();
        for (var i = 0; i < 2; i++)
            await Use(source, "SELECT 1");
        await using (var connection = source.CreateConnection())
        {
            await Mode.Open(connection);
            running = new PgCommand("SELECT 2", connection);
            await Mode.ExecuteNonQuery(running);
            Assert.That(connection.Session!.State, Is.EqualTo(SessionState.Unsettled));
            await Mode.Close(connection);
        }
        Assert.That(_leaks, Is.Empty, "nothing has been asked yet");

        await Use(source, "SELECT 1");

        Assert.That(kinds, Is.EqualTo(status == 'T' ? "rollback, state, reset, state" : "state, reset, state"));
        var leak = _leaks.Single();
        Assert.That(leak.Differences, Is.EqualTo(new[] { "setting: work_mem = 77 by session" }));
        Assert.That(leak.Statements, Is.EqualTo(new[] { "SELECT 2" }));
    }

    [Test]
    public async Task A_session_that_Auto_resets_is_not_compared()
    {
        await Run(peer =>
        {
            Assert.That(peer.ExpectCommand(), Does.StartWith("SET"));
            peer.Send.Command("SET").ReadyForQuery();
            Assert.That(AnswerReturn(peer, State(), State()), Is.EqualTo("reset, state"));
        }, sql: "SET work_mem = '77kB'");

        Assert.That(_leaks, Is.Empty);
    }

    [Test]
    public async Task A_state_that_cannot_be_read_costs_nobody_a_command()
    {
        await Run(peer => AnswerRental(peer, null, null));

        Assert.That(_leaks, Is.Empty);
    }

    [Test]
    public async Task An_error_of_a_handler_is_no_error_of_the_next_command()
    {
        PgDataSource.SessionLeaked += Fail;
        try
        {
            await Run(peer => AnswerRental(peer, State("work_mem = 77 by session"), State()));
        }
        finally
        {
            PgDataSource.SessionLeaked -= Fail;
        }

        Assert.That(_leaks, Has.Count.EqualTo(1));

        static void Fail(object? sender, PgSessionLeakEventArgs leak) => throw new InvalidOperationException("A handler failed.");
    }

    // A use of the session that the test is about, between others: until the database has been looked through Auto would reset every session.
    private async Task Run(Action<ScriptedPeer> script, string? found = null, string sql = "SELECT 1", int rentals = 1)
    {
        Play(peer =>
        {
            Prepare(peer, found);
            script(peer);
            peer.AnswerCommand();
        });
        var source = Source();
        for (var i = 0; i < 2; i++)
            await Use(source, "SELECT 1");
        for (var i = 0; i < rentals; i++)
            await Use(source, sql);
        await Use(source, "SELECT 1");
    }

    private static void Prepare(ScriptedPeer peer, string? found = null)
    {
        peer.Login();
        AnswerState(peer, State());
        for (var i = 0; i < 2; i++)
        {
            peer.AnswerCommand();
            AnswerReturn(peer, State(), State());
            if (i == 0)
                AnswerAudit(peer, found);
        }
    }

    private static string AnswerRental(ScriptedPeer peer, byte[]?[]? after, byte[]?[]? reset)
    {
        peer.AnswerCommand();
        return AnswerReturn(peer, after, reset);
    }

    // Answers what comes when a session is returned, up to the question for the next user's state; returns the kinds of the queries.
    private static string AnswerReturn(ScriptedPeer peer, byte[]?[]? after, byte[]?[]? reset)
    {
        var kinds = new List<string>();
        while (kinds is not [.., "reset", "state"])
        {
            var sql = peer.Expect<Query>().Sql;
            if (sql.Contains("pg_listening_channels", StringComparison.Ordinal))
            {
                AnswerQuery(peer, kinds.Contains("reset") ? reset : after);
                kinds.Add("state");
                continue;
            }
            var isReset = sql.Contains("RESET ALL", StringComparison.Ordinal);
            kinds.Add(sql == "ROLLBACK" ? "rollback" : isReset ? "reset" : throw new AssertionException($"Nobody expected {sql}"));
            var answer = isReset ? new Answer().Reset() : new Answer().CommandComplete("ROLLBACK");
            if (sql.Contains("DEALLOCATE", StringComparison.Ordinal))
                answer.CommandComplete("DEALLOCATE ALL");
            peer.Write(answer.ReadyForQuery().Bytes);
        }
        return string.Join(", ", kinds);
    }

    private static void AnswerAudit(ScriptedPeer peer, string? found)
    {
        Assert.That(peer.Expect<Query>().Sql, Does.Contain("pg_describe_object(f.tableoid"));
        AnswerRow(peer, found is null ? [null, null, "f"u8.ToArray(), null] : [Encoding.UTF8.GetBytes(found), "contains EXECUTE"u8.ToArray()]);
    }

    private static void AnswerState(ScriptedPeer peer, byte[]?[]? state)
    {
        Assert.That(peer.Expect<Query>().Sql, Does.Contain("pg_listening_channels"));
        AnswerQuery(peer, state);
    }

    private static void AnswerQuery(ScriptedPeer peer, byte[]?[]? state)
    {
        if (state is null)
            peer.Send.ErrorResponse("42501").ReadyForQuery();
        else
            AnswerRow(peer, state);
    }

    private static void AnswerRow(ScriptedPeer peer, byte[]?[] row) =>
        peer.Send.RowDescription([.. row.Select((_, i) => ($"column{i}", 25))]).DataRow(row).CommandComplete("SELECT 1").ReadyForQuery();

    private static byte[]?[] State(string? setting = null, string? connection = null)
    {
        var state = new byte[]?[12];
        state[0] = setting is null ? null : Encoding.UTF8.GetBytes(setting);
        state[9] = connection is null ? null : Encoding.UTF8.GetBytes(connection);
        return state;
    }

    private PgDataSource Source() => Server.DataSource($"{Verify};Database={_database}");

    private async Task Use(PgDataSource source, string sql)
    {
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        await using var command = new PgCommand(sql, connection);
        await Mode.ExecuteNonQuery(command);
        await Mode.Close(connection);
    }

    // Other tests may run beside this one.
    private void Leaked(object? sender, PgSessionLeakEventArgs leak)
    {
        if (leak.Database == _database)
            _leaks.Add(leak);
    }
}
