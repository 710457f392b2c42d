using System.Data;
using Loxo.Pool;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>'Keepalive': a Sync on a connection that is idle in the hands of its caller, on a server in memory and a clock that the test moves.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class KeepAliveTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task An_idle_connection_is_asked_again_and_again_and_can_be_used()
    {
        using var answered = new SemaphoreSlim(0);
        Play(server =>
        {
            server.Login();
            for (var i = 0; i < 3; i++)
            {
                server.Expect<Sync>();
                server.Send.ReadyForQuery();
                answered.Release();
            }
            server.AnswerCommand();
            server.AnswerCommand();
        });
        await Open("Keepalive=10");
        for (var i = 0; i < 3; i++)
        {
            Pass(10);
            await answered.WaitAsync();
        }
        await AssertUsable();
        await AssertUsable();
    }

    [Test]
    public async Task The_time_begins_with_the_end_of_each_command()
    {
        Play(server =>
        {
            server.Login();
            for (var i = 0; i < 4; i++)
                server.AnswerCommand();
            server.Expect<Sync>();
            server.Send.ReadyForQuery();
            server.AnswerCommand();
        });
        await Open("Keepalive=10");
        for (var i = 0; i < 4; i++)
        {
            Pass(6);
            await AssertUsable();
        }
        Pass(10);
        await AssertUsable();
    }

    [Test]
    public async Task A_command_that_runs_and_a_reader_that_is_open_are_left_alone()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.LetTimePass(25);
            server.Write(Answer.Select(1, 2, 3).Bytes);
            server.AnswerCommand();
        });
        await Open("Keepalive=10;Command Timeout=60");
        await using (var reader = await Mode.ExecuteReader(Command()))
        {
            Assert.That(await Mode.Read(reader), Is.True);
            Pass(60);
            Assert.That(await Mode.Read(reader), Is.True);
            await Mode.Close(reader);
        }
        await AssertUsable();
    }

    [Test]
    public async Task It_may_be_due_before_the_session_is_there()
    {
        Play(server =>
        {
            server.Login();
            server.Expect<Sync>();
            server.Send.ReadyForQuery();
            server.AnswerCommand();
        });
        Server.Time.TimerCreation = TimeSpan.FromSeconds(10);
        await Open("Keepalive=10;Timeout=0");
        Server.Time.TimerCreation = TimeSpan.Zero;
        Pass(10);
        await AssertUsable();
    }

    [Test]
    public async Task A_transaction_stays_as_it_is()
    {
        Play(server =>
        {
            server.Login();
            server.Expect<Sync>();
            server.Send.ReadyForQuery();
            server.ExpectBegin();
            server.ExpectCommand();
            server.Send.ParseComplete().BindComplete().CommandComplete("BEGIN");
            server.Write(Answer.Select(42).Messages.SkipLast(1).SelectMany(message => message).ToArray());
            server.Send.ReadyForQuery('T');
            server.Expect<Sync>();
            server.Send.ReadyForQuery('T');
            Assert.That(server.Expect<Query>().Sql, Is.EqualTo("COMMIT"));
            server.Send.CommandComplete("COMMIT").ReadyForQuery();
            server.AnswerCommand();
        });
        await Open("Keepalive=10");
        await using (var transaction = Connection.BeginTransaction())
        {
            Pass(10);
            Assert.That(await Scalar(), Is.EqualTo(42));
            Pass(10);
            await transaction.CommitAsync();
        }
        await AssertUsable();
    }

    [TestCase(false), TestCase(true)]
    public async Task A_server_that_is_gone_is_found_out_without_a_command(bool saysWhy)
    {
        using var gone = new ManualResetEventSlim();
        Play(server =>
        {
            server.Login();
            if (saysWhy)
                server.Send.ErrorResponse("57P01", "shutting down", "FATAL");
            server.End();
            gone.Set();
        });
        await Open("Keepalive=10");
        gone.Wait();
        Pass(10);

        Assert.That((Connection.State, Connection.FullState), Is.EqualTo((ConnectionState.Closed, ConnectionState.Broken)));
        var error = await Assert.ThrowsAsync(Is.InstanceOf<PgException>(), () => Scalar());
        Assert.That(error!.ToString(), saysWhy ? Does.Contain("shutting down") : Does.Contain("closed"));
    }

    [Test]
    public async Task A_server_that_does_not_answer_has_the_time_of_a_command()
    {
        using var asked = new ManualResetEventSlim();
        Play(server =>
        {
            server.Login();
            server.Expect<Sync>();
            asked.Set();
        });
        await Open("Keepalive=10;Command Timeout=30");
        Pass(10);
        asked.Wait();
        Pass(29);
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Open));
        Pass(1);

        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
        var error = await Assert.ThrowsAsync(Is.InstanceOf<PgException>(), () => Scalar());
        Assert.That(error!.ToString(), Does.Contain("sign of life ('Keepalive')"));
    }

    [Test]
    public async Task Without_a_limit_for_commands_there_is_none_for_the_answer()
    {
        using var asked = new ManualResetEventSlim();
        Play(server =>
        {
            server.Login();
            server.Expect<Sync>();
            asked.Set();
            server.ExpectCommand();
            server.Send.ReadyForQuery();
            server.Write(Answer.Select(42).Bytes);
        });
        await Open("Keepalive=10;Command Timeout=0");
        Pass(10);
        asked.Wait();
        Pass(100_000);
        await AssertUsable();
    }

    [Test]
    public async Task Notifications_that_have_come_are_delivered_and_a_handler_finds_the_connection_in_use()
    {
        using var sent = new ManualResetEventSlim();
        Play(server =>
        {
            server.Login();
            server.Send.NotificationResponse("news", "extra");
            sent.Set();
            server.Expect<Sync>();
            server.Send.ReadyForQuery();
            server.AnswerCommand();
        });
        await Open("Keepalive=10");
        var heard = new List<string>();
        Connection.Notification += (_, e) =>
        {
            heard.Add(e.Payload);
            Assert.Throws<PgOperationInProgressException>(() => Command().ExecuteScalar());
            heard.Add("refused");
        };
        sent.Wait();
        Pass(10);

        Assert.That(heard, Is.EqualTo(new[] { "extra", "refused" }));
        await AssertUsable();
    }

    [Test]
    public async Task A_closed_connection_is_no_longer_looked_at()
    {
        Play(server =>
        {
            server.Login();
            server.Expect<Terminate>();
        });
        await Open("Keepalive=10");
        Assert.That(Server.Time.TimersSet, Is.Not.Zero);
        await Connection.CloseAsync();

        Assert.That(Server.Time.TimersSet, Is.Zero);
        Pass(100);
    }

    [Test]
    public async Task A_session_in_the_pool_is_left_to_the_pool()
    {
        Play(server =>
        {
            server.Login();
            server.AnswerCommand();
            server.AnswerCommand();
            server.Expect<Sync>();
            server.Send.ReadyForQuery();
            server.AnswerCommand();
            server.Expect<Terminate>();
        });
        await using var source = Server.DataSource("Pooling=true;Session Reset=Never;Keepalive=10;Connection Pruning Interval=1000;Connection Lifetime=0");
        await using (var connection = source.CreateConnection())
        {
            await Mode.Open(connection);
            Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 1", connection)), Is.EqualTo(42));
        }
        // The pool's own maintenance has the test's clock for its timer, and the machine's for the idle time, which is next to nothing.
        Pass(100);
        await using (var connection = source.CreateConnection())
        {
            await Mode.Open(connection);
            Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 1", connection)), Is.EqualTo(42));
            Pass(10);
            Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 1", connection)), Is.EqualTo(42));
        }
    }

    [Test]
    public async Task The_pool_asks_for_its_sessions_when_their_time_is_over()
    {
        Play(server =>
        {
            server.Login();
            Assert.That(server.Expect<Query>().Sql, Is.Empty);
            server.Send.EmptyQueryResponse().ReadyForQuery();
            server.Expect<Terminate>();
        });
        await using var source = Server.DataSource("Pooling=true;Session Reset=Never;Keepalive=10");
        var policy = new SessionPolicy(source.Context, source.Settings.Pool, Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance, null);
        var pooled = Mode == WaitMode.Async
            ? await policy.OpenAsync(TimeSpan.FromSeconds(5), CancellationToken.None)
            : policy.Open(TimeSpan.FromSeconds(5));
        pooled.IdleSince = Environment.TickCount64;
        Assert.That(policy.NeedsAttention(pooled), Is.False);

        pooled.IdleSince -= 10_000;
        Assert.That(policy.NeedsAttention(pooled), Is.True);
        Assert.That(Mode == WaitMode.Async
            ? await policy.CheckAsync(pooled, TimeSpan.FromSeconds(5), CancellationToken.None)
            : policy.Check(pooled, TimeSpan.FromSeconds(5)), Is.True);
        Assert.That(policy.NeedsAttention(pooled), Is.False);
        policy.Close(pooled);
    }

    private void Pass(double seconds) => Server.Time.Advance(TimeSpan.FromSeconds(seconds));
}
