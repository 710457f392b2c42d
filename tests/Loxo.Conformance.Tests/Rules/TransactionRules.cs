using System.Data;
using System.Data.Common;

namespace Loxo.Conformance.Rules;

[TestFixtureSource(typeof(Drivers), nameof(Drivers.All))]
public sealed class TransactionRules(Driver driver, WaitMode mode) : RuleTest(driver, mode)
{
    private DbTransaction _transaction = null!;

    [SetUp]
    public async Task Begin()
    {
        await Execute("CREATE TEMP TABLE written (x int)");
        _transaction = await Begin(IsolationLevel.Unspecified);
    }

    [TearDown]
    public async Task End() => await _transaction.DisposeAsync();

    [Rule(typeof(DbTransaction), nameof(DbTransaction.Commit))]
    public async Task What_is_committed_stays()
    {
        await Write();
        await Mode.Commit(_transaction);
        Assert.That(await Count(), Is.EqualTo(1));
    }

    [Rule(typeof(DbTransaction), nameof(DbTransaction.Rollback))]
    public async Task What_is_rolled_back_has_never_been()
    {
        await Write();
        await Mode.Rollback(_transaction);
        Assert.That(await Count(), Is.Zero);
    }

    [Rule(typeof(DbTransaction), nameof(DbTransaction.Dispose))]
    public async Task What_is_disposed_is_rolled_back()
    {
        await Write();
        await Mode.Dispose(_transaction);
        await Mode.Dispose(_transaction);
        Assert.That(await Count(), Is.Zero);
    }

    [Rule(typeof(DbTransaction), nameof(DbTransaction.Dispose))]
    public async Task What_is_committed_can_be_disposed()
    {
        await Write();
        await Mode.Commit(_transaction);
        await Mode.Dispose(_transaction);
        Assert.That(await Count(), Is.EqualTo(1));
    }

    [Rule(typeof(IDbTransaction), nameof(IDbTransaction.Commit))]
    public async Task A_committed_transaction_is_over()
    {
        await Write();
        await Mode.Commit(_transaction);

        Refused<InvalidOperationException>(() => Mode.Commit(_transaction));
        Refused<InvalidOperationException>(() => Mode.Rollback(_transaction));
        Assert.That(await Count(), Is.EqualTo(1));
    }

    [Rule(typeof(IDbTransaction), nameof(IDbTransaction.Rollback))]
    public async Task A_transaction_that_was_rolled_back_is_over()
    {
        await Write();
        await Mode.Rollback(_transaction);

        Refused<InvalidOperationException>(() => Mode.Commit(_transaction));
        Refused<InvalidOperationException>(() => Mode.Rollback(_transaction));
        Assert.That(await Count(), Is.Zero);
    }

    [Rule(typeof(IDbTransaction), nameof(IDbTransaction.Commit))]
    public async Task A_disposed_transaction_is_over()
    {
        await Mode.Dispose(_transaction);

        Refused<InvalidOperationException>(() => Mode.Commit(_transaction));
        Refused<InvalidOperationException>(() => Mode.Rollback(_transaction));
        await AssertUsable();
    }

    [Rule(typeof(IDbTransaction), nameof(IDbTransaction.Commit))]
    public async Task A_transaction_ends_with_its_connection()
    {
        await Mode.Close(Connection);

        Refused<InvalidOperationException>(() => Mode.Commit(_transaction));
        Refused<InvalidOperationException>(() => Mode.Rollback(_transaction));
        await Mode.Dispose(_transaction);
    }

    [Rule(typeof(IDbTransaction), nameof(IDbTransaction.Connection))]
    public async Task A_transaction_that_is_over_has_no_connection()
    {
        Assert.That(_transaction.Connection, Is.SameAs(Connection));
        await Mode.Commit(_transaction);
        Assert.That(_transaction.Connection, Is.Null);
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.BeginTransaction))]
    public async Task A_connection_has_one_transaction_after_the_other()
    {
        Refused<InvalidOperationException>(() => Begin(IsolationLevel.Unspecified));
        await Write();
        await Mode.Commit(_transaction);
        await using (_transaction = await Begin(IsolationLevel.Unspecified))
            await Write();
        Assert.That(await Count(), Is.EqualTo(1));
    }

    [TestCase(IsolationLevel.ReadUncommitted)]
    [TestCase(IsolationLevel.ReadCommitted)]
    [TestCase(IsolationLevel.RepeatableRead)]
    [TestCase(IsolationLevel.Serializable)]
    [TestCase(IsolationLevel.Snapshot)]
    [Rule(typeof(DbTransaction), nameof(DbTransaction.IsolationLevel))]
    public async Task A_transaction_has_its_isolation_level(IsolationLevel level)
    {
        await Mode.Rollback(_transaction);
        await using var transaction = await Begin(level);

        Assert.That(transaction.IsolationLevel, Is.EqualTo(level));
    }

    [TestCase(IsolationLevel.Chaos)]
    [TestCase((IsolationLevel)99)]
    [Rule(typeof(DbConnection), nameof(DbConnection.BeginTransaction))]
    public async Task A_level_that_does_not_exist_is_refused(IsolationLevel level)
    {
        await Mode.Rollback(_transaction);
        Assert.That(() => Begin(level), Throws.InstanceOf<ArgumentException>().Or.InstanceOf<NotSupportedException>());
        await AssertUsable();
        await using var transaction = await Begin(IsolationLevel.Unspecified);
    }

    [Rule(typeof(DbTransaction), nameof(DbTransaction.Save))]
    public async Task A_savepoint_is_rolled_back_to_and_released()
    {
        Assert.That(_transaction.SupportsSavepoints, Is.True);
        await Write();
        await Save("a \"name\"");
        await Write();
        await RollbackTo("a \"name\"");
        await Write();
        await Mode.Run(() => _transaction.Release("a \"name\""), () => _transaction.ReleaseAsync("a \"name\""));
        await Mode.Commit(_transaction);

        Assert.That(await Count(), Is.EqualTo(2));
    }

    [Rule(typeof(DbTransaction), nameof(DbTransaction.Save))]
    public async Task A_savepoint_needs_a_name()
    {
        Refused<ArgumentException>(() => Save(null!));
        Refused<ArgumentException>(() => RollbackTo(null!));
        Refused<ArgumentException>(() => Mode.Run(() => _transaction.Release(null!), () => _transaction.ReleaseAsync(null!)));
        await Write();
        await Mode.Commit(_transaction);
        Assert.That(await Count(), Is.EqualTo(1));
    }

    [Rule(typeof(DbTransaction), nameof(DbTransaction.Rollback))]
    public async Task A_savepoint_that_does_not_exist_is_an_error_of_the_database()
    {
        Refused<DbException>(() => RollbackTo("nowhere"));
        await Mode.Rollback(_transaction);
        await AssertUsable();
    }

    [Rule(typeof(DbTransaction), nameof(DbTransaction.Save))]
    public async Task A_transaction_that_is_over_has_no_savepoints()
    {
        await Mode.Commit(_transaction);

        Refused<InvalidOperationException>(() => Save("a"));
        Refused<InvalidOperationException>(() => RollbackTo("a"));
        await AssertUsable();
    }

    [Rule(typeof(DbTransaction), nameof(DbTransaction.CommitAsync))]
    public async Task With_a_cancelled_token_a_transaction_goes_on()
    {
        await Write();
        var cancelled = new CancellationToken(true);
        Cancelled(() => _transaction.CommitAsync(cancelled));
        Cancelled(() => _transaction.RollbackAsync(cancelled));
        Cancelled(() => _transaction.SaveAsync("a", cancelled));
        await Mode.Commit(_transaction);

        Assert.That(await Count(), Is.EqualTo(1));
    }

    private Task<DbTransaction> Begin(IsolationLevel level) =>
        Mode.Run(() => Connection.BeginTransaction(level), () => Connection.BeginTransactionAsync(level).AsTask());

    private Task Save(string name) => Mode.Run(() => _transaction.Save(name), () => _transaction.SaveAsync(name));

    private Task RollbackTo(string name) => Mode.Run(() => _transaction.Rollback(name), () => _transaction.RollbackAsync(name));

    private async Task Write()
    {
        await using var command = Command("INSERT INTO written VALUES (1)");
        command.Transaction = _transaction;
        await Mode.ExecuteNonQuery(command);
    }

    private Task<long> Count() => Number("SELECT count(*) FROM written");
}
