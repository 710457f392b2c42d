namespace Loxo.IntegrationTests.Execution;

/// <summary>An error knows the statement, and no value that was sent with it.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class FailedStatementTests(WaitMode mode) : DatabaseTest(mode)
{
    private const string Wrong = "SELECT 1 / @divisor";

    [Test]
    public async Task The_error_of_a_command_has_its_text_without_values([Values] bool prepared)
    {
        await using var command = new PgCommand(Wrong, Connection);
        command.Parameters.AddWithValue("divisor", 0);
        if (prepared)
            await Mode.Prepare(command);
        var error = await Catch<PostgresException>(() => Mode.ExecuteScalar(command));
        Assert.That(error.Statement, Is.EqualTo("SELECT 1 / $1"));
        Assert.That(error.Message, Does.Not.Contain("SELECT"));
        await AssertUsable();
    }

    [Test]
    public async Task Of_several_statements_it_is_the_one_that_failed()
    {
        var error = await Catch<PostgresException>(() => Execute("SELECT 1; SELECT 1 / 0; SELECT 3"));
        Assert.That(error.Statement, Is.EqualTo("SELECT 1 / 0"));

        await using var batch = new PgBatch(Connection) { BatchCommands = { new("SELECT 1"), new("SELECT 2"), new("SELECT 1 / 0") } };
        error = await Catch<PostgresException>(() => Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync()));
        Assert.That(error.Statement, Is.EqualTo("SELECT 1 / 0"));
    }

    [Test]
    public async Task A_BEGIN_in_front_is_not_taken_for_it()
    {
        await using var transaction = Connection.BeginTransaction();
        var error = await Catch<PostgresException>(() => Execute("SELECT 1; SELECT 1 / 0"));
        Assert.That(error.Statement, Is.EqualTo("SELECT 1 / 0"));
        await Mode.Rollback(transaction);
    }

    [Test]
    public async Task A_statement_that_takes_too_long_is_named()
    {
        await using var command = new PgCommand("SELECT pg_sleep(60)", Connection) { CommandTimeout = 1 };
        var error = await Catch<PgException>(() => Mode.ExecuteScalar(command));
        Assert.That((error.Code, error.Statement), Is.EqualTo((PgErrorCode.Timeout, "SELECT pg_sleep(60)")));
    }

    [TestCase(false)]
    [TestCase(true)]
    public async Task A_command_of_a_data_source_has_it_too(bool multiplexing)
    {
        await using var source = PgDataSource.Create(ConnectionString + ";Multiplexing=" + multiplexing);
        await using var command = source.CreateCommand(Wrong);
        command.Parameters.AddWithValue("divisor", 0);
        Assert.That((await Catch<PostgresException>(() => Mode.ExecuteScalar(command))).Statement, Is.EqualTo("SELECT 1 / $1"));
    }

    [Test]
    public async Task A_login_has_none()
    {
        await using var connection = new PgConnection(ConnectionString + ";Database=no_such_thing;Pooling=false");
        Assert.That((await Catch<PostgresException>(() => Mode.Open(connection))).Statement, Is.Null);
    }
}
