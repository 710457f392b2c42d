using System.Data;
using System.Net.NetworkInformation;

namespace Loxo.IntegrationTests.Poolers;

/// <summary>What has to work where each connection has a server process of its own, whatever passes its bytes on.</summary>
public abstract class PassedOnTest(WaitMode mode) : DatabaseTest(mode)
{
    private string _table = "";

    protected override string ConnectionString => Pooler.ConnectionString + ";Pooling=false";

    private protected abstract PoolerProcess Pooler { get; }

    [SetUp]
    public async Task CreateTable()
    {
        _table = "passed_on_" + Guid.NewGuid().ToString("N");
        await Execute($"CREATE TABLE {_table} (id int PRIMARY KEY, name text)");
    }

    [TearDown]
    public async Task DropTable() => await Aside($"DROP TABLE {_table}");

    [Test]
    public async Task Queries_and_errors_come_back_and_the_connection_stays_usable()
    {
        Assert.That(await Rows("SELECT $1 + 1, repeat('x', $2)", 41, 20_000), Is.EqualTo(new object[][] { [42, new string('x', 20_000)] }));
        Assert.That((await Catch<PostgresException>(() => Scalar<int>("SELECT 1 / $1", 0))).SqlState, Is.EqualTo(PostgresErrorCodes.DivisionByZero));
        Assert.That((await Rows("SELECT i, repeat('y', 1000) FROM generate_series(1, 5000) i")).Select(row => row[0]), Is.EqualTo(Enumerable.Range(1, 5000)));
        await AssertUsable();
    }

    [TestCase(false)]
    [TestCase(true)]
    public async Task A_batch_is_one_transaction_and_error_barriers_divide_it(bool barriers)
    {
        await using var batch = new PgBatch(Connection) { EnableErrorBarriers = barriers };
        foreach (var id in new[] { 1, 2, 2, 3 })
            batch.BatchCommands.Add(new PgBatchCommand($"INSERT INTO {_table} VALUES ($1)") { Parameters = { new PgParameter { Value = id } } });
        var error = await Catch<PostgresException>(() => Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync()));
        Assert.That(error.SqlState, Is.EqualTo(PostgresErrorCodes.UniqueViolation));
        Assert.That(await Ids(), Is.EqualTo(barriers ? new[] { 1, 2, 3 } : []));
    }

    [Test]
    public async Task A_pipeline_is_answered_in_order()
    {
        await using var pipeline = Connection.CreatePipeline();
        var results = Enumerable.Range(0, 50).Select(i => pipeline.AddScalar<int>(new PgCommand($"SELECT {i}"))).ToList();
        for (var i = 0; i < results.Count; i++)
        {
            var result = results[i];
            Assert.That(await Mode.Run(result.GetResult, () => result.GetResultAsync()), Is.EqualTo(i));
        }
    }

    [Test]
    public async Task Statements_are_prepared_by_themselves_and_by_Prepare()
    {
        for (var i = 0; i < 5; i++)
            Assert.That(await Scalar<int>("SELECT $1 + 1", i), Is.EqualTo(i + 1));
        await using var command = Command("SELECT $1 + 2", 1);
        await Mode.Prepare(command);
        Assert.That(command.IsPrepared, Is.True);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(3));
        var prepared = (await Rows("SELECT statement FROM pg_prepared_statements")).Select(row => row[0]);
        Assert.That(prepared, Is.SupersetOf(new[] { "SELECT $1 + 1", "SELECT $1 + 2" }));
    }

    [Test]
    public async Task A_transaction_is_committed_or_rolled_back()
    {
        foreach (var (id, commits) in new[] { (1, true), (2, false), (3, true) })
        {
            await using var transaction = await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync());
            await Execute($"INSERT INTO {_table} VALUES ($1)", id);
            await (commits ? Mode.Commit(transaction) : Mode.Rollback(transaction));
        }
        Assert.That(await Ids(), Is.EqualTo(new[] { 1, 3 }));
    }

    [Test]
    public async Task A_failed_transaction_is_rolled_back_and_the_next_one_is_not()
    {
        await using (await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync()))
        {
            await Execute($"INSERT INTO {_table} VALUES (1)");
            await Catch<PostgresException>(() => Scalar<int>("SELECT 1 / $1", 0));
        }
        await Execute($"INSERT INTO {_table} VALUES (2)");
        Assert.That(await Ids(), Is.EqualTo(new[] { 2 }));
    }

    [Test]
    public async Task Rows_are_copied_in_and_out()
    {
        const int Count = 10_000;
        var importer = await Mode.Run(
            () => Connection.BeginBinaryImport($"COPY {_table} FROM STDIN (FORMAT binary)"),
            () => Connection.BeginBinaryImportAsync($"COPY {_table} FROM STDIN (FORMAT binary)"));
        for (var i = 0; i < Count; i++)
        {
            importer.StartRow();
            importer.Write(i);
            importer.Write("name " + i);
        }
        Assert.That(await Mode.Run(importer.Complete, () => importer.CompleteAsync().AsTask()), Is.EqualTo((ulong)Count));
        await Mode.Dispose(importer);
        var reader = await Mode.Run(
            () => Connection.BeginTextExport($"COPY {_table} TO STDOUT"), () => Connection.BeginTextExportAsync($"COPY {_table} TO STDOUT"));
        var lines = (await Mode.Run(reader.ReadToEnd, () => reader.ReadToEndAsync())).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        reader.Dispose();
        Assert.That(lines, Has.Length.EqualTo(Count));
        await AssertUsable();
    }

    [Test]
    public async Task Cancel_stops_the_command_and_the_connection_stays_usable()
    {
        for (var i = 0; i < 3; i++)
        {
            await using var command = Command(Sleep(out var marker));
            var running = Start(() => Mode.ExecuteScalar(command));
            await UntilItSleeps(marker, running);
            command.Cancel();
            await Catch<OperationCanceledException>(() => running);
            await AssertUsable();
        }
    }

    [Test]
    public async Task A_token_stops_the_command_and_the_connection_stays_usable()
    {
        for (var i = 0; i < 3; i++)
        {
            using var stop = new CancellationTokenSource();
            await using var command = Command(Sleep(out var marker));
            var running = command.ExecuteScalarAsync(stop.Token);
            await UntilItSleeps(marker, running);
            await stop.CancelAsync();
            await Catch<OperationCanceledException>(() => running);
            await AssertUsable();
        }
    }

    [Test]
    public async Task A_server_process_that_is_ended_is_an_error_and_its_connection_is_not_handed_out_again()
    {
        await using var source = PgDataSource.Create(Pooler.ConnectionString + ";Maximum Pool Size=1");
        await using var connection = await Rent(source);
        var process = await ProcessOf(connection);
        await using var command = new PgCommand(Sleep(out var marker), connection);
        var running = Start(() => Mode.ExecuteScalar(command));
        await UntilItSleeps(marker, running);
        await Aside($"SELECT pg_terminate_backend({process})");

        var error = await Catch<PgException>(() => running);

        Assert.That(error is PostgresException { SqlState: PostgresErrorCodes.AdminShutdown } || error.IsTransient, Is.True, error.ToString());
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
        await Mode.Close(connection);
        await using var next = await Rent(source);
        Assert.That(await ProcessOf(next), Is.Not.EqualTo(process));
    }

    [Test]
    public async Task A_restart_is_an_error_of_the_running_command_and_the_next_open_works()
    {
        await using var source = PgDataSource.Create(Pooler.ConnectionString + ";Maximum Pool Size=2");
        await using var connection = await Rent(source);
        await using var idle = await Rent(source);
        await ProcessOf(idle);
        await Mode.Close(idle);
        await using var command = new PgCommand(Sleep(out var marker), connection);
        var running = Start(() => Mode.ExecuteScalar(command));
        await UntilItSleeps(marker, running);
        Pooler.Stop();
        try
        {
            var error = await Catch<PgException>(() => running);
            Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed), error.ToString());
            Assert.That(error.IsTransient, Is.True, error.ToString());
            await Mode.Close(connection);
            Assert.That((await Catch<PgException>(() => Rent(source))).Message, Does.Contain($"127.0.0.1:{Pooler.Port}"));
        }
        finally
        {
            Pooler.Start();
        }
        await UntilItServes();
        await using var first = await Rent(source);
        await using var second = await Rent(source);
        Assert.That(await ProcessOf(first), Is.Not.EqualTo(await ProcessOf(second)));
    }

    // It listens a moment earlier.
    private async Task UntilItServes()
    {
        for (var end = DateTime.UtcNow.AddMinutes(1); ; await Task.Delay(50))
        {
            await using var probe = new PgConnection(Pooler.ConnectionString + ";Pooling=false");
            try
            {
                await probe.OpenAsync();
                return;
            }
            catch (PgException e) when (e.IsTransient && DateTime.UtcNow < end)
            {
            }
        }
    }

    private protected Task<PgConnection> Rent(PgDataSource source) => Mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());

    private protected async Task<int> ProcessOf(PgConnection connection)
    {
        await using var command = new PgCommand("SELECT pg_backend_pid()", connection);
        return (int)(await Mode.ExecuteScalar(command))!;
    }

    private protected static string Sleep(out string marker) => $"SELECT pg_sleep(600) /* {marker = "passed on " + Guid.NewGuid().ToString("N")} */";

    /// <summary>A blocking call has a thread of its own.</summary>
    private protected Task<object?> Start(Func<Task<object?>> call) => Mode == WaitMode.Async
        ? call()
        : Task.Factory.StartNew(call, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();

    private protected static async Task UntilItSleeps(string marker, Task running)
    {
        while (!Equals(await Aside($"SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%/* {marker} */'"), 1L))
            Assert.That(running.IsCompleted, Is.False, () => running.Exception?.ToString() ?? "The command ended by itself.");
    }

    /// <summary>Waits until the pooler has closed a connection of ours, which we have not.</summary>
    private protected async Task Farewell(int? port = null)
    {
        while (!IPGlobalProperties.GetIPGlobalProperties().GetActiveTcpConnections()
            .Any(connection => connection.State == TcpState.CloseWait && connection.RemoteEndPoint.Port == (port ?? Pooler.Port)))
            await Task.Delay(1);
    }

    /// <summary>Past the pooler.</summary>
    private protected static async Task<object?> Aside(string sql)
    {
        await using var connection = new PgConnection(TestServer.Default.ConnectionString);
        await connection.OpenAsync();
        return await new PgCommand(sql, connection).ExecuteScalarAsync();
    }

    private async Task<List<object?>> Ids() => (await Rows($"SELECT id FROM {_table} ORDER BY id")).ConvertAll(row => row[0]);
}
