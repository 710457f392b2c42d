using System.Data;
using System.Transactions;

namespace Loxo.IntegrationTests.Transactions;

/// <summary>The time of an ambient transaction is over: its rollback comes on another thread, whatever the connection does.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class ScopeTimeoutTests(WaitMode mode) : ScopeTest(mode)
{
    // Only to be over soon.
    private static readonly TimeSpan Soon = TimeSpan.FromMilliseconds(300);

    [Test]
    public async Task A_running_command_is_stopped()
    {
        // On a busy machine the time may be over before the command runs.
        for (var time = Soon; !await TryStop(time); time *= 2)
            Assert.That(time, Is.LessThan(TimeSpan.FromMinutes(1)));
    }

    // False if the command has not run.
    private async Task<bool> TryStop(TimeSpan time)
    {
        var scope = Scope(timeout: time);
        await using var connection = Source.CreateConnection();
        try
        {
            await Mode.Open(connection);
            await Insert(connection, 1);
            await Run(connection, "SELECT pg_sleep(600)");
            Assert.Fail("It was not stopped.");
        }
        catch (PgException e) when (e.InnerException is PostgresException stopped)
        {
            Assert.That((e.Code, stopped.SqlState), Is.EqualTo((PgErrorCode.TransactionRolledBack, "57014")));
        }
        catch (Exception e) when (e is PgException { Code: PgErrorCode.TransactionRolledBack } or TransactionException)
        {
            scope.Complete();
            Assert.Throws<TransactionAbortedException>(scope.Dispose);
            return false;
        }

        var refused = await Catch<PgException>(() => Insert(connection, 2));
        Assert.That(refused.Code, Is.EqualTo(PgErrorCode.TransactionRolledBack));
        scope.Complete();
        Assert.Throws<TransactionAbortedException>(scope.Dispose);
        await Insert(connection, 3);
        Assert.That(await Ids(), Is.EqualTo(new[] { 3 }));
        await connection.DisposeAsync();
        await AwaitReturned(Source);
        return true;
    }

    [Test]
    public async Task An_idle_connection_is_rolled_back_and_runs_nothing_outside([Values] bool isOpen)
    {
        var scope = Scope(timeout: Soon);
        var connection = await Open();
        var processId = connection.ProcessID;
        await Insert(connection, 1);
        if (!isOpen)
            await connection.DisposeAsync();
        await AwaitAborted();
        using (new TransactionScope(TransactionScopeOption.Suppress, TransactionScopeAsyncFlowOption.Enabled))
            await AwaitIdle(processId);

        if (isOpen)
            await Catch<PgException>(() => Insert(connection, 2));
        await Catch<TransactionException>(() => Open());
        scope.Complete();
        Assert.Throws<TransactionAbortedException>(scope.Dispose);
        await connection.DisposeAsync();
        Assert.That(await Ids(), Is.Empty);
        await AwaitReturned(Source);
        await InsertApart(3);
    }

    [Test]
    public async Task An_unread_reader_ends_with_the_transaction([Values] bool closeConnection)
    {
        var scope = Scope(timeout: Soon);
        await using var connection = await Open();
        await Insert(connection, 1);
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT generate_series(1, 100000000)";
        var reader = await Mode.ExecuteReader(command);
        await Mode.Read(reader);
        await AwaitAborted();

        if (closeConnection)
            await Mode.Close(connection);
        else
            await Catch<PgException>(async () =>
            {
                while (await Mode.Read(reader))
                {
                }
            });
        Assert.Throws<TransactionAbortedException>(() =>
        {
            scope.Complete();
            scope.Dispose();
        });
        await connection.DisposeAsync();
        await AwaitReturned(Source);
        Assert.That(await Ids(), Is.Empty);
        await InsertApart(3);
    }

    public enum CopyEnd
    {
        Complete,
        Dispose,
        CloseConnection,
        WriteOn,
    }

    [Test]
    public async Task An_import_ends_with_the_transaction([Values] CopyEnd end)
    {
        var scope = Scope(timeout: Soon);
        var connection = await Open();
        var sql = $"COPY {Table} FROM STDIN (FORMAT binary)";
        var importer = await Mode.Run(() => connection.BeginBinaryImport(sql), () => connection.BeginBinaryImportAsync(sql));
        await Row(importer, 1);
        await AwaitAborted();

        var error = await ErrorOf(async () =>
        {
            if (end == CopyEnd.WriteOn)
            {
                for (var i = 2; i < 100_000_000; i++)
                    await Row(importer, i);
            }
            if (end == CopyEnd.Complete)
                await Mode.Run(importer.Complete, () => importer.CompleteAsync().AsTask());
            else if (end == CopyEnd.CloseConnection)
                await Mode.Close(connection);
        });
        // The server may have completed the import before it is asked to stop it; the rollback comes behind it.
        if (error is not null || end == CopyEnd.WriteOn)
            Assert.That(error, Is.InstanceOf<PgException>());
        Assert.That(await ErrorOf(() => Mode.Dispose(importer)), Is.Null);
        scope.Complete();
        Assert.Throws<TransactionAbortedException>(scope.Dispose);
        await connection.DisposeAsync();
        await AwaitReturned(Source);
        Assert.That(await Ids(), Is.Empty);
        await InsertApart(3);
    }

    [Test]
    public async Task An_export_ends_with_the_transaction([Values(CopyEnd.Dispose, CopyEnd.CloseConnection, CopyEnd.Complete)] CopyEnd end)
    {
        var scope = Scope(timeout: Soon);
        var connection = await Open();
        const string Sql = "COPY (SELECT generate_series(1, 100000000)) TO STDOUT (FORMAT binary)";
        var exporter = await Mode.Run(() => connection.BeginBinaryExport(Sql), () => connection.BeginBinaryExportAsync(Sql));
        await Mode.Run(exporter.StartRow, () => exporter.StartRowAsync().AsTask());
        await AwaitAborted();

        if (end == CopyEnd.Complete)
        {
            await Catch<PgException>(async () =>
            {
                while (await Mode.Run(exporter.StartRow, () => exporter.StartRowAsync().AsTask()) >= 0)
                {
                }
            });
        }
        else if (end == CopyEnd.CloseConnection)
            await Mode.Close(connection);
        Assert.That(await ErrorOf(() => Mode.Dispose(exporter)), Is.Null);
        scope.Complete();
        Assert.Throws<TransactionAbortedException>(scope.Dispose);
        await connection.DisposeAsync();
        await AwaitReturned(Source);
        await InsertApart(3);
    }

    [Test]
    public async Task A_reader_that_has_come_to_its_end_leaves_the_session_to_the_rollback()
    {
        using var scope = Scope();
        await using var connection = await Open();
        await using var command = new PgCommand("SELECT 1", connection);
        var reader = await Mode.ExecuteReader(command);
        await Mode.NextResult(reader);

        // As the rollback does on its timer's thread, up to where it would write.
        var session = connection.Session!;
        Assert.That(session.Owner.TakeBack());
        session.Claim(null);
        await Mode.Close(connection);

        Assert.That(session.Command.Query.SkipResults, Is.False);
    }

    [Test, Category("Slow")]
    public async Task Many_scopes_that_end_at_any_moment_leave_the_pool_as_it_was()
    {
        const int Callers = 16, Rounds = 6;
        await using var source = MakeSource("Maximum Pool Size=8");
        var outcomes = await Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => Task.Factory.StartNew(
            () => RunMany(source, caller, Rounds), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap()));

        var known = outcomes.SelectMany(static outcome => outcome).ToList();
        var ids = await Ids();
        foreach (var (id, isCommitted) in known)
            Assert.That(ids.Contains(id), Is.EqualTo(isCommitted), $"Row {id}");
        Assert.That(known.Any(static outcome => outcome.IsCommitted) && known.Any(static outcome => !outcome.IsCommitted), "Both were to happen.");
        await AwaitReturned(source);
        for (var i = 0; i < 8; i++)
        {
            await using var connection = await Open(source);
            Assert.That(await Run(connection, "SELECT 42"), Is.EqualTo(42));
        }
        Assert.That(await Scalar<long>("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'scopes' AND state LIKE 'idle in%'"), Is.Zero);
    }

    private async Task<List<(int Id, bool IsCommitted)>> RunMany(PgDataSource source, int caller, int rounds)
    {
        var random = new Random(caller);
        var outcomes = new List<(int, bool)>();
        for (var round = 0; round < rounds; round++)
        {
            var id = (caller * 1000) + (round * 10);
            var isCommitted = false;
            try
            {
                // Some end by their time for certain, some never, the others may.
                var kind = random.Next(3);
                var milliseconds = kind == 0 ? random.Next(1, 100) : kind == 1 ? 600_000 : random.Next(1, 1500);
                using var scope = Scope(timeout: TimeSpan.FromMilliseconds(milliseconds));
                await using (var connection = await Open(source))
                {
                    await Insert(connection, id);
                    await Run(connection, $"SELECT pg_sleep({(kind == 0 ? 600_000 : random.Next(0, 700))}::float / 1000)");
                }
                await using (var connection = await Open(source))
                    await Run(connection, $"UPDATE {Table} SET id = id WHERE id = {id}");
                scope.Complete();
                scope.Dispose();
                isCommitted = true;
            }
            catch (Exception e) when (e is PgException or TransactionException)
            {
            }
            outcomes.Add((id, isCommitted));
        }
        return outcomes;
    }

    private static async Task AwaitAborted()
    {
        while (Transaction.Current!.TransactionInformation.Status == System.Transactions.TransactionStatus.Active)
            await Task.Delay(10);
    }

    private async Task Row(PgBinaryImporter importer, int id)
    {
        await Mode.Run(importer.StartRow, () => importer.StartRowAsync());
        await Mode.Run(() => importer.Write(id), () => importer.WriteAsync(id));
    }

    private static async Task<Exception?> ErrorOf(Func<Task> action)
    {
        try
        {
            await action();
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }
}
