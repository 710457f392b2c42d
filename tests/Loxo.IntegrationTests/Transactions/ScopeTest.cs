using System.Data.Common;
using System.Transactions;

namespace Loxo.IntegrationTests.Transactions;

/// <summary>A test of ambient transactions, with a table and a data source of its own. <see cref="DatabaseTest.Connection"/> looks at the outcome.</summary>
public abstract class ScopeTest(WaitMode mode) : DatabaseTest(mode)
{
    private const string Name = "Application Name=scopes;Minimum Pool Size=0;Maximum Pool Size=20";

    protected PgDataSource Source { get; private set; } = null!;

    protected string Table { get; private set; } = null!;

    [SetUp]
    public async Task CreateTable()
    {
        Table = "scope_" + Guid.NewGuid().ToString("N");
        await Execute($"CREATE TABLE {Table} (id int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)");
        Source = MakeSource();
    }

    [TearDown]
    public async Task DropTable()
    {
        await Source.DisposeAsync();
        await using var connection = new PgConnection(ConnectionString);
        await connection.OpenAsync();
        await using var command = new PgCommand($"DROP TABLE {Table}", connection);
        await command.ExecuteNonQueryAsync();
    }

    protected PgDataSource MakeSource(string settings = "") => PgDataSource.Create($"{ConnectionString};{Name};{settings}");

    protected static TransactionScope Scope(
        TransactionScopeOption option = TransactionScopeOption.Required, IsolationLevel level = IsolationLevel.ReadCommitted, TimeSpan timeout = default) =>
        new(option, new TransactionOptions { IsolationLevel = level, Timeout = timeout }, TransactionScopeAsyncFlowOption.Enabled);

    protected async Task<PgConnection> Open(PgDataSource? source = null)
    {
        var connection = (source ?? Source).CreateConnection();
        await Mode.Open(connection);
        return connection;
    }

    protected async Task<object?> Run(DbConnection connection, string sql)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        return await Mode.ExecuteScalar(command);
    }

    protected Task Insert(DbConnection connection, int id) => Run(connection, $"INSERT INTO {Table} VALUES ({id})");

    /// <summary>Opens a connection, inserts and closes it.</summary>
    protected async Task InsertApart(int id, PgDataSource? source = null)
    {
        await using var connection = await Open(source);
        await Insert(connection, id);
    }

    /// <summary>The rows that everybody sees.</summary>
    protected async Task<int[]> Ids()
    {
        using var outside = new TransactionScope(TransactionScopeOption.Suppress, TransactionScopeAsyncFlowOption.Enabled);
        var ids = new List<int>();
        foreach (var row in await Rows($"SELECT id FROM {Table} ORDER BY id"))
            ids.Add((int)row[0]!);
        return [.. ids];
    }

    /// <summary>The transactions that wait for their second phase.</summary>
    protected Task<long> Prepared(Transaction transaction) =>
        Scalar<long>($"SELECT count(*) FROM pg_prepared_xacts WHERE gid LIKE '{transaction.TransactionInformation.LocalIdentifier}/%'");

    protected async Task Kill(PgConnection connection)
    {
        await Scalar<bool>($"SELECT pg_terminate_backend({connection.ProcessID})");
        await AwaitGone(connection.ProcessID);
    }

    /// <summary>Until the pool has all sessions back: a rollback may be under way.</summary>
    protected static async Task AwaitReturned(PgDataSource source)
    {
        while (source.GetPoolStatistics()!.Busy > 0)
            await Task.Delay(10);
    }

    /// <summary>Until the server process has ended.</summary>
    protected async Task AwaitGone(int processId)
    {
        while (await Scalar<long>($"SELECT count(*) FROM pg_stat_activity WHERE pid = {processId}") > 0)
            await Task.Delay(10);
    }

    /// <summary>Until the session runs nothing and is in no transaction, as the server sees it.</summary>
    protected async Task AwaitIdle(int processId)
    {
        while (await Scalar<long>($"SELECT count(*) FROM pg_stat_activity WHERE pid = {processId} AND state <> 'idle'") > 0)
            await Task.Delay(10);
    }

    /// <summary>A participant of the program's own, which does something when it is prepared.</summary>
    protected sealed class Participant(Action<PreparingEnlistment> prepare) : IEnlistmentNotification
    {
        public void Prepare(PreparingEnlistment preparingEnlistment) => prepare(preparingEnlistment);

        public void Commit(Enlistment enlistment) => enlistment.Done();

        public void Rollback(Enlistment enlistment) => enlistment.Done();

        public void InDoubt(Enlistment enlistment) => enlistment.Done();
    }

    /// <summary>A durable participant, of which .NET allows one without a coordinator.</summary>
    protected sealed class Durable(Action<SinglePhaseEnlistment> commit) : ISinglePhaseNotification
    {
        public void SinglePhaseCommit(SinglePhaseEnlistment singlePhaseEnlistment) => commit(singlePhaseEnlistment);

        public void Prepare(PreparingEnlistment preparingEnlistment) => preparingEnlistment.Prepared();

        public void Commit(Enlistment enlistment) => enlistment.Done();

        public void Rollback(Enlistment enlistment) => enlistment.Done();

        public void InDoubt(Enlistment enlistment) => enlistment.Done();
    }
}
