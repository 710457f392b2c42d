namespace Loxo.IntegrationTests.Batches;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class BatchErrorTests(WaitMode mode) : BatchTest(mode)
{
    private const string Good1 = "INSERT INTO item VALUES (1, 'a')", Good2 = "INSERT INTO item VALUES (2, 'b')", Bad = "INSERT INTO item VALUES (1 / 0, 'x')";

    protected override string ConnectionString => base.ConnectionString + ";Include Failed Batched Command=true";

    [Test]
    public async Task Outside_a_transaction_an_error_undoes_the_whole_batch_and_skips_the_rest()
    {
        await using var batch = Batch(Good1, Bad, Good2);

        var error = await Catch<PostgresException>(() => NonQuery(batch));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.DivisionByZero));
        Assert.That(error.BatchCommand, Is.SameAs(batch.BatchCommands[1]));
        Assert.That(await Ids(), Is.Empty);
        Assert.That(Commands(batch).Select(command => command.StatementType), Is.EqualTo(new[] { StatementType.Insert, StatementType.Unknown, StatementType.Unknown }));
        await AssertUsable();
    }

    [Test]
    public async Task The_failed_command_is_named_only_when_that_was_asked_for()
    {
        await using var plain = new PgConnection(base.ConnectionString);
        await Mode.Open(plain);
        await using var batch = new PgBatch(plain) { BatchCommands = { new PgBatchCommand("SELECT 1"), new PgBatchCommand("SELECT 1/0") } };

        var error = await Catch<PostgresException>(() => NonQuery(batch));

        Assert.That(error.BatchCommand, Is.Null);
    }

    [Test]
    public async Task A_syntax_error_names_its_command_too()
    {
        await using var batch = Batch(Good1, "SELEC 1", Good2);

        var error = await Catch<PostgresException>(() => NonQuery(batch));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.SyntaxError));
        Assert.That(error.BatchCommand, Is.SameAs(batch.BatchCommands[1]));
        Assert.That(await Ids(), Is.Empty);
    }

    [Test]
    public async Task The_failed_command_is_counted_without_the_BEGIN_in_front()
    {
        var transaction = Connection.BeginTransaction();
        await using var batch = Batch("SELECT 1", "SELECT 1/0");

        var error = await Catch<PostgresException>(() => NonQuery(batch));

        Assert.That(error.BatchCommand, Is.SameAs(batch.BatchCommands[1]));
        await Mode.Rollback(transaction);
        await AssertUsable();
    }

    [Test]
    public async Task In_a_transaction_an_error_fails_the_transaction()
    {
        var transaction = Connection.BeginTransaction();
        await using var batch = Batch(Good1, Bad);
        await Catch<PostgresException>(() => NonQuery(batch));

        Assert.That((await Catch<PostgresException>(() => Execute("SELECT 1"))).SqlState, Is.EqualTo(SqlStates.InFailedSqlTransaction));

        await Mode.Rollback(transaction);
        Assert.That(await Ids(), Is.Empty);
    }

    [Test]
    public async Task With_error_barriers_each_command_stands_for_itself()
    {
        await using var batch = Batch(Good1, Bad, Good2);
        batch.EnableErrorBarriers = true;

        var error = await Catch<PostgresException>(() => NonQuery(batch));

        Assert.That(error.BatchCommand, Is.SameAs(batch.BatchCommands[1]));
        Assert.That(await Ids(), Is.EqualTo(new[] { 1, 2 }));
        Assert.That(Commands(batch).Select(command => command.RecordsAffected), Is.EqualTo(new[] { 1, -1, 1 }));
    }

    [Test]
    public async Task Several_errors_are_told_together()
    {
        await using var batch = Batch(Bad, Good1, "SELECT nothing", Good2);
        batch.EnableErrorBarriers = true;

        var error = await Catch<PgException>(() => NonQuery(batch));

        Assert.That(error.Message, Does.StartWith("2 statements"));
        Assert.That((error.InnerException as AggregateException)!.InnerExceptions.Cast<PostgresException>().Select(inner => inner.SqlState),
            Is.EqualTo(new[] { SqlStates.DivisionByZero, SqlStates.UndefinedColumn }));
        Assert.That(error.BatchCommand, Is.SameAs(batch.BatchCommands[0]));
        Assert.That(await Ids(), Is.EqualTo(new[] { 1, 2 }));
        await AssertUsable();
    }

    [Test]
    public async Task A_barrier_of_one_command_divides_the_batch_there()
    {
        await using var batch = Batch(Good1, Good2, Bad, "INSERT INTO item VALUES (3, 'c')");
        batch.BatchCommands[0].AppendErrorBarrier = true;

        await Catch<PostgresException>(() => NonQuery(batch));

        Assert.That(await Ids(), Is.EqualTo(new[] { 1 }));
    }

    [Test]
    public async Task A_command_may_do_without_the_batchs_barrier()
    {
        await using var batch = Batch(Good1, Bad, Good2);
        batch.EnableErrorBarriers = true;
        batch.BatchCommands[0].AppendErrorBarrier = false;

        await Catch<PostgresException>(() => NonQuery(batch));

        Assert.That(await Ids(), Is.EqualTo(new[] { 2 }));
    }

    [Test]
    public async Task Results_before_and_after_an_error_behind_a_barrier_are_read()
    {
        await using var batch = Batch("SELECT 1", "SELECT 1/0", "SELECT 3");
        batch.EnableErrorBarriers = true;
        var reader = await Reader(batch);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(1));

        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(3));
        var error = await Catch<PostgresException>(() => Mode.NextResult(reader));

        Assert.That(error.BatchCommand, Is.SameAs(batch.BatchCommands[1]));
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task An_error_after_the_first_result_is_thrown_by_NextResult_or_by_Close([Values] bool byClose)
    {
        await using var batch = Batch("SELECT 1", "SELECT 1/0", Good1);
        var reader = await Reader(batch);
        Assert.That(await Mode.Read(reader), Is.True);

        var error = await Catch<PostgresException>(() => byClose ? Mode.Close(reader) : Mode.NextResult(reader));

        Assert.That(error.BatchCommand, Is.SameAs(batch.BatchCommands[1]));
        await Mode.Close(reader);
        Assert.That(await Ids(), Is.Empty);
    }

    [Test]
    public async Task A_deferred_constraint_that_fails_at_the_end_is_thrown([Values("NonQuery", "NextResult", "Close", "Scalar")] string how)
    {
        await Execute("CREATE TEMP TABLE child (id int REFERENCES item DEFERRABLE INITIALLY DEFERRED)");
        await using var batch = Batch("INSERT INTO child VALUES (5)", "SELECT 1");
        async Task Run()
        {
            switch (how)
            {
                case "NonQuery":
                    await NonQuery(batch);
                    break;
                case "Scalar":
                    await Mode.Run(batch.ExecuteScalar, () => batch.ExecuteScalarAsync());
                    break;
                default:
                    var reader = await Reader(batch);
                    Assert.That(await Mode.Read(reader), Is.True);
                    if (how == "NextResult")
                        await Mode.NextResult(reader);
                    await Mode.Close(reader);
                    break;
            }
        }

        var error = await Catch<PostgresException>(Run);

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.ForeignKeyViolation));
        Assert.That(await Scalar<long>("SELECT count(*) FROM child"), Is.Zero);
        await AssertUsable();
    }

    [Test]
    public async Task A_deferred_constraint_that_fails_at_the_end_of_a_command_is_thrown()
    {
        await Execute("CREATE TEMP TABLE child (id int REFERENCES item DEFERRABLE INITIALLY DEFERRED)");

        var error = await Catch<PostgresException>(() => Execute("INSERT INTO child VALUES (5)"));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.ForeignKeyViolation));
        await AssertUsable();
    }

    [Test]
    public async Task A_value_that_cannot_be_sent_names_no_command_of_the_server_and_sends_nothing()
    {
        await using var batch = Batch(Good1, "INSERT INTO item VALUES ($1, 'x')");
        batch.BatchCommands[1].Parameters.Add(new PgParameter { PgDbType = PgDbType.Integer, Value = "five" });

        await Catch<InvalidCastException>(() => NonQuery(batch));

        Assert.That(await Ids(), Is.Empty);
        await AssertUsable();
    }
}
