using System.Data.Common;
using System.Transactions;
using Npgsql;

namespace Loxo.IntegrationTests.Transactions;

public enum Provider
{
    Loxo,
    Npgsql,
}

/// <summary>What programs written for Npgsql rely on in ambient and other transactions: both drivers keep it.</summary>
[TestFixture(Provider.Loxo, WaitMode.Blocking), TestFixture(Provider.Loxo, WaitMode.Async)]
[TestFixture(Provider.Npgsql, WaitMode.Blocking), TestFixture(Provider.Npgsql, WaitMode.Async)]
public sealed class ScopeContractTests(Provider provider, WaitMode mode)
{
    private readonly string _table = "contract_" + Guid.NewGuid().ToString("N");

    private DbDataSource _source = null!;

    [OneTimeSetUp]
    public async Task CreateTable()
    {
        var server = TestServer.Default;
        _source = provider == Provider.Loxo
            ? PgDataSource.Create(server.ConnectionString)
            : NpgsqlDataSource.Create($"Host={server.Host};Port={server.Port};Username=postgres;Database=postgres");
        await Execute($"CREATE TABLE {_table} (id int)");
    }

    [TearDown]
    public Task EmptyTable() => Execute($"DELETE FROM {_table}");

    [OneTimeTearDown]
    public async Task DropTable()
    {
        await Execute($"DROP TABLE {_table}");
        await _source.DisposeAsync();
    }

    [Test]
    public async Task A_name_of_a_savepoint_may_be_anything([Values("plain", "with blank", "Quo\"te", "select", "é", "1")] string name)
    {
        Assume.That(provider == Provider.Loxo || name != "select", "Npgsql does not quote it.");
        await using var connection = await Open();
        await using var transaction = await connection.BeginTransactionAsync();
        await mode.Run(() => transaction.Save(name), () => transaction.SaveAsync(name));
        await Execute(connection, $"INSERT INTO {_table} VALUES (1)");
        await mode.Run(() => transaction.Rollback(name), () => transaction.RollbackAsync(name));
        await mode.Run(() => transaction.Release(name), () => transaction.ReleaseAsync(name));
        await mode.Commit(transaction);

        Assert.That(await Count(), Is.Zero);
    }

    [TestCase(null), TestCase("")]
    public async Task A_savepoint_needs_a_name(string? name)
    {
        await using var connection = await Open();
        await using var transaction = await connection.BeginTransactionAsync();
        Assert.That(() => transaction.Save(name!), Throws.InstanceOf<ArgumentException>());
        Assert.That(() => transaction.Rollback(name!), Throws.InstanceOf<ArgumentException>());
        Assert.That(() => transaction.Release(name!), Throws.InstanceOf<ArgumentException>());
        await mode.Rollback(transaction);
    }

    [Test]
    public async Task What_is_over_is_refused([Values] bool commit)
    {
        await using var connection = await Open();
        await using var transaction = await connection.BeginTransactionAsync();
        await Execute(connection, "SELECT 1");
        await (commit ? mode.Commit(transaction) : mode.Rollback(transaction));

        // The contract of DbTransaction; Npgsql goes on showing the connection.
        if (provider == Provider.Loxo)
            Assert.That(transaction.Connection, Is.Null);
        Assert.That(() => mode.Commit(transaction), Throws.InvalidOperationException);
        Assert.That(() => mode.Rollback(transaction), Throws.InvalidOperationException);
        Assert.That(() => transaction.Save("a"), Throws.InvalidOperationException);
        Assert.That(() => transaction.Rollback("a"), Throws.InvalidOperationException);
        Assert.That(() => transaction.Release("a"), Throws.InvalidOperationException);
    }

    [Test]
    public async Task What_is_disposed_is_refused_as_disposed()
    {
        await using var connection = await Open();
        var transaction = await connection.BeginTransactionAsync();
        await mode.Dispose(transaction);
        await mode.Dispose(transaction);

        Assert.That(() => mode.Commit(transaction), Throws.InstanceOf<ObjectDisposedException>());
        Assert.That(() => transaction.Save("a"), Throws.InstanceOf<ObjectDisposedException>());
    }

    [Test]
    public async Task The_second_transaction_is_refused_and_the_first_goes_on()
    {
        await using var connection = await Open();
        await using var transaction = await connection.BeginTransactionAsync();
        Assert.That(() => connection.BeginTransaction(), Throws.InvalidOperationException);
        Assert.That(transaction.SupportsSavepoints);
        await mode.Commit(transaction);
    }

    [TestCase(System.Data.IsolationLevel.Unspecified, System.Data.IsolationLevel.ReadCommitted)]
    [TestCase(System.Data.IsolationLevel.Snapshot, System.Data.IsolationLevel.Snapshot)]
    [TestCase(System.Data.IsolationLevel.Serializable, System.Data.IsolationLevel.Serializable)]
    public async Task The_level_is_told(System.Data.IsolationLevel level, System.Data.IsolationLevel told)
    {
        await using var connection = await Open();
        await using var transaction = await connection.BeginTransactionAsync(level);
        Assert.That(transaction.IsolationLevel, Is.EqualTo(told));
    }

    [Test]
    public async Task A_transaction_of_another_connection_is_ignored_by_a_command()
    {
        await using var connection = await Open();
        await using var other = await Open();
        await using var transaction = await other.BeginTransactionAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT 1";
        command.Transaction = transaction;
        Assert.That(await mode.ExecuteScalar(command), Is.EqualTo(1));
    }

    [Test]
    public async Task Enlisting_twice_is_once_and_another_is_refused()
    {
        await using var connection = await Open();
        using var transaction = new CommittableTransaction();
        using var other = new CommittableTransaction();
        connection.EnlistTransaction(transaction);
        connection.EnlistTransaction(transaction);
        Assert.That(() => connection.EnlistTransaction(other), Throws.InvalidOperationException);
        transaction.Rollback();
    }

    [Test]
    public async Task A_transaction_in_a_scope_is_refused()
    {
        using var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled);
        await using var connection = await Open();
        await Execute(connection, "SELECT 1");
        Assert.That(() => connection.BeginTransaction(), Throws.InvalidOperationException);
    }

    [Test]
    public async Task A_reader_left_open_fails_the_scope()
    {
        var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled);
        await using var connection = await Open();
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT generate_series(1, 3)";
        var reader = await mode.Run(command.ExecuteReader, () => command.ExecuteReaderAsync());
        scope.Complete();
        Assert.That(scope.Dispose, Throws.InstanceOf<TransactionException>());
        try
        {
            await mode.Close(reader);
        }
        catch (DbException)
        {
            // Whether closing what the end has stopped is an error, they do not agree on.
        }
    }

    // Two differences that docs/npgsql-differences.md names.
    [Test]
    public async Task A_command_behind_a_rollback_is_refused_by_Loxo_and_committed_by_Npgsql()
    {
        var outer = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled);
        await using var connection = await Open();
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
        }
        DbException? error = null;
        try
        {
            await Execute(connection, $"INSERT INTO {_table} VALUES (1)");
        }
        catch (DbException e)
        {
            error = e;
        }
        outer.Complete();
        Assert.That(outer.Dispose, Throws.InstanceOf<TransactionAbortedException>());

        Assert.That(error is not null, Is.EqualTo(provider == Provider.Loxo));
        Assert.That(await Count(), Is.EqualTo(provider == Provider.Loxo ? 0 : 1));
    }

    [Test]
    public async Task A_failed_statement_of_one_session_undoes_the_other_one_with_Loxo_only()
    {
        var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled);
        await using var first = await Open();
        await using var second = await Open();
        await Execute(first, $"INSERT INTO {_table} VALUES (1)");
        Assert.That(() => Execute(second, "SELECT 1/0"), Throws.InstanceOf<DbException>());
        scope.Complete();
        Assert.That(scope.Dispose, provider == Provider.Loxo ? Throws.InstanceOf<TransactionAbortedException>() : Throws.Nothing);

        Assert.That(await Count(), Is.EqualTo(provider == Provider.Loxo ? 0 : 1));
    }

    private async Task<DbConnection> Open()
    {
        var connection = _source.CreateConnection();
        await mode.Open(connection);
        return connection;
    }

    private async Task Execute(DbConnection connection, string sql)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        await mode.ExecuteNonQuery(command);
    }

    private async Task Execute(string sql)
    {
        await using var connection = await Open();
        await Execute(connection, sql);
    }

    private async Task<long> Count()
    {
        await using var command = _source.CreateCommand($"SELECT count(*) FROM {_table}");
        return (long)(await mode.ExecuteScalar(command))!;
    }
}
