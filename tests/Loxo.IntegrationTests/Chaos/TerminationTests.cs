using System.Data;

namespace Loxo.IntegrationTests.Chaos;

/// <summary>The server ends the session: what it says on the way out is what the caller gets to see.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class TerminationTests(WaitMode mode) : ChaosTest(mode)
{
    [Test]
    public async Task A_session_terminated_during_a_command_says_so()
    {
        var (connection, link) = await Open();
        var sent = link.ToServer.Saw('S');
        var running = Scalar(connection, "SELECT pg_sleep(600)");
        await Finish(sent);

        await Terminate(connection.ProcessID);

        await AssertTerminated(await Error<PostgresException>(running), connection);
    }

    [Test]
    public async Task A_session_terminated_between_two_rows_says_so()
    {
        var (connection, link) = await Open();
        using var command = new PgCommand("SELECT i, repeat('x', 4096), CASE WHEN i = 12 THEN pg_sleep(600) END FROM generate_series(1, 20) i", connection);
        var rows = link.ToClient.Saw('D', 4);
        var reading = Start(async () =>
        {
            await using var reader = await Mode.ExecuteReader(command);
            while (await Mode.Read(reader))
            {
            }
        });
        await Finish(rows);

        await Terminate(connection.ProcessID);

        await AssertTerminated(await Error<PostgresException>(reading), connection);
    }

    [Test]
    public async Task A_session_terminated_while_idle_says_so_at_its_next_command()
    {
        var (connection, link) = await Open();
        var farewell = link.ToClient.Saw('E');
        await Terminate(connection.ProcessID);
        await Finish(farewell);

        await AssertTerminated(await Error<PostgresException>(Scalar(connection, "SELECT 1")), connection);
    }

    [Test]
    public async Task A_session_terminated_and_gone_says_so_at_its_next_command()
    {
        await using var connection = new PgConnection(Direct);
        await Start(() => Mode.Open(connection));
        await Terminate(connection.ProcessID);
        await Gone(connection.ProcessID);

        var error = await Error<PostgresException>(Scalar(connection, "SELECT 1"));

        await AssertTerminated(error, connection);
    }

    [Test]
    public async Task A_session_terminated_within_a_transaction_leaves_it_over()
    {
        var (connection, link) = await Open();
        var transaction = connection.BeginTransaction();
        await Scalar(connection, "SELECT 1");
        var farewell = link.ToClient.Saw('E');
        await Terminate(connection.ProcessID);
        await Finish(farewell);

        var error = await Error<PostgresException>(Start(() => Mode.Commit(transaction)));

        await Start(() => Mode.Dispose(transaction));
        await AssertTerminated(error, connection);
    }

    [Test]
    public async Task A_session_terminated_while_a_large_command_is_sent_says_so_or_that_the_connection_is_lost()
    {
        var (connection, link) = await Open();
        var gate = link.ToServer.GateAfterBytes(100_000);
        using var command = new PgCommand("SELECT length($1)", connection);
        command.Parameters.Add(new PgParameter(null, new byte[20_000_000]));
        var running = Start(() => Mode.ExecuteScalar(command));
        await Finish(gate.Reached);

        // The server reads a message whole before it looks at signals: the end of the stream is what makes it go.
        link.Cut();

        var error = await Error<PgException>(running);
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
        await AssertClosedButReusable(connection);
    }

    private async Task AssertTerminated(PostgresException error, PgConnection connection)
    {
        Assert.That(error.SqlState, Is.EqualTo(SqlStates.AdminShutdown), error.ToString());
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
        var refusal = await Error<PgException>(Scalar(connection, "SELECT 1"));
        Assert.That(refusal.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
        Assert.That(refusal.Message, Does.Contain("terminating connection"), "the reason is told to those who come later, too");
        await Start(() => Mode.Close(connection));
        await Start(() => Mode.Open(connection));
        await AssertUsable(connection);
    }

    private static async Task Terminate(int process)
    {
        await using var other = new PgConnection(TestServer.Default.ConnectionString);
        await other.OpenAsync();
        await using var command = new PgCommand("SELECT pg_terminate_backend($1)", other);
        command.Parameters.Add(new PgParameter(null, process));
        Assert.That(await command.ExecuteScalarAsync(), Is.EqualTo(true));
    }

    private static async Task Gone(int process)
    {
        await using var other = new PgConnection(TestServer.Default.ConnectionString);
        await other.OpenAsync();
        await using var command = new PgCommand("SELECT count(*) FROM pg_stat_activity WHERE pid = $1", other);
        command.Parameters.Add(new PgParameter(null, process));
        while (!Equals(await command.ExecuteScalarAsync(), 0L))
            await Task.Yield();
    }
}
