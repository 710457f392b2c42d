namespace Loxo.IntegrationTests.Pool;

/// <summary>Whichever member has sent the statement, what it leaves is undone under Session Reset=Auto.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class LeftByMembersTests(WaitMode mode) : ResetTest(mode)
{
    private const string Lock = "SELECT pg_advisory_lock(4711)";

    private static readonly string[] Members =
    [
        nameof(PgBatch), nameof(PgPipeline), nameof(PgCommand.ExecuteMany), nameof(PgCommand.Prepare),
        nameof(PgCommand.FetchSize), nameof(PgConnection.BeginTextExport), nameof(PgConnection.BeginBinaryExport), nameof(PgConnection.BeginRawBinaryCopy),
        nameof(PgConnection.BeginTextImport), nameof(PgConnection.BeginBinaryImport), nameof(PgTransaction), "a reader that is closed early",
        "a batch whose first statement fails", "a parameter's attribute", "a name by a placeholder",
    ];

    private static TestDatabase _database = null!;

    [OneTimeSetUp]
    public static async Task CreateDatabase() => _database = await TestDatabase.Create("CREATE TABLE entries (id int)");

    [OneTimeTearDown]
    public static async Task DropDatabase() => await _database.DisposeAsync();

    [TestCaseSource(nameof(Members))]
    public async Task The_next_renter_does_not_find_the_lock_of(string member)
    {
        var source = Source(OneSession, _database.ConnectionString);
        await LookedThrough(source);
        var first = await Rent(source);
        var process = first.ProcessID;

        await TakeLock(first, member);

        Assert.That(await Locks(first), Is.GreaterThan(0L), "it was taken");
        await Mode.Close(first);
        var next = await Rent(source);
        Assert.That(next.ProcessID, Is.EqualTo(process));
        Assert.That(await Locks(next), Is.Zero);
        await Mode.Close(next);
    }

    [Test]
    public async Task A_command_of_a_data_source_that_leaves_a_lock_leaves_none([Values] bool multiplexes, [Values] bool isBatch)
    {
        var source = Source($"Application Name=reset;Multiplexing={multiplexes}", _database.ConnectionString);
        for (var round = 0; round < 5; round++)
        {
            await using (var plain = source.CreateCommand("SELECT 1"))
                await Mode.ExecuteScalar(plain);
            if (isBatch)
            {
                await using var batch = source.CreateBatch();
                batch.BatchCommands.Add(new PgBatchCommand("SELECT 1"));
                batch.BatchCommands.Add(new PgBatchCommand(Lock));
                await Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync());
            }
            else
            {
                await using var command = source.CreateCommand(Lock);
                await Mode.ExecuteNonQuery(command);
            }
            await using var count = source.CreateCommand("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()");
            Assert.That(await Mode.ExecuteScalar(count), Is.Zero);
        }
    }

    private async Task TakeLock(PgConnection connection, string member)
    {
        switch (member)
        {
            case nameof(PgBatch):
            case "a batch whose first statement fails":
                await using (var batch = new PgBatch(connection) { EnableErrorBarriers = true })
                {
                    batch.BatchCommands.Add(new PgBatchCommand(member == nameof(PgBatch) ? "SELECT 1" : "SELECT 1 / 0"));
                    batch.BatchCommands.Add(new PgBatchCommand(Lock));
                    await Ignore(() => Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync()));
                }
                break;
            case nameof(PgPipeline):
                await using (var pipeline = connection.CreatePipeline())
                {
                    var result = pipeline.AddNonQuery(new PgCommand(Lock, connection));
                    await Mode.Run(result.Wait, () => result.WaitAsync());
                }
                break;
            case nameof(PgCommand.ExecuteMany):
                await using (var many = new PgCommand("SELECT pg_advisory_lock($1)", connection))
                {
                    many.Parameters.Add(new PgParameter<long>());
                    long[] rows = [1, 2];
                    await Mode.Run(() => many.ExecuteMany(rows, Bind), () => many.ExecuteManyAsync(rows, Bind));
                }
                break;
            case nameof(PgConnection.BeginTextExport):
                var reader = await Mode.Run(() => connection.BeginTextExport($"COPY ({Lock}) TO STDOUT"), () => connection.BeginTextExportAsync($"COPY ({Lock}) TO STDOUT"));
                await Mode.Run(reader.ReadToEnd, () => reader.ReadToEndAsync());
                reader.Dispose();
                break;
            case nameof(PgConnection.BeginBinaryExport):
                const string Export = $"COPY ({Lock}::text) TO STDOUT (FORMAT binary)";
                await using (await Mode.Run(() => connection.BeginBinaryExport(Export), () => connection.BeginBinaryExportAsync(Export)))
                {
                }
                break;
            case nameof(PgConnection.BeginRawBinaryCopy):
                const string Raw = $"COPY ({Lock}::text) TO STDOUT (FORMAT binary)";
                await using (await Mode.Run(() => connection.BeginRawBinaryCopy(Raw), () => connection.BeginRawBinaryCopyAsync(Raw)))
                {
                }
                break;
            case nameof(PgConnection.BeginTextImport):
                const string Import = "COPY entries FROM STDIN WHERE pg_try_advisory_lock(id)";
                await using (var writer = await Mode.Run(() => connection.BeginTextImport(Import), () => connection.BeginTextImportAsync(Import)))
                {
                    await Mode.Run(() => writer.Write("1\n"), () => writer.WriteAsync("1\n"));
                    await Mode.Run(writer.Complete, () => writer.CompleteAsync().AsTask());
                }
                break;
            case nameof(PgConnection.BeginBinaryImport):
                const string Binary = "COPY entries FROM STDIN (FORMAT binary) WHERE pg_try_advisory_lock(id)";
                await using (var importer = await Mode.Run(() => connection.BeginBinaryImport(Binary), () => connection.BeginBinaryImportAsync(Binary)))
                {
                    await Mode.Run(importer.StartRow, () => importer.StartRowAsync());
                    await Mode.Run(() => importer.Write(1), () => importer.WriteAsync(1));
                    await Mode.Run(importer.Complete, () => importer.CompleteAsync().AsTask());
                }
                break;
            case nameof(PgTransaction):
                await using (var transaction = connection.BeginTransaction())
                {
                    await Execute(connection, Lock);
                    await Mode.Rollback(transaction);
                }
                break;
            default:
                await TakeLockByCommand(connection, member);
                break;
        }

        static void Bind(long row, PgParameterCollection parameters) => parameters[0].Value = row;
    }

    private async Task TakeLockByCommand(PgConnection connection, string member)
    {
        await using var command = new PgCommand(Lock, connection);
        switch (member)
        {
            case nameof(PgCommand.Prepare):
                await Mode.Prepare(command);
                break;
            case nameof(PgCommand.FetchSize):
                command.FetchSize = 1;
                command.CommandText = "SELECT pg_try_advisory_lock(i) FROM generate_series(1, 3) i";
                break;
            case "a reader that is closed early":
                command.CommandText = "SELECT pg_try_advisory_lock(i) FROM generate_series(1, 3) i";
                break;
            case "a parameter's attribute":
                command.CommandText = "SELECT @id.pg_advisory_lock";
                command.Parameters.Add(new PgParameter<long>("id", 1));
                break;
            case "a name by a placeholder":
                command.CommandText = "SELECT @pg_try_advisory_lock(1)::int";
                break;
        }
        var reader = await Mode.ExecuteReader(command);
        await Mode.Read(reader);
        await Mode.Close(reader);
    }

    private async Task<long> Locks(PgConnection connection) =>
        (long)(await Scalar(connection, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"))!;

    private static async Task Ignore(Func<Task> call)
    {
        try
        {
            await call();
        }
        catch (PgException)
        {
            // The one of the first statement.
        }
    }
}
