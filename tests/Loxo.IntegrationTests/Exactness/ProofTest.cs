namespace Loxo.IntegrationTests.Exactness;

/// <summary>A test on a pooled connection to a database that counts executions.</summary>
public abstract class ProofTest(WaitMode mode, Counter counter)
{
    private protected WaitMode Mode { get; } = mode;

    private protected Executor Executor { get; } = new(mode);

    private protected ProofDatabase Database { get; private set; } = null!;

    private protected PgDataSource Source { get; private set; } = null!;

    private protected PgConnection Connection { get; private set; } = null!;

    [OneTimeSetUp]
    public void CreateDatabase() => Database = new ProofDatabase(counter);

    [OneTimeTearDown]
    public void DropDatabase() => Database.Dispose();

    // Pooled: what is known of the database's functions may decide whether a statement may run again.
    [SetUp]
    public async Task Open()
    {
        Source = new PgDataSourceBuilder(Database.ConnectionString).Build();
        await Reopen();
    }

    [TearDown]
    public async Task Close()
    {
        await Connection.DisposeAsync();
        await Source.DisposeAsync();
    }

    private protected async Task Reopen()
    {
        if (Connection is not null)
            await Connection.DisposeAsync();
        Connection = await Mode.Run(Source.OpenConnection, () => Source.OpenConnectionAsync().AsTask());
    }

    private protected async Task<PgTransaction?> Begin(Within within)
    {
        if (within == Within.Autocommit)
            return null;
        var transaction = await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync());
        if (within == Within.OpenTransaction)
            await Value("SELECT 1");
        return transaction;
    }

    private protected async Task<object?> Value(string sql)
    {
        await using var command = new PgCommand(sql, Connection) { AutoPrepare = false };
        return await Mode.ExecuteScalar(command);
    }

    private protected async Task End(PgTransaction? transaction)
    {
        if (transaction is not null)
            await Mode.Rollback(transaction);
    }

    /// <summary>What a call ended with; null for success.</summary>
    internal static async Task<Exception?> Outcome(Func<Task> call)
    {
        try
        {
            await call();
            return null;
        }
        catch (Exception error)
        {
            return error;
        }
    }

    /// <summary>The error of the first statement that failed, where several are told together.</summary>
    internal static Exception? First(Exception? error) =>
        error is PgException { InnerException: AggregateException all } and not PostgresException ? all.InnerExceptions[0] : error;

    /// <summary>Fails with the first few of many failures.</summary>
    internal static void AssertNone(List<string> failures, int runs)
    {
        TestContext.Out.WriteLine($"{runs} runs");
        if (failures.Count > 0)
            Assert.Fail($"{failures.Count} of {runs} runs were wrong, such as:\n{string.Join('\n', failures.Take(8))}");
    }
}
