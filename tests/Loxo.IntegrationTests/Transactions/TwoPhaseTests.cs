using System.Transactions;
using Loxo.Embedded;

namespace Loxo.IntegrationTests.Transactions;

/// <summary>More than one session, or other participants, in an ambient transaction.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class TwoPhaseTests(WaitMode mode) : ScopeTest(mode)
{
    [Test]
    public async Task Two_connections_at_the_same_time_share_a_fate([Values] bool complete)
    {
        Transaction transaction;
        using (var scope = Scope())
        {
            transaction = Transaction.Current!.Clone();
            await using var first = await Open();
            await using var second = await Open();
            Assert.That(second.ProcessID, Is.Not.EqualTo(first.ProcessID));
            await Insert(first, 1);
            await Insert(second, 2);
            Assert.That(await Ids(), Is.Empty);
            if (complete)
                scope.Complete();
        }

        Assert.That(await Ids(), Is.EqualTo(complete ? new[] { 1, 2 } : []));
        Assert.That(await Prepared(transaction), Is.Zero);
        Assert.That(Source.GetPoolStatistics()!.Busy, Is.Zero);
    }

    [Test]
    public async Task What_is_prepared_is_seen_by_the_server_between_the_phases()
    {
        long prepared = -1;
        using (var scope = Scope())
        {
            var transaction = Transaction.Current!;
            await InsertApart(1);
            // Prepared after the connection, which was the first to take part.
            transaction.EnlistVolatile(new Participant(enlistment =>
            {
                using (new TransactionScope(TransactionScopeOption.Suppress))
                    prepared = Count(transaction);
                enlistment.Prepared();
            }), EnlistmentOptions.None);
            scope.Complete();
        }

        Assert.That(prepared, Is.EqualTo(1));
        Assert.That(await Ids(), Is.EqualTo(new[] { 1 }));
    }

    [Test]
    public async Task A_session_that_cannot_be_prepared_undoes_all([Values] bool isFirst)
    {
        await InsertApart(1);
        var scope = Scope();
        var transaction = Transaction.Current!.Clone();
        await using var first = await Open();
        await using var second = await Open();
        await Insert(first, isFirst ? 1 : 2);
        await Insert(second, isFirst ? 3 : 1);
        scope.Complete();

        var error = Assert.Throws<TransactionAbortedException>(scope.Dispose)!;
        Assert.That((error.InnerException as PostgresException)?.SqlState, Is.EqualTo("23505"));
        Assert.That(await Ids(), Is.EqualTo(new[] { 1 }));
        Assert.That(await Prepared(transaction), Is.Zero);
        await Insert(first, 4);
        await Insert(second, 5);
        Assert.That(await Ids(), Is.EqualTo(new[] { 1, 4, 5 }));
    }

    [Test]
    public async Task A_veto_of_another_participant_undoes_what_was_prepared()
    {
        var scope = Scope();
        var transaction = Transaction.Current!.Clone();
        await InsertApart(1);
        transaction.EnlistVolatile(new Participant(static enlistment => enlistment.ForceRollback()), EnlistmentOptions.None);
        scope.Complete();

        Assert.Throws<TransactionAbortedException>(scope.Dispose);
        Assert.That(await Ids(), Is.Empty);
        Assert.That(await Prepared(transaction), Is.Zero);
    }

    [Test]
    public async Task A_session_that_is_lost_between_the_phases_is_replaced([Values] bool commit)
    {
        var scope = Scope();
        var transaction = Transaction.Current!.Clone();
        await using var connection = await Open();
        await Insert(connection, 1);
        var processId = connection.ProcessID;
        transaction.EnlistVolatile(new Participant(enlistment =>
        {
            using (new TransactionScope(TransactionScopeOption.Suppress))
                Terminate(processId);
            if (commit)
                enlistment.Prepared();
            else
                enlistment.ForceRollback();
        }), EnlistmentOptions.None);
        scope.Complete();

        if (commit)
            scope.Dispose();
        else
            Assert.Throws<TransactionAbortedException>(scope.Dispose);
        Assert.That(await Ids(), Is.EqualTo(commit ? new[] { 1 } : []));
        Assert.That(await Prepared(transaction), Is.Zero);
    }

    [Test]
    public async Task One_durable_participant_decides([Values] bool commits)
    {
        var scope = Scope();
        var transaction = Transaction.Current!.Clone();
        await InsertApart(1);
        transaction.EnlistDurable(Guid.NewGuid(), new Durable(enlistment =>
        {
            if (commits)
                enlistment.Committed();
            else
                enlistment.Aborted();
        }), EnlistmentOptions.None);
        scope.Complete();

        if (commits)
            scope.Dispose();
        else
            Assert.Throws<TransactionAbortedException>(scope.Dispose);
        Assert.That(await Ids(), Is.EqualTo(commits ? new[] { 1 } : []));
        Assert.That(await Prepared(transaction), Is.Zero);
        Assert.That(Source.GetPoolStatistics()!.Busy, Is.Zero);
    }

    [Test, Platform(Exclude = "Win", Reason = "Windows has a coordinator of distributed transactions.")]
    public async Task A_second_durable_participant_needs_Windows_and_costs_nothing()
    {
        var scope = Scope();
        var transaction = Transaction.Current!.Clone();
        await InsertApart(1);
        transaction.EnlistDurable(Guid.NewGuid(), new Durable(static enlistment => enlistment.Committed()), EnlistmentOptions.None);
        var refused = Assert.Catch(() =>
            transaction.EnlistDurable(Guid.NewGuid(), new Durable(static enlistment => enlistment.Committed()), EnlistmentOptions.None));
        Assert.That(refused, Is.InstanceOf<PlatformNotSupportedException>().Or.InnerException.InstanceOf<PlatformNotSupportedException>());
        scope.Complete();

        Assert.Catch<TransactionException>(scope.Dispose);
        Assert.That(await Ids(), Is.Empty);
        Assert.That(await Prepared(transaction), Is.Zero);
        Assert.That(Source.GetPoolStatistics()!.Busy, Is.Zero);
        await InsertApart(2);
    }

    [Test]
    public async Task An_outcome_that_nobody_knows_leaves_the_transaction_prepared()
    {
        var scope = Scope();
        var transaction = Transaction.Current!.Clone();
        await InsertApart(1);
        transaction.EnlistDurable(Guid.NewGuid(), new Durable(static enlistment => enlistment.InDoubt()), EnlistmentOptions.None);
        scope.Complete();

        Assert.Throws<TransactionInDoubtException>(scope.Dispose);
        Assert.That(await Prepared(transaction), Is.EqualTo(1));
        var gid = await Scalar<string>($"SELECT gid FROM pg_prepared_xacts WHERE gid LIKE '{transaction.TransactionInformation.LocalIdentifier}/%'");
        await Execute($"COMMIT PREPARED '{gid}'");
        Assert.That(await Ids(), Is.EqualTo(new[] { 1 }));
        Assert.That(Source.GetPoolStatistics()!.Busy, Is.Zero);
    }

    [Test]
    public async Task Sessions_are_reset_after_a_prepared_transaction()
    {
        var processes = new HashSet<int>();
        using (var scope = Scope())
        {
            await using (var early = await Open())
                await Run(early, $"SET statement_timeout = 11111; INSERT INTO {Table} VALUES (1)");
            await using var first = await Open();
            await using var second = await Open();
            foreach (var connection in new[] { first, second })
            {
                processes.Add(connection.ProcessID);
                await Run(connection, "SET statement_timeout = 12345; SELECT pg_advisory_lock(4711)");
                await Run(connection, "SELECT pg_advisory_unlock(4711)");
            }
            await Insert(second, 2);
            scope.Complete();
        }

        Assert.That(await Ids(), Is.EqualTo(new[] { 1, 2 }));
        await using var third = await Open();
        await using var fourth = await Open();
        Assert.That(new[] { third.ProcessID, fourth.ProcessID }, Is.EquivalentTo(processes));
        Assert.That(await Run(third, "SHOW statement_timeout"), Is.EqualTo("0"));
        Assert.That(await Run(fourth, "SHOW statement_timeout"), Is.EqualTo("0"));
    }

    [Test]
    public async Task Types_made_in_a_prepared_transaction_can_be_used_after_it()
    {
        var type = "mood_" + Guid.NewGuid().ToString("N");
        using (var scope = Scope())
        {
            await using var first = await Open();
            await using var second = await Open();
            await Run(first, $"CREATE TYPE {type} AS ENUM ('sad', 'ok')");
            Assert.That(await Run(first, $"SELECT 'ok'::{type}"), Is.EqualTo("ok"));
            await Insert(second, 1);
            scope.Complete();
        }

        await using var connection = await Open();
        Assert.That(await Run(connection, $"SELECT 'sad'::{type}"), Is.EqualTo("sad"));
        await Run(connection, $"DROP TYPE {type}");
    }

    [Test]
    public async Task A_server_without_prepared_transactions_is_a_clear_error()
    {
        var options = TestServer.Options();
        options.MaxPreparedTransactions = 0;
        await using var server = await PgEmbeddedServer.StartAsync(options);
        await using var source = PgDataSource.Create(server.ConnectionString);
        var scope = Scope();
        await using var first = await Open(source);
        await using var second = await Open(source);
        await Run(first, "CREATE TABLE t (id int)");
        await Run(second, "SELECT 1");
        scope.Complete();

        var error = Assert.Throws<TransactionAbortedException>(scope.Dispose)!;
        Assert.That(error.InnerException, Is.InstanceOf<PgException>().With.Message.Contains("max_prepared_transactions"));
        Assert.That(await Run(first, "SELECT to_regclass('t')::text"), Is.Null.Or.EqualTo(DBNull.Value));
    }

    private long Count(Transaction transaction)
    {
        using var connection = new PgConnection(ConnectionString);
        connection.Open();
        using var command = new PgCommand(
            $"SELECT count(*) FROM pg_prepared_xacts WHERE gid LIKE '{transaction.TransactionInformation.LocalIdentifier}/%'", connection);
        return (long)command.ExecuteScalar()!;
    }

    private void Terminate(int processId)
    {
        using var connection = new PgConnection(ConnectionString);
        connection.Open();
        using var command = new PgCommand($"SELECT pg_terminate_backend({processId}, 60000)", connection);
        command.ExecuteScalar();
    }
}
