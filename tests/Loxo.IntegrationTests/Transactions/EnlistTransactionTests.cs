using System.Transactions;

namespace Loxo.IntegrationTests.Transactions;

/// <summary>Connections that are told to take part.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class EnlistTransactionTests(WaitMode mode) : ScopeTest(mode)
{
    [Test]
    public async Task A_connection_takes_part_until_the_transaction_ends([Values] bool commit)
    {
        await using var connection = await Open();
        using (var transaction = new CommittableTransaction())
        {
            connection.EnlistTransaction(transaction);
            await Insert(connection, 1);
            if (commit)
                transaction.Commit();
            else
                transaction.Rollback();
        }
        await Insert(connection, 2);

        Assert.That(await Ids(), Is.EqualTo(commit ? new[] { 1, 2 } : [2]));
    }

    [Test]
    public async Task Twice_in_the_same_is_once_and_in_another_is_refused()
    {
        await using var connection = await Open();
        using var transaction = new CommittableTransaction();
        using var other = new CommittableTransaction();
        connection.EnlistTransaction(transaction);
        connection.EnlistTransaction(transaction);

        Assert.That(() => connection.EnlistTransaction(other), Throws.InvalidOperationException);
        Assert.That(() => connection.EnlistTransaction(null), Throws.InvalidOperationException);
        transaction.Rollback();
        connection.EnlistTransaction(other);
        await Insert(connection, 1);
        other.Commit();
        Assert.That(await Ids(), Is.EqualTo(new[] { 1 }));
    }

    [Test]
    public async Task Not_within_a_transaction_nor_on_a_closed_connection()
    {
        using var ambient = new CommittableTransaction();
        await using var closed = Source.CreateConnection();
        Assert.That(() => closed.EnlistTransaction(ambient), Throws.InvalidOperationException);

        await using var connection = await Open();
        await using (var transaction = connection.BeginTransaction())
            Assert.That(() => connection.EnlistTransaction(ambient), Throws.InvalidOperationException);
        await Run(connection, "BEGIN");
        Assert.That(() => connection.EnlistTransaction(ambient), Throws.InvalidOperationException);
        await Run(connection, "ROLLBACK");
        connection.EnlistTransaction(ambient);
        await Insert(connection, 1);
    }

    [Test]
    public async Task A_transaction_within_is_refused()
    {
        using var scope = Scope();
        await using var connection = await Open();

        Assert.That(() => connection.BeginTransaction(), Throws.InvalidOperationException);
        await Insert(connection, 1);
        Assert.That(() => connection.BeginTransaction(), Throws.InvalidOperationException);
        scope.Complete();
    }

    [Test]
    public async Task A_transaction_that_is_over_is_refused_and_the_connection_goes_on()
    {
        await using var connection = await Open();
        using var transaction = new CommittableTransaction();
        transaction.Rollback();

        Assert.That(() => connection.EnlistTransaction(transaction), Throws.InstanceOf<TransactionException>());
        await Insert(connection, 1);
        Assert.That(await Ids(), Is.EqualTo(new[] { 1 }));
    }

    [Test]
    public async Task Nothing_runs_outside_before_the_program_knows_of_the_rollback()
    {
        await using var connection = await Open();
        var transaction = new CommittableTransaction();
        connection.EnlistTransaction(transaction);
        await Insert(connection, 1);
        transaction.Rollback();

        await Catch<PgException>(() => Insert(connection, 2));
        transaction.Dispose();
        await Insert(connection, 3);
        Assert.That(await Ids(), Is.EqualTo(new[] { 3 }));
    }
}
