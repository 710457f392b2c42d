using System.Data;

namespace Loxo.IntegrationTests.Copy;

/// <summary>
/// Every way in which a copy can end before its time, at every stage: the table is empty or complete, and the connection can be used unless
/// its server process is gone.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class CopyStageTests(WaitMode mode) : CopyTest(mode)
{
    public enum Stage
    {
        Begun,
        InRow,
        BetweenRows,
        SomeSent,
        MuchSent,
        AllWritten,
    }

    public enum End
    {
        Dispose,
        CloseConnection,
        Exception,
        CancelledToken,
        BackendKilled,
        BackendCancelled,
        StatementTimeout,
        TableDropped,
    }

    private string _table = "";

    [SetUp]
    public async Task CreateSharedTable()
    {
        _table = "staged_" + Guid.NewGuid().ToString("N")[..10];
        await Execute($"CREATE TABLE {_table} (id int, name text)");
    }

    [TearDown]
    public async Task DropSharedTable()
    {
        await using var other = await OpenAnother();
        await using var drop = new PgCommand($"DROP TABLE IF EXISTS {_table}", other);
        await Mode.ExecuteNonQuery(drop);
    }

    [Test]
    public async Task An_import_leaves_the_table_empty_or_complete([Values] Stage stage, [Values] End end, [Values] bool inTransaction)
    {
        await using var connection = await OpenAnother();
        var pid = connection.ProcessID;
        if (end == End.StatementTimeout)
            await Run(connection, "SET statement_timeout = 20");
        var transaction = inTransaction ? connection.BeginTransaction() : null;
        var completed = false;
        try
        {
            var importer = await BeginImport($"COPY {_table} FROM STDIN (FORMAT binary)", connection);
            try
            {
                await Reach(importer, stage);
                completed = await Interrupt(importer, connection, end, pid);
                if (!completed && stage == Stage.InRow && end is not (End.Dispose or End.CloseConnection))
                    await Write(importer, "x");
                if (!completed)
                    await Complete(importer);
                completed = true;
            }
            finally
            {
                await Mode.Dispose(importer);
            }
            if (transaction is not null)
                await Mode.Commit(transaction);
        }
        catch (Exception e) when (e is PgException or OperationCanceledException or ObjectDisposedException or InvalidOperationException or DivideByZeroException)
        {
            completed = false;
        }
        if (transaction is not null)
            await Mode.Dispose(transaction);
        if (end == End.BackendKilled)
        {
            // Its end may not have been noticed, if everything was over before.
            Assert.That(completed || connection.State == ConnectionState.Closed, Is.True);
        }
        else if (end != End.CloseConnection)
        {
            Assert.That(connection.State, Is.EqualTo(ConnectionState.Open));
            if (end == End.StatementTimeout)
                await ResetTimeout(connection);
            Assert.That(await Run(connection, "SELECT 42"), Is.EqualTo(42));
            Assert.That(connection.ProcessID, Is.EqualTo(pid));
        }
        if (end != End.TableDropped)
            Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.EqualTo(completed ? RowsOf(stage) : 0));
    }

    [Test]
    public async Task A_token_stops_an_import_that_waits_for_a_lock()
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("Blocking calls take no token; their time limit is tested below.");
        await using var other = await OpenAnother();
        await using var blocker = other.BeginTransaction();
        await Run(other, $"LOCK {_table}");
        using var stop = new CancellationTokenSource();
        var beginning = BeginImport($"COPY {_table} FROM STDIN (FORMAT binary)", token: stop.Token);
        await AwaitLock();
        await stop.CancelAsync();
        var error = await Catch<OperationCanceledException>(() => beginning);
        Assert.That(error.CancellationToken, Is.EqualTo(stop.Token));
        await blocker.RollbackAsync();
        await AssertUsable();
    }

    [Test]
    public async Task A_time_limit_of_its_own_ends_an_import_whose_end_waits_for_a_lock()
    {
        await Execute($"ALTER TABLE {_table} ADD UNIQUE (id)");
        await using var other = await OpenAnother();
        await using var blocker = other.BeginTransaction();
        await Run(other, $"INSERT INTO {_table} VALUES (5)");
        var importer = await BeginImport($"COPY {_table} FROM STDIN (FORMAT binary)");
        importer.Timeout = TimeSpan.FromMilliseconds(50);
        await WriteRow(importer, 5, "x");
        var error = await Catch<PgException>(() => Complete(importer));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        await Mode.Dispose(importer);
        await Mode.Rollback(blocker);
        Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.Zero);
        await AssertUsable();
    }

    private static int RowsOf(Stage stage) => stage switch
    {
        Stage.Begun => 0,
        Stage.InRow or Stage.BetweenRows => 1,
        Stage.SomeSent => 5_000,
        _ => 60_000,
    };

    private async Task Reach(PgBinaryImporter importer, Stage stage)
    {
        for (var i = 0; i < RowsOf(stage); i++)
        {
            await StartRow(importer);
            await Write(importer, i);
            if (stage != Stage.InRow)
                await Write(importer, "some text for this row");
        }
    }

    // True if the import was completed nevertheless.
    private async Task<bool> Interrupt(PgBinaryImporter importer, PgConnection connection, End end, int pid)
    {
        switch (end)
        {
            case End.Dispose:
                await Mode.Dispose(importer);
                break;
            case End.CloseConnection:
                await Mode.Close(connection);
                break;
            case End.Exception:
                throw new DivideByZeroException();
            case End.CancelledToken when Mode == WaitMode.Async:
                using (var stop = new CancellationTokenSource())
                {
                    var completing = importer.CompleteAsync(stop.Token);
                    await stop.CancelAsync();
                    await completing;
                    return true;
                }
            case End.BackendKilled:
                await Scalar<bool>("SELECT pg_terminate_backend($1)", pid);
                while (await Scalar<long>("SELECT count(*) FROM pg_stat_activity WHERE pid = $1", pid) > 0)
                    await Task.Yield();
                break;
            case End.BackendCancelled:
                await Scalar<bool>("SELECT pg_cancel_backend($1)", pid);
                break;
            case End.TableDropped:
                await Execute("SET lock_timeout = 1");
                await Catch<PostgresException>(() => Execute($"DROP TABLE {_table}"));
                break;
        }
        return false;
    }

    // It may take longer than the timeout that it resets.
    private async Task ResetTimeout(PgConnection connection)
    {
        while (true)
        {
            try
            {
                await Run(connection, "RESET statement_timeout");
                return;
            }
            catch (PostgresException e) when (e.SqlState == SqlStates.QueryCanceled)
            {
            }
        }
    }

    private async Task AwaitLock()
    {
        await using var other = await OpenAnother();
        await using var waiting = new PgCommand("SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = $1", other);
        waiting.Parameters.Add(new PgParameter(null, Connection.ProcessID));
        while (await Mode.ExecuteScalar(waiting) is 0L)
            await Task.Yield();
    }

    private async Task<object?> Run(PgConnection connection, string sql)
    {
        await using var command = new PgCommand(sql, connection);
        return await Mode.ExecuteScalar(command);
    }
}
