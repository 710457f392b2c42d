using System.Data;

namespace Loxo.IntegrationTests.Transactions;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class TransactionTests(WaitMode mode) : DatabaseTest(mode)
{
    [SetUp]
    public Task CreateTable() => Execute("CREATE TEMP TABLE things (id int)");

    [Test]
    public async Task Commit_keeps_what_was_done()
    {
        await using var transaction = await Begin();
        await Execute("INSERT INTO things VALUES (1)");
        await Mode.Commit(transaction);

        Assert.That(transaction.Connection, Is.Null);
        Assert.That(await Count(), Is.EqualTo(1));
    }

    [Test]
    public async Task Rollback_undoes_what_was_done()
    {
        await using var transaction = await Begin();
        await Execute("INSERT INTO things VALUES (1)");
        await Mode.Rollback(transaction);

        Assert.That(transaction.Connection, Is.Null);
        Assert.That(await Count(), Is.Zero);
    }

    [Test]
    public async Task Dispose_undoes_what_was_not_committed()
    {
        var transaction = await Begin();
        await Execute("INSERT INTO things VALUES (1)");
        await Mode.Dispose(transaction);

        Assert.That(await Count(), Is.Zero);
    }

    [Test]
    public async Task Dispose_closes_an_open_reader_first()
    {
        var transaction = await Begin();
        await Execute("INSERT INTO things VALUES (1)");
        await using var command = Command("SELECT generate_series(1, 100000)");
        var reader = await Mode.ExecuteReader(command);
        await Mode.Read(reader);

        await Mode.Dispose(transaction);

        Assert.That(reader.IsClosed);
        Assert.That(await Count(), Is.Zero);
    }

    [Test]
    public async Task Dispose_closes_a_reader_that_closes_the_connection([Values("SELECT generate_series(1, 10000)", "SELECT 1")] string text)
    {
        await using var other = await OpenAnother();
        var transaction = await Mode.Run(() => other.BeginTransaction(), () => other.BeginTransactionAsync().AsTask());
        await using var command = new PgCommand(text, other);
        await Mode.ExecuteReader(command, CommandBehavior.CloseConnection);
        await Mode.Dispose(transaction);
        Assert.That(other.State, Is.EqualTo(ConnectionState.Closed));
        await Mode.Open(other);
        command.CommandText = "SAVEPOINT s";
        var error = await Catch<PostgresException>(() => Mode.ExecuteNonQuery(command));
        Assert.That(error.SqlState, Is.EqualTo("25P01"), "no transaction is open");
    }

    [Test]
    public async Task Dispose_after_an_error_rolls_back()
    {
        var transaction = await Begin();
        await Execute("INSERT INTO things VALUES (1)");
        await Catch<PostgresException>(() => Execute("SELECT 1/0"));
        await Mode.Dispose(transaction);

        Assert.That(await Count(), Is.Zero);
        await AssertUsable();
    }

    [TestCase(IsolationLevel.Unspecified, "read committed")]
    [TestCase(IsolationLevel.ReadCommitted, "read committed")]
    [TestCase(IsolationLevel.ReadUncommitted, "read uncommitted")]
    [TestCase(IsolationLevel.RepeatableRead, "repeatable read")]
    [TestCase(IsolationLevel.Snapshot, "repeatable read")]
    [TestCase(IsolationLevel.Serializable, "serializable")]
    public async Task The_isolation_level_is_the_one_asked_for(IsolationLevel level, string expected)
    {
        await using var transaction = await Begin(level);

        Assert.That(await Scalar<string>("SHOW transaction_isolation"), Is.EqualTo(expected));
        Assert.That(transaction.IsolationLevel, Is.EqualTo(level == IsolationLevel.Unspecified ? IsolationLevel.ReadCommitted : level));
        await Mode.Commit(transaction);
        Assert.That(await Scalar<string>("SHOW transaction_isolation"), Is.EqualTo("read committed"));
    }

    [Test]
    public async Task Chaos_is_refused()
    {
        var error = await Catch<NotSupportedException>(() => Begin(IsolationLevel.Chaos));

        Assert.That(error.Message, Does.Contain("Serializable"));
    }

    [TestCase(PgTransactionOptions.None, "off", "off")]
    [TestCase(PgTransactionOptions.ReadOnly, "on", "off")]
    [TestCase(PgTransactionOptions.Deferrable, "off", "on")]
    [TestCase(PgTransactionOptions.ReadOnly | PgTransactionOptions.Deferrable, "on", "on")]
    public async Task Options_are_in_force(PgTransactionOptions options, string readOnly, string deferrable)
    {
        await using var transaction = await Begin(IsolationLevel.Serializable, options);

        Assert.That(await Scalar<string>("SHOW transaction_read_only"), Is.EqualTo(readOnly));
        Assert.That(await Scalar<string>("SHOW transaction_deferrable"), Is.EqualTo(deferrable));
    }

    [Test]
    public async Task A_read_only_transaction_refuses_to_write()
    {
        await using var transaction = await Begin(IsolationLevel.ReadCommitted, PgTransactionOptions.ReadOnly);

        var error = await Catch<PostgresException>(() => Execute("CREATE TABLE never_made (id int)"));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.ReadOnlySqlTransaction));
    }

    [Test]
    public async Task A_transaction_without_a_command_ends_like_any_other()
    {
        await Mode.Commit(await Begin());
        await Mode.Rollback(await Begin());
        await Mode.Dispose(await Begin());

        await Execute("INSERT INTO things VALUES (1)");
        await using var later = await Begin();
        await Execute("SELECT 1");
        await Mode.Rollback(later);
        Assert.That(await Count(), Is.EqualTo(1), "no transaction had been left open");
    }

    [Test]
    public async Task Committing_a_failed_transaction_says_that_it_was_rolled_back()
    {
        await using var transaction = await Begin();
        await Execute("INSERT INTO things VALUES (1)");
        await Catch<PostgresException>(() => Execute("SELECT 1/0"));

        var error = await Catch<PgException>(() => Mode.Commit(transaction));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TransactionRolledBack));
        Assert.That(await Count(), Is.Zero);
        await AssertUsable();
    }

    [Test]
    public async Task An_error_fails_the_transaction_until_it_ends([Values] bool first)
    {
        await using var transaction = await Begin();
        if (!first)
            await Execute("INSERT INTO things VALUES (1)");
        await Catch<PostgresException>(() => Execute("CREATE TABLE things (id no_such_type)"));

        var error = await Catch<PostgresException>(() => Execute("INSERT INTO things VALUES (1)"));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.InFailedSqlTransaction));
        await Mode.Rollback(transaction);
        Assert.That(await Count(), Is.Zero);
    }

    [Test]
    public async Task A_BEGIN_that_could_not_go_out_with_the_first_command_goes_out_with_the_second()
    {
        await using var transaction = await Begin();
        await Catch<Exception>(() => Execute("INSERT INTO things VALUES ($1)", new PgParameter(null, new object())));

        await Execute("INSERT INTO things VALUES (1)");
        await Mode.Rollback(transaction);

        Assert.That(await Count(), Is.Zero);
    }

    [Test]
    public async Task A_second_transaction_is_refused()
    {
        await using var transaction = await Begin();

        var error = await Catch<InvalidOperationException>(() => Begin());

        Assert.That(error.Message, Does.Contain("Save"));
    }

    [Test]
    public async Task One_transaction_may_follow_another()
    {
        for (var i = 0; i < 3; i++)
        {
            await using var transaction = await Begin();
            await Execute("INSERT INTO things VALUES (1)");
            await Mode.Commit(transaction);
        }

        Assert.That(await Count(), Is.EqualTo(3));
    }

    [Test]
    public async Task A_transaction_that_is_over_refuses_everything()
    {
        var transaction = await Begin();
        await Execute("INSERT INTO things VALUES (1)");
        await Mode.Commit(transaction);

        await Catch<InvalidOperationException>(() => Mode.Commit(transaction));
        await Catch<InvalidOperationException>(() => Mode.Rollback(transaction));
        await Catch<InvalidOperationException>(() => Mode.Run(() => transaction.Save("a"), () => transaction.SaveAsync("a")));
        await Mode.Dispose(transaction);
        await Mode.Dispose(transaction);
        await Catch<ObjectDisposedException>(() => Mode.Commit(transaction));
        Assert.That(await Count(), Is.EqualTo(1));
    }

    [Test]
    public async Task A_transaction_ended_by_SQL_is_over()
    {
        await using var transaction = await Begin();
        await Execute("INSERT INTO things VALUES (1)");
        await Execute("ROLLBACK");

        await Catch<InvalidOperationException>(() => Mode.Commit(transaction));

        await using var another = await Begin();
        await Catch<InvalidOperationException>(() => Mode.Commit(transaction));
        await Execute("INSERT INTO things VALUES (1)");
        await Mode.Commit(another);
        Assert.That(await Count(), Is.EqualTo(1));
    }

    [Test]
    public async Task Disposing_a_transaction_ended_by_SQL_does_nothing()
    {
        var notices = 0;
        Connection.Notice += (_, _) => notices++;
        var transaction = await Begin();
        await Execute("INSERT INTO things VALUES (1)");
        await Execute("COMMIT");

        await Mode.Dispose(transaction);

        Assert.That(await Count(), Is.EqualTo(1));
        Assert.That(notices, Is.Zero, "the server would warn that there is no transaction");
    }

    [Test]
    public async Task A_transaction_is_not_over_while_its_first_command_runs()
    {
        await using var transaction = await Begin();
        await using var command = Command("SELECT generate_series(1, 100000)");
        var reader = await Mode.ExecuteReader(command);

        Assert.That(transaction.Connection, Is.SameAs(Connection));
        await Catch<PgOperationInProgressException>(() => Mode.Commit(transaction));

        await Mode.Close(reader);
        await Mode.Commit(transaction);
        await AssertUsable();
    }

    [Test]
    public async Task Closing_the_connection_ends_its_transaction()
    {
        var transaction = await Begin();
        await Execute("INSERT INTO things VALUES (1)");
        await Mode.Close(Connection);

        Assert.That(transaction.Connection, Is.Null);
        await Catch<InvalidOperationException>(() => Mode.Commit(transaction));
        await Mode.Dispose(transaction);
        await Mode.Open(Connection);
        await AssertUsable();
    }

    [Test]
    public async Task A_closed_connection_begins_no_transaction()
    {
        await Mode.Close(Connection);

        await Catch<InvalidOperationException>(() => Begin());
    }

    [Test]
    public async Task A_broken_connection_begins_no_transaction()
    {
        await Catch<PostgresException>(() => Execute("SELECT pg_terminate_backend(pg_backend_pid())"));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));

        var error = await Catch<PgException>(() => Begin());

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
    }

    [Test]
    public async Task A_deferred_constraint_fails_the_commit()
    {
        await Execute("CREATE TEMP TABLE once (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
        await using var transaction = await Begin();
        await Execute("INSERT INTO once VALUES (1), (1)");

        var error = await Catch<PostgresException>(() => Mode.Commit(transaction));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.UniqueViolation));
        Assert.That(transaction.Connection, Is.Null, "the server has rolled it back");
        Assert.That(await Scalar<long>("SELECT count(*) FROM once"), Is.Zero);
    }

    [Test]
    public async Task A_deferred_constraint_that_fails_at_Sync_fails_its_command()
    {
        await Execute("CREATE TEMP TABLE once (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)");

        var error = await Catch<PostgresException>(() => Execute("INSERT INTO once VALUES (1), (1)"));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.UniqueViolation));
        await AssertUsable();
    }

    [Test]
    public async Task A_deferred_constraint_that_fails_at_Sync_is_thrown_by_the_reader_that_comes_to_the_end()
    {
        await Execute("CREATE TEMP TABLE once (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
        await using var command = Command("INSERT INTO once VALUES (1), (1) RETURNING id");
        var reader = await Mode.ExecuteReader(command);

        var error = await Catch<PostgresException>(async () =>
        {
            while (await Mode.Read(reader))
            {
            }
            await Mode.Close(reader);
        });

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.UniqueViolation));
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task No_transaction_begins_in_one_that_a_command_began()
    {
        await Execute("BEGIN");

        await Catch<InvalidOperationException>(() => Begin(IsolationLevel.Serializable));

        await Execute("ROLLBACK");
        await using var transaction = await Begin();
        await Mode.Commit(transaction);
    }

    private Task<PgTransaction> Begin(IsolationLevel level = IsolationLevel.Unspecified, PgTransactionOptions options = PgTransactionOptions.None) =>
        Mode.Run(() => Connection.BeginTransaction(level, options), () => Connection.BeginTransactionAsync(level, options).AsTask());

    private Task<long> Count() => Scalar<long>("SELECT count(*) FROM things");
}
