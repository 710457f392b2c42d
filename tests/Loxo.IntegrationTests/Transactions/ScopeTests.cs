using System.Data;
using System.Transactions;
using IsolationLevel = System.Transactions.IsolationLevel;

namespace Loxo.IntegrationTests.Transactions;

/// <summary>One session in an ambient transaction.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ScopeTests(WaitMode mode) : ScopeTest(mode)
{
    [Test]
    public async Task A_connection_opened_in_a_scope_shares_its_fate([Values] bool complete)
    {
        using (var scope = Scope())
        {
            await InsertApart(1);
            Assert.That(await Ids(), Is.Empty);
            if (complete)
                scope.Complete();
        }

        Assert.That(await Ids(), Is.EqualTo(complete ? new[] { 1 } : []));
        await InsertApart(2);
        Assert.That(await Ids(), Does.Contain(2));
    }

    [Test]
    public async Task Enlist_false_stays_outside()
    {
        await using var outside = MakeSource("Enlist=false");
        using (Scope())
            await InsertApart(1, outside);

        Assert.That(await Ids(), Is.EqualTo(new[] { 1 }));
    }

    [Test]
    public async Task Connections_of_one_scope_share_a_session_one_after_the_other([Values] bool pooling)
    {
        await using var source = MakeSource($"Pooling={pooling}");
        using (var scope = Scope())
        {
            int first;
            await using (var connection = await Open(source))
            {
                first = connection.ProcessID;
                await Insert(connection, 1);
            }
            await using (var connection = await Open(source))
            {
                Assert.That(connection.ProcessID, Is.EqualTo(first));
                Assert.That(await Run(connection, $"SELECT count(*) FROM {Table}"), Is.EqualTo(1L));
                await Insert(connection, 2);
            }
            if (pooling)
                Assert.That(source.GetPoolStatistics()!.Busy, Is.EqualTo(1), "The session stays with the scope.");
            scope.Complete();
        }

        if (pooling)
            Assert.That(source.GetPoolStatistics()!.Busy, Is.Zero);
        Assert.That(await Ids(), Is.EqualTo(new[] { 1, 2 }));
    }

    [Test]
    public async Task Connections_of_the_same_string_share_a_session_too()
    {
        using var scope = Scope();
        await using (var first = await OpenAnother())
            await Insert(first, 1);
        await using (var second = await OpenAnother())
            Assert.That(await Run(second, $"SELECT count(*) FROM {Table}"), Is.EqualTo(1L));
    }

    [Test]
    public async Task Commands_of_a_data_source_run_in_the_scope()
    {
        using (Scope())
        {
            await using var insert = Source.CreateCommand($"INSERT INTO {Table} VALUES (1)");
            await Mode.ExecuteNonQuery(insert);
            await using var count = Source.CreateCommand($"SELECT count(*) FROM {Table}");
            Assert.That(await Mode.ExecuteScalar(count), Is.EqualTo(1L));
        }

        Assert.That(await Ids(), Is.Empty);
    }

    [Test]
    public async Task The_next_connection_of_a_scope_finds_the_session_as_new()
    {
        using (var scope = Scope())
        {
            await using (var first = await Open())
            {
                await Insert(first, 1);
                await Run(first, "SET statement_timeout = 12345; CREATE TEMP TABLE left_over (id int) ON COMMIT DROP");
            }
            await using (var second = await Open())
            {
                Assert.That(await Run(second, "SHOW statement_timeout"), Is.EqualTo("0"));
                Assert.That(await Run(second, "SELECT to_regclass('left_over')::text"), Is.Null.Or.EqualTo(DBNull.Value));
                await Run(second, "SET statement_timeout = 23456");
            }
            scope.Complete();
        }

        Assert.That(await Ids(), Is.EqualTo(new[] { 1 }));
        await using var next = await Open();
        Assert.That(await Run(next, "SHOW statement_timeout"), Is.EqualTo("0"));
    }

    [TestCase(IsolationLevel.Serializable, "serializable"), TestCase(IsolationLevel.RepeatableRead, "repeatable read")]
    [TestCase(IsolationLevel.Snapshot, "repeatable read"), TestCase(IsolationLevel.ReadCommitted, "read committed")]
    [TestCase(IsolationLevel.ReadUncommitted, "read uncommitted"), TestCase(IsolationLevel.Unspecified, "serializable")]
    public async Task The_isolation_level_is_that_of_the_scope(IsolationLevel level, string expected)
    {
        using var scope = Scope(level: level);
        await using var connection = await Open();
        Assert.That(await Run(connection, "SHOW transaction_isolation"), Is.EqualTo(expected));
    }

    [Test]
    public async Task Chaos_is_refused_and_costs_nothing()
    {
        using (Scope(level: IsolationLevel.Chaos))
            await Catch<NotSupportedException>(() => Open());

        Assert.That(Source.GetPoolStatistics()!.Busy, Is.Zero);
        await InsertApart(1);
    }

    [Test]
    public async Task A_scope_without_a_command_needs_no_server()
    {
        using var scope = Scope();
        await using (await Open())
            scope.Complete();
    }

    [Test]
    public async Task A_failed_statement_fails_the_scope()
    {
        var scope = Scope();
        await InsertApart(1);
        await using (var connection = await Open())
            await Catch<PostgresException>(() => Run(connection, "SELECT 1/0"));
        scope.Complete();

        var error = Assert.Throws<TransactionAbortedException>(scope.Dispose)!;
        Assert.That((error.InnerException as PgException)?.Code, Is.EqualTo(PgErrorCode.TransactionRolledBack));
        Assert.That(await Ids(), Is.Empty);
        await InsertApart(2);
    }

    [Test]
    public async Task A_deferred_constraint_fails_the_scope()
    {
        await InsertApart(1);
        var scope = Scope();
        await InsertApart(1);
        scope.Complete();

        var error = Assert.Throws<TransactionAbortedException>(scope.Dispose)!;
        Assert.That((error.InnerException as PostgresException)?.SqlState, Is.EqualTo("23505"));
        await InsertApart(2);
    }

    [Test]
    public async Task SQL_that_ends_the_transaction_lets_nothing_run_behind_it([Values("COMMIT", "ROLLBACK")] string end)
    {
        var scope = Scope();
        await using var connection = await Open();
        await Insert(connection, 1);
        await Run(connection, end);
        await Catch<InvalidOperationException>(() => Insert(connection, 2));
        scope.Complete();

        Assert.Throws<TransactionAbortedException>(scope.Dispose);
        await Insert(connection, 3);
        Assert.That(await Ids(), Does.Not.Contain(2).And.Contain(3));
    }

    [Test]
    public async Task A_reader_left_open_fails_the_scope_and_is_stopped()
    {
        var scope = Scope();
        await using var connection = await Open();
        await Insert(connection, 1);
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT generate_series(1, 10000000)";
        var reader = await Mode.ExecuteReader(command);
        await Mode.Read(reader);
        scope.Complete();

        var error = Assert.Throws<TransactionAbortedException>(scope.Dispose)!;
        Assert.That(error.InnerException, Is.InstanceOf<PgOperationInProgressException>());
        var stopped = await Catch<PgException>(() => Mode.Close(reader));
        Assert.That(stopped.Code, Is.EqualTo(PgErrorCode.TransactionRolledBack));
        Assert.That(await Ids(), Is.Empty);
        await Insert(connection, 2);
    }

    [Test]
    public async Task An_inner_scope_that_is_given_up_ends_the_outer_one()
    {
        var outer = Scope();
        await using var connection = await Open();
        await Insert(connection, 1);
        using (Scope())
            await InsertApart(2);

        var error = await Catch<PgException>(() => Insert(connection, 3));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TransactionRolledBack));
        outer.Complete();
        Assert.Throws<TransactionAbortedException>(outer.Dispose);
        Assert.That(await Ids(), Is.Empty);
        await Insert(connection, 4);
        Assert.That(await Ids(), Is.EqualTo(new[] { 4 }));
    }

    [Test]
    public async Task A_suppressing_scope_is_outside_and_a_new_one_apart()
    {
        using (Scope())
        {
            await InsertApart(1);
            using (Scope(TransactionScopeOption.Suppress))
                await InsertApart(2);
            using (var apart = Scope(TransactionScopeOption.RequiresNew))
            {
                await InsertApart(3);
                apart.Complete();
            }
        }

        Assert.That(await Ids(), Is.EqualTo(new[] { 2, 3 }));
    }

    [Test]
    public async Task A_connection_outlives_its_scope()
    {
        PgConnection connection;
        using (var scope = Scope())
        {
            connection = await Open();
            await Insert(connection, 1);
            scope.Complete();
        }
        await Insert(connection, 2);

        Assert.That(await Ids(), Is.EqualTo(new[] { 1, 2 }));
        await connection.DisposeAsync();
        Assert.That(Source.GetPoolStatistics()!.Busy, Is.Zero);
    }

    [Test]
    public async Task With_Multiplexing_the_scope_has_a_session_of_its_own()
    {
        await using var source = MakeSource("Multiplexing=true;Session Reset=Auto");
        await using (var early = await Open(source))
            await Run(early, "SELECT 1");
        while (source.Lanes!.Count == 0)
        {
            await using var command = source.CreateCommand("SELECT 1");
            await Mode.ExecuteScalar(command);
            await Task.Delay(10);
        }
        using (Scope())
        {
            await using var connection = await Open(source);
            Assert.That(connection.ProcessID, Is.Not.Zero);
            await Insert(connection, 1);
            Assert.That(await Run(connection, $"SELECT count(*) FROM {Table}"), Is.EqualTo(1L));
        }
        await using var late = await Open(source);
        using (Scope())
        {
            late.EnlistTransaction(Transaction.Current);
            await Insert(late, 2);
            Assert.That(await Run(late, $"SELECT count(*) FROM {Table}"), Is.EqualTo(1L));
        }

        Assert.That(await Run(late, $"SELECT count(*) FROM {Table}"), Is.EqualTo(0L));
        Assert.That(late.State, Is.EqualTo(ConnectionState.Open));
    }

    [Test]
    public async Task Disposing_the_data_source_does_not_end_the_scope()
    {
        var source = MakeSource();
        using (var scope = Scope())
        {
            await InsertApart(1, source);
            await source.DisposeAsync();
            scope.Complete();
        }

        Assert.That(await Ids(), Is.EqualTo(new[] { 1 }));
    }

    [Test]
    public async Task A_lost_connection_fails_the_scope([Values] bool isOpen)
    {
        var scope = Scope();
        await InsertApart(1);
        var connection = await Open();
        await Kill(connection);
        if (!isOpen)
            await Mode.Close(connection);
        scope.Complete();

        Assert.Throws<TransactionAbortedException>(scope.Dispose);
        await connection.DisposeAsync();
        Assert.That(await Ids(), Is.Empty);
        Assert.That(Source.GetPoolStatistics()!.Busy, Is.Zero);
        await InsertApart(2);
    }
}
