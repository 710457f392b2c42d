using System.Data;

namespace Loxo.IntegrationTests.Pipelines;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PipelineTransactionTests(WaitMode mode) : PipelineTest(mode)
{
    [SetUp]
    public Task MakeTable() => Execute("CREATE TEMP TABLE piped (id int PRIMARY KEY)");

    [Test]
    public async Task A_transaction_is_begun_run_and_committed_in_one_pipeline()
    {
        await using var transaction = Connection.BeginTransaction(IsolationLevel.Serializable);
        await using (var pipeline = Connection.CreatePipeline())
        {
            var insert = pipeline.AddNonQuery("INSERT INTO piped VALUES (1)");
            var level = pipeline.AddScalar<string>(Command("SHOW transaction_isolation"));
            var commit = pipeline.AddCommit();
            await Wait(commit);
            Assert.That(await Result(insert), Is.EqualTo(1));
            Assert.That(await Result(level), Is.EqualTo("serializable"));
        }
        Assert.Throws<InvalidOperationException>(transaction.Commit);
        Assert.That(await Scalar<long>("SELECT count(*) FROM piped"), Is.EqualTo(1));
    }

    [Test]
    public async Task A_failed_transaction_is_rolled_back()
    {
        await using (var transaction = Connection.BeginTransaction())
        {
            await using var pipeline = Connection.CreatePipeline();
            pipeline.AddNonQuery("INSERT INTO piped VALUES (1)");
            var failure = pipeline.AddNonQuery("INSERT INTO piped VALUES (1)");
            var commit = pipeline.AddCommit();
            Assert.That((await Catch<PgException>(() => Wait(commit))).Code, Is.EqualTo(PgErrorCode.PipelineAborted));
            await Catch<PostgresException>(() => Result(failure));
        }
        Assert.That(await Scalar<long>("SELECT count(*) FROM piped"), Is.EqualTo(0));
        await AssertUsable();
    }

    [Test]
    public async Task A_text_that_runs_twice_in_a_failed_transaction_is_told_so_twice([Values] bool failsBefore)
    {
        await using var connection = new PgConnection(ConnectionString + ";Auto Prepare Min Usages=1");
        await Mode.Open(connection);
        await Mode.ExecuteNonQuery(new PgCommand("BEGIN", connection));
        if (failsBefore)
            await Catch<PostgresException>(() => Mode.ExecuteNonQuery(new PgCommand("SELECT 1/0", connection)));
        await using (var pipeline = connection.CreatePipeline())
        {
            pipeline.AddNonQuery("SELECT 1/0");
            pipeline.Sync();
            var first = pipeline.AddNonQuery("SELECT 7");
            pipeline.Sync();
            var second = pipeline.AddNonQuery("SELECT 7");
            pipeline.Sync();
            foreach (var result in new[] { first, second })
                Assert.That((await Catch<PostgresException>(() => Result(result))).SqlState, Is.EqualTo("25P02"));
        }
        await Mode.ExecuteNonQuery(new PgCommand("ROLLBACK", connection));
        Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 7", connection)), Is.EqualTo(7));
    }

    [Test]
    public async Task A_text_that_runs_in_a_failed_transaction_and_behind_it_runs_behind_it([Values] bool isOpen, [Values] bool endsGroup)
    {
        await using var connection = new PgConnection(ConnectionString + ";Auto Prepare Min Usages=1");
        await Mode.Open(connection);
        if (isOpen)
            await Mode.ExecuteNonQuery(new PgCommand("BEGIN", connection));
        await using var pipeline = connection.CreatePipeline();
        if (!isOpen)
            pipeline.AddNonQuery("BEGIN");
        pipeline.AddNonQuery("SELECT 1/0");
        pipeline.Sync();
        var first = pipeline.AddScalar<int>(new PgCommand("SELECT 7"));
        pipeline.Sync();
        pipeline.AddNonQuery("ROLLBACK");
        if (endsGroup)
            pipeline.Sync();
        var second = pipeline.AddScalar<int>(new PgCommand("SELECT 7"));
        pipeline.Sync();
        Assert.That((await Catch<PostgresException>(() => Result(first))).SqlState, Is.EqualTo("25P02"));
        Assert.That(await Result(second), Is.EqualTo(7));
    }

    [Test]
    public async Task A_text_with_an_error_is_told_that_the_transaction_has_failed([Values] bool isOpen)
    {
        await using var connection = new PgConnection(ConnectionString + ";Auto Prepare Min Usages=1");
        await Mode.Open(connection);
        if (isOpen)
            await Mode.ExecuteNonQuery(new PgCommand("BEGIN", connection));
        await using (var pipeline = connection.CreatePipeline())
        {
            var first = pipeline.AddNonQuery("SELECT no_such_column");
            pipeline.Sync();
            if (!isOpen)
            {
                pipeline.AddNonQuery("BEGIN");
                pipeline.AddNonQuery("SELECT 1/0");
                pipeline.Sync();
            }
            var second = pipeline.AddNonQuery("SELECT no_such_column");
            pipeline.Sync();
            Assert.That((await Catch<PostgresException>(() => Result(first))).SqlState, Is.EqualTo("42703"));
            Assert.That((await Catch<PostgresException>(() => Result(second))).SqlState, Is.EqualTo("25P02"));
        }
        await Mode.ExecuteNonQuery(new PgCommand("ROLLBACK", connection));
    }

    [Test]
    public async Task A_text_whose_statement_was_to_be_closed_in_a_failed_group_is_prepared_again([Values] bool inTransaction)
    {
        await using var connection = new PgConnection(ConnectionString + ";Auto Prepare Min Usages=1;Max Auto Prepare=2");
        await Mode.Open(connection);
        var texts = new[] { "SELECT 71", "SELECT 72" };
        foreach (var text in texts)
            await Mode.ExecuteScalar(new PgCommand(text, connection));
        await using (var transaction = inTransaction ? connection.BeginTransaction() : null)
        {
            await using var pipeline = connection.CreatePipeline();
            pipeline.AddNonQuery("SELECT 1/0");
            for (var i = 0; i < 3; i++)
                pipeline.AddNonQuery($"SELECT {i}");
            await Catch<PostgresException>(() => Wait(pipeline.Sync()));
        }
        await using (var pipeline = connection.CreatePipeline())
        {
            foreach (var text in texts)
                Assert.That(await Result(pipeline.AddScalar<int>(new PgCommand(text))), Is.EqualTo(int.Parse(text[^2..])));
        }
        var known = await Mode.ExecuteScalar(new PgCommand("SELECT count(*) FROM pg_prepared_statements", connection));
        Assert.That(known, Is.LessThanOrEqualTo(3), "two, and the one that is closed next");
    }

    [Test]
    public async Task A_commit_that_rolls_back_says_so()
    {
        await using var transaction = Connection.BeginTransaction();
        await using (var pipeline = Connection.CreatePipeline())
        {
            pipeline.AddNonQuery("SELECT 1/0");
            pipeline.Sync();
            var commit = pipeline.AddCommit();
            Assert.That((await Catch<PgException>(() => Wait(commit))).Code, Is.EqualTo(PgErrorCode.TransactionRolledBack));
        }
        await AssertUsable();
    }

    [Test]
    public async Task A_transaction_goes_on_behind_a_pipeline()
    {
        await using (var transaction = Connection.BeginTransaction())
        {
            await using (var pipeline = Connection.CreatePipeline())
                pipeline.AddNonQuery("INSERT INTO piped VALUES (1)");
            Assert.That(await Scalar<long>("SELECT count(*) FROM piped"), Is.EqualTo(1));
            await Mode.Rollback(transaction);
        }
        Assert.That(await Scalar<long>("SELECT count(*) FROM piped"), Is.EqualTo(0));
    }

    [Test]
    public async Task A_pipeline_without_commands_leaves_the_transaction_as_it_was()
    {
        await using var transaction = Connection.BeginTransaction();
        await Mode.Dispose(Connection.CreatePipeline());
        await Execute("INSERT INTO piped VALUES (1)");
        await Mode.Rollback(transaction);
        Assert.That(await Scalar<long>("SELECT count(*) FROM piped"), Is.EqualTo(0));
    }
}
