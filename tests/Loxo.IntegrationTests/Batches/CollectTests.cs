using System.Data;

namespace Loxo.IntegrationTests.Batches;

/// <summary>A batch that collects errors: each command has its own success or exception.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class CollectTests(WaitMode mode) : BatchTest(mode)
{
    private const string Good1 = "INSERT INTO item VALUES (1, 'a')", Good2 = "INSERT INTO item VALUES (2, 'b')", Bad = "INSERT INTO item VALUES (1 / 0, 'x')";

    [Test]
    public async Task Each_command_has_its_own_success_or_exception()
    {
        await using var batch = Collecting(Bad, Good1, "SELEC", Good2, Good2);

        var affected = await NonQuery(batch);

        Assert.That(affected, Is.EqualTo(2));
        Assert.That(States(batch), Is.EqualTo(new[] { SqlStates.DivisionByZero, "+", SqlStates.SyntaxError, "+", SqlStates.UniqueViolation }));
        Assert.That(Commands(batch).Select(command => command.RecordsAffected), Is.EqualTo(new[] { -1, 1, -1, 1, -1 }));
        Assert.That(await Ids(), Is.EqualTo(new[] { 1, 2 }));
        await AssertUsable();
    }

    [Test]
    public async Task A_batch_that_runs_again_forgets_its_errors()
    {
        await using var batch = Collecting(Good1, Good2);
        await NonQuery(batch);
        Assert.That(States(batch), Is.EqualTo(new[] { "+", "+" }));
        await NonQuery(batch);
        Assert.That(States(batch), Is.EqualTo(new[] { SqlStates.UniqueViolation, SqlStates.UniqueViolation }));
        await Execute("DELETE FROM item");
        await NonQuery(batch);

        Assert.That(States(batch), Is.EqualTo(new[] { "+", "+" }));
    }

    [Test]
    public async Task A_deferred_constraint_is_an_error_of_the_command_whose_commit_it_refused()
    {
        await Execute("CREATE TEMP TABLE child (id int REFERENCES item DEFERRABLE INITIALLY DEFERRED)");
        await using var batch = Collecting("INSERT INTO child VALUES (5)", Good1, "INSERT INTO child VALUES (1)");

        var affected = await NonQuery(batch);

        Assert.That(States(batch), Is.EqualTo(new[] { SqlStates.ForeignKeyViolation, "+", "+" }));
        Assert.That(affected, Is.EqualTo(2));
        Assert.That(await Scalar<long>("SELECT count(*) FROM child"), Is.EqualTo(1));
    }

    [Test]
    public async Task A_commit_refused_behind_a_barrier_names_its_command()
    {
        await Execute("CREATE TEMP TABLE child (id int REFERENCES item DEFERRABLE INITIALLY DEFERRED)");
        await using var another = new PgConnection(ConnectionString + ";Include Failed Batched Command=true;Pooling=false");
        await Mode.Open(another);
        await using var batch = new PgBatch(another)
        {
            EnableErrorBarriers = true,
            BatchCommands =
            {
                new PgBatchCommand("CREATE TEMP TABLE one (id int PRIMARY KEY)"),
                new PgBatchCommand("CREATE TEMP TABLE two (id int REFERENCES one DEFERRABLE INITIALLY DEFERRED)"),
                new PgBatchCommand("INSERT INTO two VALUES (5)"),
                new PgBatchCommand("SELECT 1"),
            },
        };

        var error = await Catch<PostgresException>(() => NonQuery(batch));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.ForeignKeyViolation));
        Assert.That(error.BatchCommand, Is.SameAs(batch.BatchCommands[2]));
    }

    [Test]
    public async Task What_stands_between_the_same_barriers_fails_together()
    {
        await using var batch = Collecting(Good1, Bad, Good2, "INSERT INTO item VALUES (3, 'c')");
        batch.BatchCommands[0].AppendErrorBarrier = false;
        batch.BatchCommands[1].AppendErrorBarrier = false;

        var affected = await NonQuery(batch);

        Assert.That(States(batch), Is.EqualTo(new[] { "-", SqlStates.DivisionByZero, "-", "+" }));
        Assert.That(affected, Is.EqualTo(1));
        Assert.That(await Ids(), Is.EqualTo(new[] { 3 }));
    }

    [Test]
    public async Task In_a_transaction_what_follows_a_failed_command_fails_too()
    {
        var transaction = Connection.BeginTransaction();
        await using var batch = Collecting(Good1, Bad, Good2);

        await NonQuery(batch);

        Assert.That(States(batch), Is.EqualTo(new[] { "+", SqlStates.DivisionByZero, SqlStates.InFailedSqlTransaction }));
        await Mode.Rollback(transaction);
        Assert.That(await Ids(), Is.Empty);
    }

    [Test]
    public async Task The_results_of_the_others_are_read()
    {
        await using var batch = Collecting("SELECT 1", "SELECT 10 / (3 - n) FROM generate_series(1, 5) n", "SELECT 1/0", "SELECT 3");
        var values = new List<int>();
        var reader = await Reader(batch);
        do
        {
            while (await Mode.Read(reader))
                values.Add(reader.GetInt32(0));
        }
        while (await Mode.NextResult(reader));
        await Mode.Close(reader);

        Assert.That(values, Is.EqualTo(new[] { 1, 5, 10, 3 }));
        Assert.That(States(batch), Is.EqualTo(new[] { "+", SqlStates.DivisionByZero, SqlStates.DivisionByZero, "+" }));
    }

    [Test]
    public async Task Closing_the_reader_early_throws_nothing_either()
    {
        await using var batch = Collecting("SELECT generate_series(1, 5)", "SELECT 1/0");
        var reader = await Reader(batch);
        await Mode.Read(reader);
        await Mode.Close(reader);

        Assert.That(States(batch), Is.EqualTo(new[] { "+", SqlStates.DivisionByZero }));
        await AssertUsable();
    }

    [Test]
    public async Task Prepared_statements_and_those_of_a_data_source_collect_as_well([Values] bool ofDataSource)
    {
        await using var source = PgDataSource.Create(ConnectionString);
        await using var batch = ofDataSource ? source.CreateBatch() : new PgBatch(Connection);
        batch.CollectErrors = true;
        batch.BatchCommands.Add(new PgBatchCommand("SELECT 1 / $1::int") { Parameters = { new PgParameter<int> { TypedValue = 0 } } });
        batch.BatchCommands.Add(new PgBatchCommand("SELECT 1 / $1::int") { Parameters = { new PgParameter<int> { TypedValue = 1 } } });
        for (var i = 0; i < 4; i++)
        {
            await NonQuery(batch);
            Assert.That(States(batch), Is.EqualTo(new[] { SqlStates.DivisionByZero, "+" }));
        }
    }

    [Test]
    public async Task Preparing_throws()
    {
        await using var batch = Collecting("SELECT 1", "SELECT nothing");

        var error = await Catch<PostgresException>(() => Mode.Run(batch.Prepare, () => batch.PrepareAsync()));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.UndefinedColumn));
        await AssertUsable();
    }

    [Test]
    public async Task A_value_that_cannot_be_sent_is_thrown_and_nothing_runs()
    {
        await using var batch = Collecting(Good1, "INSERT INTO item VALUES ($1, 'x')");
        batch.BatchCommands[1].Parameters.Add(new PgParameter { PgDbType = PgDbType.Integer, Value = "five" });

        await Catch<InvalidCastException>(() => NonQuery(batch));

        Assert.That(await Ids(), Is.Empty);
        await AssertUsable();
    }

    [Test]
    public async Task A_lost_connection_is_thrown()
    {
        await using var batch = Collecting("SELECT 1/0", "SELECT pg_terminate_backend(pg_backend_pid())", "SELECT 1");

        await Catch<PgException>(() => NonQuery(batch));

        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_time_limit_is_thrown()
    {
        await using var batch = Collecting("SELECT 1/0", "SELECT pg_sleep(600)", "SELECT 1");
        batch.Timeout = 1;

        var error = await Catch<PgException>(() => NonQuery(batch));

        Assert.That(error.ToString(), Does.Contain(nameof(TimeoutException)));
        await AssertUsable();
    }

    private PgBatch Collecting(params string[] texts)
    {
        var batch = Batch(texts);
        batch.CollectErrors = true;
        return batch;
    }

    // + for success, - for neither, else the SQLSTATE.
    private static string[] States(PgBatch batch) =>
        [.. Commands(batch).Select(command => command.Error?.SqlState ?? (command.HasSucceeded ? "+" : "-"))];
}
