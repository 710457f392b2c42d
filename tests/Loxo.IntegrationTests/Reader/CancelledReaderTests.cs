using System.Data;

namespace Loxo.IntegrationTests.Reader;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class CancelledReaderTests(WaitMode mode) : DatabaseTest(mode)
{
    private const string Endless = "SELECT repeat('x', 1000) FROM (SELECT generate_series(1, 100000000)) streamed";

    // More than the server's output buffer, so that the first row is sent before it waits.
    private const string RowsThenNothing = "SELECT repeat('x', 1000) FROM generate_series(1, 100) UNION ALL SELECT 'y' FROM pg_sleep(600)";

    [Test]
    public async Task Cancelling_and_closing_a_reader_does_not_throw()
    {
        await using var command = Command(Endless);
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);

        command.Cancel();
        await Mode.Close(reader);

        await AssertUsable();
    }

    [Test]
    public async Task Reading_on_after_a_cancel_throws()
    {
        await using var command = Command(Endless);
        var reader = await Mode.ExecuteReader(command);
        command.Cancel();

        await Catch<OperationCanceledException>(async () =>
        {
            while (await Mode.Read(reader))
            {
            }
        });

        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task A_token_stops_a_first_run_whose_values_are_still_to_be_made_text()
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("A token belongs to asynchronous calls.");
        await Execute("CREATE TYPE pg_temp.mood AS ENUM ('ok')");
        using var cancellation = new CancellationTokenSource();
        await using var command = Command("SELECT 'ok'::pg_temp.mood; SELECT pg_sleep(60)");

        var reading = command.ExecuteReaderAsync(cancellation.Token);
        await Sleeping();
        await cancellation.CancelAsync();

        await Catch<OperationCanceledException>(async () =>
        {
            await using var reader = await reading;
            while (await reader.NextResultAsync(CancellationToken.None))
            {
            }
        });
        await AssertUsable();
    }

    [Test]
    public async Task A_token_that_is_cancelled_between_two_reads_stops_the_command([Values] bool nextResult)
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("A token belongs to asynchronous calls.");
        await using var command = Command(RowsThenNothing + "; SELECT 1");
        var reader = await command.ExecuteReaderAsync();
        Assert.That(await reader.ReadAsync(), Is.True);
        using var cancellation = new CancellationTokenSource();
        await cancellation.CancelAsync();

        var error = await Catch<OperationCanceledException>(() => nextResult ? reader.NextResultAsync(cancellation.Token) : reader.ReadAsync(cancellation.Token));

        Assert.That(error.CancellationToken, Is.EqualTo(cancellation.Token));
        await reader.DisposeAsync();
        await AssertUsable();
    }

    [Test]
    public async Task The_token_of_the_execution_stops_what_a_closed_reader_leaves([Values] bool isCancelledBefore)
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("A token belongs to asynchronous calls.");
        await using var transaction = await Connection.BeginTransactionAsync();
        await using var command = Command(RowsThenNothing);
        using var cancellation = new CancellationTokenSource();
        var reader = await command.ExecuteReaderAsync(cancellation.Token);
        Assert.That(await reader.ReadAsync(CancellationToken.None), Is.True);
        if (isCancelledBefore)
            await cancellation.CancelAsync();

        var closing = reader.CloseAsync();
        if (!isCancelledBefore)
            await Sleeping();
        await cancellation.CancelAsync();
        await closing;

        await transaction.RollbackAsync();
        await AssertUsable();
    }

    [Test]
    public async Task A_token_that_is_cancelled_when_the_answer_is_there_stops_nothing([Values(0, 1, 2)] int reads, [Values] bool hasOutputs)
    {
        // Without a cancel request, only the end of the connection would stop a command.
        await using var connection = new PgConnection(ConnectionString + ";Cancellation Timeout=-1");
        await Mode.Open(connection);
        await using var command = new PgCommand("SELECT 1 AS one", connection);
        if (hasOutputs)
            command.Parameters.Add(new PgParameter("one", PgDbType.Integer) { Direction = ParameterDirection.Output });
        using var cancellation = new CancellationTokenSource();
        var reader = await command.ExecuteReaderAsync(cancellation.Token);
        for (var i = 0; i < reads; i++)
            Assert.That(await Mode.Read(reader), Is.EqualTo(i == 0));
        // What is left of the answer has arrived by then.
        await Task.Delay(20);

        await cancellation.CancelAsync();
        await Mode.Close(reader);

        await using var next = new PgCommand("SELECT 42", connection);
        Assert.That(await Mode.ExecuteScalar(next), Is.EqualTo(42));
    }

    [Test]
    public async Task Closing_a_reader_early_does_not_wait_for_a_query_that_changes_nothing([Values(RowsThenNothing, Endless)] string sql)
    {
        await using var command = Command(sql);
        command.CommandTimeout = 0;
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        await Mode.Close(reader);
        await AssertUsable();
        Assert.That(await Mode.ExecuteScalar(command), Is.Not.Null);
        await AssertUsable();
    }

    [TestCase("INSERT INTO closed_early SELECT repeat('x', 1000) FROM generate_series(1, 20000) RETURNING name", 20000)]
    [TestCase("SELECT repeat('x', 1000) FROM generate_series(1, 20000); INSERT INTO closed_early VALUES ('y')", 1)]
    [TestCase("INSERT INTO closed_early VALUES ('y'); SELECT repeat('x', 1000) FROM generate_series(1, 20000)", 1)]
    [TestCase("WITH a AS (INSERT INTO closed_early SELECT repeat('x', 1000) FROM generate_series(1, 20000) RETURNING name) SELECT name FROM a", 20000)]
    public async Task Closing_a_reader_early_undoes_nothing(string sql, long rows)
    {
        await Execute("CREATE TEMP TABLE closed_early (name text)");
        await using var command = Command(sql);
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        await Mode.Close(reader);
        Assert.That(await Scalar<long>("SELECT count(*) FROM closed_early"), Is.EqualTo(rows));
    }

    [Test, Category("Slow")]
    public async Task Closing_a_reader_early_reads_on_until_the_timeout_if_a_change_follows()
    {
        await Execute("CREATE TEMP TABLE closed_early (name text)");
        await using var command = Command(RowsThenNothing + "; INSERT INTO closed_early VALUES ('x')");
        command.CommandTimeout = 1;
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);

        var error = await Catch<PgException>(() => Mode.Close(reader));

        Assert.That((error.Code, reader.IsClosed), Is.EqualTo((PgErrorCode.Timeout, true)));
        await AssertUsable();
    }

    [Test]
    public async Task Closing_a_reader_early_leaves_its_transaction_alone()
    {
        await using var transaction = await Mode.Run(() => Connection.BeginTransaction(), () => Connection.BeginTransactionAsync().AsTask());
        await using (var command = Command("SELECT repeat('x', 1000) FROM generate_series(1, 20000)"))
        {
            var reader = await Mode.ExecuteReader(command);
            Assert.That(await Mode.Read(reader), Is.True);
            await Mode.Close(reader);
        }
        Assert.That(await Scalar<int>("SELECT 42"), Is.EqualTo(42));
        await Mode.Commit(transaction);
    }

    [Test]
    public async Task A_scalar_that_was_read_before_its_statements_were_undone_is_not_returned([Values] bool byToken)
    {
        if (byToken && Mode == WaitMode.Blocking)
            Assert.Ignore("A token belongs to asynchronous calls.");
        await Execute("CREATE TEMP TABLE undone (name text)");
        // The second result is more than the server's output buffer, so that the first row is sent before it waits.
        await using var command = Command("INSERT INTO undone VALUES ('x') RETURNING name; SELECT repeat('x', 1000) FROM generate_series(1, 100); SELECT pg_sleep(600)");
        using var cancellation = new CancellationTokenSource();
        var running = Task.Run(() => Mode.ExecuteScalar(command, byToken ? cancellation.Token : CancellationToken.None));
        await Sleeping();
        if (byToken)
            await cancellation.CancelAsync();
        else
            command.Cancel();

        await Catch<OperationCanceledException>(() => running);

        Assert.That(await Scalar<long>("SELECT count(*) FROM undone"), Is.Zero);
    }

    // A cancel request that reaches the server before the command does is ignored.
    private async Task Sleeping()
    {
        await using var other = await OpenAnother();
        await using var command = new PgCommand("SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'", other);
        command.Parameters.Add(new PgParameter { Value = Connection.ProcessID });
        while ((long)(await command.ExecuteScalarAsync())! == 0)
            await Task.Delay(5);
    }
}
