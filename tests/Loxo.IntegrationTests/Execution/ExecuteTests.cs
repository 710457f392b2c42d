namespace Loxo.IntegrationTests.Execution;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ExecuteTests(WaitMode mode) : DatabaseTest(mode)
{
    [SetUp]
    public Task CreateTable() => Execute("CREATE TEMP TABLE item (id int PRIMARY KEY, name text)");

    [Test]
    public async Task ExecuteNonQuery_counts_the_rows_that_it_changed()
    {
        Assert.That(await Execute("INSERT INTO item SELECT i, 'x' FROM generate_series(1, 5) i"), Is.EqualTo(5));
        Assert.That(await Execute("UPDATE item SET name = 'y' WHERE id > $1", 2), Is.EqualTo(3));
        Assert.That(await Execute("DELETE FROM item WHERE id = $1", 1), Is.EqualTo(1));
        Assert.That(await Execute("DELETE FROM item WHERE id = $1", 1), Is.Zero);
    }

    [TestCase("SELECT 1")]
    [TestCase("CREATE TEMP TABLE other (id int)")]
    [TestCase("SET LOCAL work_mem = '5MB'")]
    [TestCase("DO $$ BEGIN END $$")]
    public async Task ExecuteNonQuery_returns_minus_one_for_a_statement_that_changes_no_rows(string sql) =>
        Assert.That(await Execute(sql), Is.EqualTo(-1));

    [Test]
    public async Task ExecuteNonQuery_counts_the_rows_of_a_merge()
    {
        await Execute("INSERT INTO item VALUES (1, 'a'), (2, 'b')");

        var merged = await Execute(
            "MERGE INTO item USING (VALUES (2, 'B'), (3, 'C')) n (id, name) ON item.id = n.id "
            + "WHEN MATCHED THEN UPDATE SET name = n.name WHEN NOT MATCHED THEN INSERT VALUES (n.id, n.name)");

        Assert.That(merged, Is.EqualTo(2));
    }

    [Test]
    public async Task ExecuteNonQuery_counts_the_rows_of_an_insert_that_returns_them() =>
        Assert.That(await Execute("INSERT INTO item VALUES (1, 'a'), (2, 'b') RETURNING id"), Is.EqualTo(2));

    [Test]
    public async Task ExecuteScalar_returns_the_first_column_of_the_first_row()
    {
        await using var command = Command("SELECT i, 'other' FROM generate_series(7, 9) i");

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(7));
        await AssertUsable();
    }

    [Test]
    public async Task ExecuteScalar_returns_DBNull_for_NULL_and_null_for_no_row()
    {
        await using var ofNull = Command("SELECT NULL::int");
        await using var ofNothing = Command("SELECT 1 WHERE false");
        await using var ofNoResult = Command("SET LOCAL work_mem = '5MB'");

        Assert.That(await Mode.ExecuteScalar(ofNull), Is.EqualTo(DBNull.Value));
        Assert.That(await Mode.ExecuteScalar(ofNothing), Is.Null);
        Assert.That(await Mode.ExecuteScalar(ofNoResult), Is.Null);
    }

    [Test]
    public async Task ExecuteScalar_reports_an_error_that_comes_after_the_first_row()
    {
        await using var command = Command("SELECT 10 / (3 - i) FROM generate_series(1, 5) i");

        var error = await Catch<PostgresException>(() => Mode.ExecuteScalar(command));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.DivisionByZero));
        await AssertUsable();
    }

    [Test]
    public async Task ExecuteReader_of_a_statement_without_result_has_no_columns()
    {
        await using var command = Command("INSERT INTO item VALUES (1, 'a')");
        var reader = await Mode.ExecuteReader(command);

        Assert.That(reader.FieldCount, Is.Zero);
        Assert.That(reader.HasRows, Is.False);
        Assert.That(await Mode.Read(reader), Is.False);
        Assert.That(await Mode.NextResult(reader), Is.False);
        Assert.That(reader.RecordsAffected, Is.EqualTo(1));
        await Mode.Close(reader);
        Assert.That(reader.RecordsAffected, Is.EqualTo(1));
    }

    [Test]
    public async Task ExecuteReader_of_an_empty_result_has_its_columns()
    {
        await using var command = Command("SELECT id, name FROM item");
        var reader = await Mode.ExecuteReader(command);

        Assert.That(reader.HasRows, Is.False);
        Assert.That(reader.FieldCount, Is.EqualTo(2));
        Assert.That(reader.GetName(1), Is.EqualTo("name"));
        Assert.That(await Mode.Read(reader), Is.False);
        Assert.That(reader.FieldCount, Is.EqualTo(2));
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_select_without_columns_returns_rows_without_columns()
    {
        await using var command = Command("SELECT FROM generate_series(1, 3)");
        var reader = await Mode.ExecuteReader(command);
        var rows = 0;
        while (await Mode.Read(reader))
            rows++;

        Assert.That(rows, Is.EqualTo(3));
        Assert.That(reader.FieldCount, Is.Zero);
        await Mode.Close(reader);
    }

    [Test]
    public async Task ExecuteScalar_of_a_select_without_columns_is_null()
    {
        await using var command = Command("SELECT");

        Assert.That(await Mode.ExecuteScalar(command), Is.Null);
    }

    [Test]
    public async Task Read_goes_on_returning_false_after_the_last_row()
    {
        await using var command = Command("SELECT 1");
        var reader = await Mode.ExecuteReader(command);

        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.False);
        Assert.That(await Mode.Read(reader), Is.False);
        Assert.That(reader.IsOnRow, Is.False);
        Assert.That(reader.HasRows, Is.True);
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_command_without_connection_says_so()
    {
        await using var command = new PgCommand("SELECT 1");

        var error = await Catch<InvalidOperationException>(() => Mode.ExecuteScalar(command));

        Assert.That(error.Message, Does.Contain("Connection"));
    }

    [Test]
    public async Task A_command_on_a_closed_connection_says_so()
    {
        await using var closed = new PgConnection(ConnectionString);
        await using var command = new PgCommand("SELECT 1", closed);

        var error = await Catch<InvalidOperationException>(() => Mode.ExecuteReader(command));

        Assert.That(error.Message, Does.Contain("not open"));
    }

    [TestCase("")]
    [TestCase(null)]
    public async Task A_command_without_text_says_so(string? text)
    {
        await using var command = new PgCommand(text, Connection);

        var error = await Catch<InvalidOperationException>(() => Mode.ExecuteNonQuery(command));

        Assert.That(error.Message, Does.Contain("CommandText"));
        await AssertUsable();
    }

    [TestCase(" ")]
    [TestCase(";")]
    [TestCase(" ; ; ")]
    [TestCase("-- nothing to do")]
    [TestCase("/* nothing /* at */ all */")]
    public async Task A_text_without_a_statement_runs_and_does_nothing(string text)
    {
        await using var command = Command(text);

        Assert.That(await Mode.ExecuteNonQuery(command), Is.EqualTo(-1));
        Assert.That(await Mode.ExecuteScalar(command), Is.Null);
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.False);
        Assert.That(await Mode.NextResult(reader), Is.False);
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task A_cancelled_token_is_seen_before_anything_is_sent()
    {
        await using var command = Command("INSERT INTO item VALUES (1, 'a')");
        var cancelled = new CancellationToken(canceled: true);

        await Catch<OperationCanceledException>(() => command.ExecuteReaderAsync(cancelled));
        await Catch<OperationCanceledException>(() => command.ExecuteNonQueryAsync(cancelled));
        await Catch<OperationCanceledException>(() => command.ExecuteScalarAsync(cancelled));

        Assert.That(await Scalar<long>("SELECT count(*) FROM item"), Is.Zero);
    }

    [Test]
    public async Task The_base_classes_run_the_same_way()
    {
        System.Data.Common.DbCommand command = Connection.CreateCommand();
        await using (command)
        {
            command.CommandText = "SELECT @a + 1";
            var parameter = command.CreateParameter();
            parameter.ParameterName = "a";
            parameter.Value = 41;
            command.Parameters.Add(parameter);

            var reader = await Mode.Run(command.ExecuteReader, () => command.ExecuteReaderAsync());

            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetInt32(0), Is.EqualTo(42));
            await Mode.Close(reader);
        }
    }

    [Test]
    public async Task COPY_in_an_ordinary_command_is_refused_and_the_connection_stays_usable()
    {
        foreach (var sql in new[] { "COPY item FROM STDIN", "COPY item TO STDOUT" })
        {
            var error = await Catch<PostgresException>(() => Execute(sql));

            Assert.That(error.Message, Does.Contain("COPY"), sql);
            await AssertUsable();
        }
    }

    // The server loses its place in the stream behind COPY FROM STDIN, and sees no error in COPY TO STDOUT: nothing of the text is sent.
    [TestCase("COPY {0} FROM STDIN; SELECT 1")]
    [TestCase("INSERT INTO {0} VALUES (1); COPY {0} FROM STDIN")]
    [TestCase("INSERT INTO {0} VALUES (1); /* c */ copy BINARY {0} from stdout; INSERT INTO {0} VALUES (2)")]
    [TestCase("INSERT INTO {0} VALUES (1); -- c\nCOPY {0} (a) FROM/**/STDIN (FORMAT csv); COPY {0} FROM STDIN")]
    [TestCase("INSERT INTO {0} VALUES (1); COPY\"{0}\"FROM STDIN WITH CSV HEADER; SELECT 1")]
    [TestCase("INSERT INTO {0} VALUES (1); COPY (INSERT INTO {0} VALUES (2) RETURNING a) TO STDOUT; INSERT INTO {0} VALUES (3)")]
    [TestCase("INSERT INTO {0} VALUES (1); COPY {0} TO STDOUT")]
    public async Task COPY_through_the_client_among_other_statements_is_refused_before_anything_runs(string sql)
    {
        await Execute("CREATE TEMP TABLE taken (a int)");
        var text = string.Format(System.Globalization.CultureInfo.InvariantCulture, sql, "taken");

        var error = await Catch<PgException>(() => Execute(text));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.NotSupported));
        Assert.That(error.Message, Does.Contain("BeginBinaryImport").And.Contain("Nothing was sent"));
        Assert.That(Connection.State, Is.EqualTo(System.Data.ConnectionState.Open));
        await using (var batch = new PgBatch(Connection) { EnableErrorBarriers = sql.Contains("/*", StringComparison.Ordinal) })
        {
            foreach (var statement in text.Split(';'))
                batch.BatchCommands.Add(new PgBatchCommand(statement));
            Assert.That((await Catch<PgException>(() => Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync()))).Code,
                Is.EqualTo(PgErrorCode.NotSupported));
        }
        await using var count = new PgCommand("SELECT count(*) FROM taken", Connection);
        Assert.That(await Mode.ExecuteScalar(count), Is.Zero);
        await AssertUsable();
    }
}
