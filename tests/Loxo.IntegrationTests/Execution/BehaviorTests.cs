using System.Data;

namespace Loxo.IntegrationTests.Execution;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class BehaviorTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task SchemaOnly_describes_the_columns_and_runs_nothing()
    {
        await Execute("CREATE TEMP TABLE item (id int)");
        await using var command = Command("INSERT INTO item VALUES ($1) RETURNING id, id::text AS name", 1);
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SchemaOnly);

        Assert.That(reader.FieldCount, Is.EqualTo(2));
        Assert.That(reader.GetName(1), Is.EqualTo("name"));
        Assert.That(reader.GetFieldType(0), Is.EqualTo(typeof(int)));
        Assert.That(reader.HasRows, Is.False);
        Assert.That(await Mode.Read(reader), Is.False);
        await Mode.Close(reader);
        Assert.That(await Scalar<long>("SELECT count(*) FROM item"), Is.Zero);
    }

    [Test]
    public async Task SchemaOnly_needs_a_type_of_each_parameter_but_no_value()
    {
        await using var command = Command("SELECT @a AS a, @b AS b");
        command.Parameters.Add("a", PgDbType.Integer);
        command.Parameters.Add("b", PgDbType.Uuid);
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SchemaOnly);

        Assert.That(reader.GetFieldType(0), Is.EqualTo(typeof(int)));
        Assert.That(reader.GetFieldType(1), Is.EqualTo(typeof(Guid)));
        await Mode.Close(reader);
    }

    [Test]
    public async Task SchemaOnly_of_several_statements_has_a_result_for_each_that_returns_rows()
    {
        await Execute("CREATE TEMP TABLE item (id int)");
        await using var command = Command("SELECT 1 AS a; INSERT INTO item VALUES (1); SELECT 2 AS b, 3 AS c");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SchemaOnly);

        Assert.That(reader.GetName(0), Is.EqualTo("a"));
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(reader.GetName(1), Is.EqualTo("c"));
        Assert.That(await Mode.NextResult(reader), Is.False);
        await Mode.Close(reader);
        Assert.That(await Scalar<long>("SELECT count(*) FROM item"), Is.Zero);
    }

    [Test]
    public async Task SchemaOnly_of_a_wrong_text_throws()
    {
        await using var command = Command("SELECT nothing FROM nowhere");

        var error = await Catch<PostgresException>(() => Mode.ExecuteReader(command, CommandBehavior.SchemaOnly));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.UndefinedTable));
        await AssertUsable();
    }

    [Test]
    public async Task SingleRow_shows_one_row_of_the_first_result()
    {
        await using var command = Command("SELECT i FROM generate_series(1, 3) i; SELECT 9");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SingleRow);

        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(1));
        Assert.That(await Mode.Read(reader), Is.False);
        Assert.That(await Mode.Read(reader), Is.False);
        Assert.That(await Mode.NextResult(reader), Is.False);
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task SingleResult_shows_the_first_result_and_runs_the_others()
    {
        await Execute("CREATE TEMP TABLE item (id int)");
        await using var command = Command("SELECT i FROM generate_series(1, 3) i; INSERT INTO item VALUES (1); SELECT 9");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SingleResult);
        var rows = 0;
        while (await Mode.Read(reader))
            rows++;

        Assert.That(rows, Is.EqualTo(3));
        Assert.That(await Mode.NextResult(reader), Is.False);
        await Mode.Close(reader);
        Assert.That(await Scalar<long>("SELECT count(*) FROM item"), Is.EqualTo(1));
    }

    [Test]
    public async Task SingleResult_reports_an_error_of_a_later_statement()
    {
        await using var command = Command("SELECT 1; SELECT 1/0");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SingleResult);

        var error = await Catch<PostgresException>(() => Mode.NextResult(reader));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.DivisionByZero));
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task SequentialAccess_reads_the_columns_in_order()
    {
        await using var command = Command("SELECT i, repeat('x', i) FROM generate_series(1, 3) i");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SequentialAccess);
        var texts = new List<string>();
        while (await Mode.Read(reader))
            texts.Add(reader.GetInt32(0) + reader.GetString(1));
        await Mode.Close(reader);

        Assert.That(texts, Is.EqualTo(new[] { "1x", "2xx", "3xxx" }));
    }

    [Test]
    public async Task CloseConnection_closes_the_connection_with_the_reader()
    {
        await using var connection = await OpenAnother();
        await using var command = new PgCommand("SELECT 1", connection);
        var reader = await Mode.ExecuteReader(command, CommandBehavior.CloseConnection);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Open));

        await Mode.Close(reader);

        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
        await Mode.Open(connection);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
    }

    [Test]
    public async Task CloseConnection_closes_the_connection_when_closing_the_reader_throws()
    {
        await using var connection = await OpenAnother();
        await using var command = new PgCommand("SELECT 1; SELECT 1/0", connection);
        var reader = await Mode.ExecuteReader(command, CommandBehavior.CloseConnection);

        await Catch<PostgresException>(() => Mode.Close(reader));

        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task ReaderClosed_is_raised_once_when_the_reader_closes()
    {
        await using var command = Command("SELECT 1");
        var reader = await Mode.ExecuteReader(command);
        var closed = 0;
        reader.ReaderClosed += (_, _) => closed++;

        await Mode.Close(reader);
        await Mode.Close(reader);
        await Mode.Dispose(reader);

        Assert.That(closed, Is.EqualTo(1));
    }

    [Test]
    public async Task The_rows_that_a_closed_reader_has_changed_are_known(
        [Values(CommandBehavior.Default, CommandBehavior.SingleRow)] CommandBehavior behavior, [Values] bool closesConnection, [Values] bool enumerates)
    {
        await using var other = await OpenAnother();
        await using var make = new PgCommand("CREATE TEMP TABLE changed AS SELECT 1 AS id", other);
        await Mode.ExecuteNonQuery(make);
        await using var command = new PgCommand("UPDATE changed SET id = 2 RETURNING id", other);
        var reader = await Mode.ExecuteReader(command, closesConnection ? behavior | CommandBehavior.CloseConnection : behavior);
        if (enumerates)
        {
            foreach (System.Data.IDataRecord record in reader)
                Assert.That(record.GetInt32(0), Is.EqualTo(2));
        }
        else
        {
            while (await Mode.Read(reader))
                Assert.That(reader.GetInt32(0), Is.EqualTo(2));
        }
        if (behavior == CommandBehavior.Default)
            Assert.That(reader.RecordsAffected, Is.EqualTo(1), "nothing is left to be read");
        await Mode.Close(reader);
        Assert.That(reader.RecordsAffected, Is.EqualTo(1));
    }
}
