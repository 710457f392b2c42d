namespace Loxo.IntegrationTests.Execution;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class MultiStatementTests(WaitMode mode) : DatabaseTest(mode)
{
    [SetUp]
    public Task CreateTable() => Execute("CREATE TEMP TABLE item (id int PRIMARY KEY, name text)");

    [Test]
    public async Task Each_statement_that_returns_rows_is_a_result()
    {
        await using var command = Command("SELECT 1; INSERT INTO item VALUES (1, 'a'); SELECT 'two', 2; SELECT 3 WHERE false");
        var reader = await Mode.ExecuteReader(command);

        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(1));
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(reader.FieldCount, Is.EqualTo(2));
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetString(0), Is.EqualTo("two"));
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(reader.HasRows, Is.False);
        Assert.That(reader.FieldCount, Is.EqualTo(1));
        Assert.That(await Mode.NextResult(reader), Is.False);
        Assert.That(reader.FieldCount, Is.Zero);
        Assert.That(await Mode.NextResult(reader), Is.False);
        await Mode.Close(reader);
    }

    [Test]
    public async Task NextResult_passes_over_rows_that_were_not_read()
    {
        await using var command = Command("SELECT repeat('x', 100) FROM generate_series(1, 5000); SELECT 2");
        var reader = await Mode.ExecuteReader(command);

        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(2));
        await Mode.Close(reader);
    }

    [Test]
    public async Task NextResult_may_come_before_any_row_is_read()
    {
        await using var command = Command("SELECT 1; SELECT 2; SELECT 3");
        var reader = await Mode.ExecuteReader(command);

        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(3));
        Assert.That(await Mode.NextResult(reader), Is.False);
        await Mode.Close(reader);
    }

    [Test]
    public async Task RecordsAffected_sums_up_all_statements()
    {
        Assert.That(await Execute("INSERT INTO item VALUES (1, 'a'), (2, 'b'); SELECT 1; UPDATE item SET name = 'c'; DELETE FROM item WHERE id = 1"),
            Is.EqualTo(5));

        await using var command = Command("INSERT INTO item VALUES (3, 'a'); SELECT 1; DELETE FROM item");
        var reader = await Mode.ExecuteReader(command);
        Assert.That(reader.RecordsAffected, Is.EqualTo(1));
        await Mode.Close(reader);
        Assert.That(reader.RecordsAffected, Is.EqualTo(3));
    }

    [Test]
    public async Task An_error_in_the_first_statement_is_thrown_by_execute()
    {
        var error = await Catch<PostgresException>(() => Rows("SELECT 1/0; SELECT 2"));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.DivisionByZero));
        await AssertUsable();
    }

    [Test]
    public async Task An_error_in_the_middle_comes_after_the_results_before_it_and_nothing_after_it_runs()
    {
        await using var command = Command("SELECT 1; SELECT 1/0; SELECT 3");
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(1));

        var error = await Catch<PostgresException>(() => Mode.NextResult(reader));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.DivisionByZero));
        Assert.That(await Mode.NextResult(reader), Is.False);
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task Outside_a_transaction_an_error_undoes_the_statements_before_it()
    {
        await Catch<PostgresException>(() => Execute("INSERT INTO item VALUES (1, 'a'); INSERT INTO item VALUES (1, 'b')"));

        Assert.That(await Scalar<long>("SELECT count(*) FROM item"), Is.Zero);
    }

    [Test]
    public async Task A_syntax_error_in_a_later_statement_undoes_the_statements_before_it()
    {
        var error = await Catch<PostgresException>(() => Execute("INSERT INTO item VALUES (1, 'a'); SELEC 1"));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.SyntaxError));
        Assert.That(await Scalar<long>("SELECT count(*) FROM item"), Is.Zero);
    }

    [Test]
    public async Task An_error_in_an_unread_result_surfaces_on_close()
    {
        await using var command = Command("SELECT 1; SELECT 1/0");
        var reader = await Mode.ExecuteReader(command);

        var error = await Catch<PostgresException>(() => Mode.Close(reader));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.DivisionByZero));
        Assert.That(reader.IsClosed, Is.True);
        await AssertUsable();
    }

    [Test]
    public async Task An_error_is_thrown_once()
    {
        await using var command = Command("SELECT 1; SELECT 1/0");
        var reader = await Mode.ExecuteReader(command);
        await Catch<PostgresException>(() => Mode.NextResult(reader));

        await Mode.Close(reader);
        await Mode.Dispose(reader);

        await AssertUsable();
    }

    [Test]
    public async Task Named_parameters_are_shared_by_the_statements()
    {
        await using var command = Command("INSERT INTO item VALUES (@id, @name); SELECT name FROM item WHERE id = @id; SELECT @name || @id");
        command.Parameters.AddWithValue("id", 7);
        command.Parameters.AddWithValue("name", "seven");
        var reader = await Mode.ExecuteReader(command);

        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetString(0), Is.EqualTo("seven"));
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetString(0), Is.EqualTo("seven7"));
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_positional_text_is_one_statement_to_the_server_which_refuses_several()
    {
        var error = await Catch<PostgresException>(() => Execute("SELECT $1::int; SELECT 2", 1));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.SyntaxError));
        await AssertUsable();
    }

    [Test]
    public async Task Comments_and_empty_statements_between_statements_do_not_count()
    {
        var rows = await Rows("/* a */ SELECT 1; -- b\n ; /* c; */ SELECT ';'; ; -- d");

        Assert.That(rows.Select(row => row[0]), Is.EqualTo(new object[] { 1, ";" }));
    }

    [TestCase("SELECT $1; SELECT 2", null)]
    [TestCase("SELECT @a; SELECT 2", "a")]
    [TestCase("DO '' ; SELECT $1", null)]
    public async Task Many_rows_take_one_statement(string sql, string? name)
    {
        await using var command = Command(sql, new PgParameter<int>(name, PgDbType.Integer));
        await Catch<NotSupportedException>(() => Run([1, 2]));
        await Catch<NotSupportedException>(() => Run([]));
        command.CommandText = name is null ? "SELECT $1 ;" : "SELECT @a ;";
        await Run([1, 2]);
        await AssertUsable();

        Task Run(int[] rows) => Mode.Run(() => command.ExecuteMany(rows, Bind), () => command.ExecuteManyAsync(rows, Bind));

        static void Bind(int row, PgParameterCollection parameters) => ((PgParameter<int>)parameters[0]).TypedValue = row;
    }

    [Test]
    public async Task Statements_may_control_the_transaction()
    {
        await Execute("BEGIN; INSERT INTO item VALUES (1, 'a'); COMMIT; INSERT INTO item VALUES (2, 'b')");
        await Execute("BEGIN; INSERT INTO item VALUES (3, 'a'); ROLLBACK");

        Assert.That((await Rows("SELECT id FROM item ORDER BY id")).Select(row => row[0]), Is.EqualTo(new object[] { 1, 2 }));
    }

    [Test]
    public async Task Many_statements_run_in_one_text()
    {
        var sql = string.Join("; ", Enumerable.Range(1, 500).Select(i => $"INSERT INTO item VALUES ({i}, 'x') RETURNING id"));

        var rows = await Rows(sql);

        Assert.That(rows.Select(row => row[0]), Is.EqualTo(Enumerable.Range(1, 500)));
    }

    [Test]
    public async Task Rules_that_add_results_are_read_like_the_server_sends_them()
    {
        await Execute("CREATE TEMP TABLE log (id int); CREATE RULE note AS ON INSERT TO item DO ALSO INSERT INTO log VALUES (new.id)");

        Assert.That(await Execute("INSERT INTO item VALUES (1, 'a'), (2, 'b')"), Is.EqualTo(2));
        Assert.That(await Scalar<long>("SELECT count(*) FROM log"), Is.EqualTo(2));
    }
}
