namespace Loxo.IntegrationTests.Chaos;

/// <summary>A connection ends in an orderly way: with Terminate and the end of the stream, not with a reset, of which servers and proxies complain.</summary>
[TestFixture(WaitMode.Blocking, false), TestFixture(WaitMode.Async, false)]
[TestFixture(WaitMode.Blocking, true), TestFixture(WaitMode.Async, true)]
public class FarewellTests(WaitMode mode, bool isEncrypted) : ChaosTest(mode)
{
    private const string Rows = "SELECT i, repeat('x', 1000) FROM generate_series(1, 5000) i";

    // Not in FROM, where the server would collect them first.
    private const string EndlessRows = "SELECT generate_series(1, 1000000000), repeat('x', 1000)";

    private const string Import = "COPY half_imported FROM STDIN (FORMAT binary)";

    private const string EndlessExport = $"COPY ({EndlessRows}) TO STDOUT (FORMAT binary)";

    /// <summary>What is open when its connection is closed.</summary>
    public enum Opened
    {
        Reader,
        EndlessReader,
        ChangingReader,
        ReaderInTransaction,
        Import,
        Export,
    }

    // Not a temporary one, after which the session would be reset.
    [OneTimeSetUp]
    public Task CreateTable() => OnServer("CREATE TABLE half_imported (i int)");

    [OneTimeTearDown]
    public Task DropTable() => OnServer("DROP TABLE half_imported");

    private protected override string Direct => isEncrypted ? TestServer.Tls.ConnectionString : base.Direct;

    [Test]
    public async Task A_connection_ends_with_Terminate_and_not_with_a_reset(
        [Values] bool isPooled,
        [Values("nothing", "a command", "a failed command", "a cancelled command", "a reader closed early", "an import given up", "an export given up")] string after)
    {
        var (connection, link) = await OpenLink(isPooled);
        await (after switch
        {
            "nothing" => Task.CompletedTask,
            "a command" => Execute(connection, Rows),
            "a failed command" => Error<PostgresException>(Execute(connection, "SELECT 1 / (i - 2000), repeat('x', 1000) FROM generate_series(1, 5000) i")),
            "a cancelled command" => Cancelled(connection),
            "a reader closed early" => GivenUp(await Reader(connection, Rows)),
            "an import given up" => GivenUp(await BeginImport(connection)),
            _ => GivenUp(await BeginExport(connection)),
        });

        await EndsInOrder(connection, link, isPooled, isDisposed: false);
    }

    [Test]
    public async Task A_connection_that_is_closed_under_its_reader_or_copy_ends_so_too([Values] bool isPooled, [Values] Opened open, [Values] bool isDisposed)
    {
        var (connection, link) = await OpenLink(isPooled);
        if (open is Opened.ReaderInTransaction)
            await Start(() => Mode.Run(() => connection.BeginTransaction(), () => connection.BeginTransactionAsync().AsTask()));
        object opened = open switch
        {
            Opened.Reader or Opened.ReaderInTransaction => await Reader(connection, Rows),
            Opened.EndlessReader => await Reader(connection, EndlessRows),
            Opened.ChangingReader => await Reader(connection, "WITH t AS (SELECT txid_current()) " + Rows + ", t"),
            Opened.Import => await BeginImport(connection),
            _ => await BeginExport(connection),
        };

        await EndsInOrder(connection, link, isPooled, isDisposed);

        GC.KeepAlive(opened);
    }

    private async Task OnServer(string sql)
    {
        await using var connection = new PgConnection(Direct);
        await connection.OpenAsync();
        await using var command = new PgCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }

    private Task<(PgConnection Connection, ChaosLink Link)> OpenLink(bool isPooled) =>
        Open($"Pooling={isPooled};Session Reset=Auto" + (isEncrypted ? ";SSL Mode=Require" : ""));

    private async Task EndsInOrder(PgConnection connection, ChaosLink link, bool isPooled, bool isDisposed)
    {
        var settings = connection.ConnectionString;
        // Messages that are encrypted cannot be told from one another.
        var farewell = isEncrypted ? Task.CompletedTask : link.ToServer.Saw('X');

        await Start(() => isDisposed ? Mode.Dispose(connection) : Mode.Close(connection));
        if (isPooled)
            await EndPooled(settings);

        await Finish(link.Ended);
        Assert.That(farewell.IsCompleted, "no Terminate was sent");
        Assert.That(link.ToServer.WasReset, Is.False, "the driver has reset the connection");
        Assert.That(link.ToClient.IsRefused, Is.False, "the driver has closed the connection while bytes were on their way to it");
    }

    // The next renter reads the answers that are due: to a ROLLBACK, to a reset, or to what a session is asked of its database.
    private static async Task EndPooled(string settings)
    {
        await using var next = new PgConnection(settings);
        Session.ServerSession session;
        do
        {
            await next.OpenAsync();
            session = next.Session!;
            await using (var command = new PgCommand("SELECT 1", next))
                await command.ExecuteNonQueryAsync();
            await next.CloseAsync();
        }
        while (session.Deferred.IsDue);
        PgConnection.ClearPool(next);
    }

    private async Task<PgDataReader> Reader(PgConnection connection, string sql)
    {
        // Disposed with its reader: a command that is disposed earlier leaves its reader open.
        var reader = await Start(() => Mode.ExecuteReader(new PgCommand(sql, connection)));
        await Start(() => Mode.Read(reader));
        return reader;
    }

    private Task Execute(PgConnection connection, string sql) => Start(async () =>
    {
        await using var command = new PgCommand(sql, connection);
        await Mode.ExecuteNonQuery(command);
    });

    private async Task Cancelled(PgConnection connection)
    {
        await using var command = new PgCommand(EndlessRows, connection);
        var reader = await Start(() => Mode.ExecuteReader(command));
        await Start(() => Mode.Read(reader));
        command.Cancel();
        await Error<OperationCanceledException>(Start(async () =>
        {
            while (await Mode.Read(reader))
            {
            }
        }));
        await GivenUp(reader);
    }

    private async Task<PgBinaryImporter> BeginImport(PgConnection connection)
    {
        var import = await Start(() => Mode.Run(() => connection.BeginBinaryImport(Import), () => connection.BeginBinaryImportAsync(Import)));
        await Start(() => Mode.Run(
            () =>
            {
                for (var i = 0; i < 20000; i++)
                    import.WriteRow(i);
            },
            async () =>
            {
                for (var i = 0; i < 20000; i++)
                    await import.WriteRowAsync(CancellationToken.None, i);
            }));
        return import;
    }

    private async Task<PgBinaryExporter> BeginExport(PgConnection connection)
    {
        var export = await Start(() => Mode.Run(() => connection.BeginBinaryExport(EndlessExport), () => connection.BeginBinaryExportAsync(EndlessExport)));
        await Start(() => Mode.Run(() => export.StartRow(), () => export.StartRowAsync().AsTask()));
        return export;
    }

    private Task GivenUp<T>(T opened)
        where T : IDisposable, IAsyncDisposable => Start(() => Mode.Dispose(opened));
}
