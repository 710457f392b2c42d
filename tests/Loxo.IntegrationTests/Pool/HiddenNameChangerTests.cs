namespace Loxo.IntegrationTests.Pool;

/// <summary>Functions that put a nearer table in front of the one that prepared statements read, and that the text does not call by their names.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class HiddenNameChangerTests(WaitMode mode) : ChangedNamesTest(mode)
{
    private const string LogTable = "CREATE TABLE log (a int);";

    private const string Triggered =
        LogTable + "CREATE FUNCTION on_log() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM shadows(); RETURN new; END';";

    private const string Trigger = Triggered + "CREATE TRIGGER x BEFORE INSERT OR UPDATE OR DELETE ON log FOR EACH ROW EXECUTE FUNCTION on_log();";

    private const string Writes = "CREATE FUNCTION writes() RETURNS int LANGUAGE sql AS 'INSERT INTO log VALUES (1) RETURNING a';";

    private const string Operator = "CREATE FUNCTION makes(int, text) RETURNS int LANGUAGE sql AS 'SELECT shadows()'; CREATE OPERATOR @+ (FUNCTION = makes, LEFTARG = int, RIGHTARG = text);";

    private const string Cast = "CREATE TYPE c AS (a int); CREATE FUNCTION makes(c) RETURNS int LANGUAGE sql AS 'SELECT shadows()'; CREATE CAST (c AS int) WITH FUNCTION makes(c);";

    private const string View = "CREATE VIEW v AS SELECT shadows() AS a;";

    private static readonly string[][] Ways =
    [
        [Trigger, "INSERT INTO log VALUES (1)"],
        [Trigger, "WITH x AS (INSERT INTO log VALUES (1) RETURNING a) SELECT a FROM x"],
        [Trigger, "MERGE INTO log USING t ON false WHEN NOT MATCHED THEN INSERT VALUES (1)"],
        [Trigger, "EXPLAIN ANALYZE INSERT INTO log VALUES (1)"],
        [Trigger + Writes, "SELECT writes()"],
        [Trigger + Writes + "CREATE FUNCTION calls() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN writes(); END';", "SELECT calls()"],
        [Trigger + Writes + "CREATE VIEW v AS SELECT writes();", "SELECT * FROM v"],
        [Trigger + "CREATE FUNCTION atomic() RETURNS int LANGUAGE sql BEGIN ATOMIC INSERT INTO log VALUES (1) RETURNING a; END;", "SELECT atomic()"],
        [Trigger + "CREATE TABLE other_log (a int); CREATE FUNCTION on_other() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO log VALUES (1); RETURN new; END';"
            + "CREATE TRIGGER x AFTER INSERT ON other_log FOR EACH STATEMENT EXECUTE FUNCTION on_other()", "INSERT INTO other_log VALUES (1)"],
        [Triggered + "INSERT INTO log VALUES (1); CREATE TRIGGER x BEFORE UPDATE ON log FOR EACH ROW EXECUTE FUNCTION on_log()", "UPDATE log SET a = 2"],
        [Triggered + "INSERT INTO log VALUES (1); CREATE TRIGGER x AFTER DELETE ON log EXECUTE FUNCTION on_log()", "DELETE FROM log"],
        [Triggered + "CREATE TRIGGER x AFTER TRUNCATE ON log EXECUTE FUNCTION on_log()", "TRUNCATE log"],
        [Triggered + "CREATE CONSTRAINT TRIGGER x AFTER INSERT ON log DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION on_log()", "INSERT INTO log VALUES (1)"],
        ["CREATE VIEW v AS SELECT 1 AS a; CREATE FUNCTION on_v() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM shadows(); RETURN new; END';"
            + "CREATE TRIGGER x INSTEAD OF INSERT ON v FOR EACH ROW EXECUTE FUNCTION on_v()", "INSERT INTO v VALUES (1)"],
        ["CREATE TABLE log (a int DEFAULT shadows())", "INSERT INTO log DEFAULT VALUES"],
        ["CREATE TABLE log (a int DEFAULT shadows()); CREATE FUNCTION fills() RETURNS int LANGUAGE sql AS 'INSERT INTO log DEFAULT VALUES RETURNING a'", "SELECT fills()"],
        ["CREATE TABLE log (a int DEFAULT shadows())", "UPDATE t SET a = a; INSERT INTO log DEFAULT VALUES"],
        ["CREATE TABLE log (a int CHECK (shadows() = 1))", "INSERT INTO log VALUES (1)"],
        ["CREATE DOMAIN d AS int CHECK (shadows() = 1)", "SELECT 1::d"],
        [LogTable + "CREATE FUNCTION makes(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN shadows(); END'; CREATE INDEX ON log (makes(a))", "INSERT INTO log VALUES (1)"],
        [View, "SELECT a FROM v"],
        [View + "CREATE MATERIALIZED VIEW m AS SELECT 1 AS a; CREATE VIEW w AS SELECT m.a, v.a AS b FROM m, v", "TABLE w"],
        [LogTable + "CREATE RULE r AS ON INSERT TO log DO ALSO SELECT shadows()", "INSERT INTO log VALUES (1)"],
        [Operator, "SELECT 1 @+ 'x'::text"],
        [Operator, "SELECT 1 OPERATOR(public.@+) 'x'::text"],
        [Operator + "CREATE VIEW v AS SELECT 1 @+ 'x'::text;", "SELECT * FROM v"],
        [Cast, "SELECT ROW(1)::c::int"],
        [Cast, "SELECT CAST(ROW(1)::c AS int)"],
        ["CREATE FUNCTION abs(text) RETURNS int LANGUAGE sql AS 'SELECT shadows()'", "SELECT abs('x'::text)"],
        ["CREATE FUNCTION step(int, text) RETURNS int LANGUAGE sql AS 'SELECT shadows()'; CREATE AGGREGATE sum(text) (SFUNC = step, STYPE = int)", "SELECT sum('x'::text)"],
        ["CREATE FUNCTION step(int, int) RETURNS int LANGUAGE sql AS 'SELECT shadows()'; CREATE AGGREGATE total(int) (SFUNC = step, STYPE = int); CREATE VIEW v AS SELECT total(a) FROM t",
            "SELECT * FROM v"],
        ["CREATE VIEW v AS SELECT query_to_xml('SELECT shadows()', true, true, '')::text", "SELECT * FROM v"],
        ["CREATE OPERATOR ~~~ (FUNCTION = ts_rewrite, LEFTARG = tsquery, RIGHTARG = text)", "SELECT 'a'::tsquery ~~~ 'SELECT ''a''::tsquery, ''b''::tsquery WHERE shadows() = 1'"],
        ["CREATE FUNCTION bigger(int, int) RETURNS bool LANGUAGE sql AS 'SELECT shadows() = 1'; CREATE OPERATOR >>> (FUNCTION = bigger, LEFTARG = int, RIGHTARG = int)", "SELECT 1 >>> ALL (ARRAY[1])"],
    ];

    private static IEnumerable<int> Numbers => Enumerable.Range(0, Ways.Length);

    [TestCaseSource(nameof(Numbers))]
    public async Task A_function_that_is_not_called_by_its_name_makes_statements_be_parsed_again(int way)
    {
        var source = await Audited(Shadows, Ways[way][0]);

        await AssertReadsNearerTable(source, Ways[way][1]);
    }

    [TestCase("COPY log FROM STDIN")]
    [TestCase("COPY log FROM STDIN (FORMAT binary)")]
    public async Task Rows_that_are_copied_fire_triggers(string copy)
    {
        var connection = await Rent(await Audited(Shadows, Trigger));
        await Begin(connection);

        if (copy.Contains("binary", StringComparison.Ordinal))
        {
            await using var import = await Mode.Run(() => connection.BeginBinaryImport(copy), () => connection.BeginBinaryImportAsync(copy));
            await Mode.Run(() => import.WriteRow(1), () => import.WriteRowAsync(default, 1));
            await Mode.Run(() => import.Complete(), async () => await import.CompleteAsync());
        }
        else
        {
            await using var writer = await Mode.Run(() => connection.BeginTextImport(copy), () => connection.BeginTextImportAsync(copy));
            await writer.WriteAsync("1\n");
        }

        Assert.That(await Scalar(connection, Reading), Is.EqualTo(2));
        await Mode.Close(connection);
    }

    [TestCase("COMMIT")]
    [TestCase("SET CONSTRAINTS ALL IMMEDIATE")]
    [TestCase(null)]
    public async Task A_trigger_that_is_deferred_fires_at_the_end(string? end)
    {
        var connection = await Rent(await Audited(Shadows, Triggered
            + "CREATE CONSTRAINT TRIGGER x AFTER INSERT ON log DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION on_log()"));
        await Begin(connection);
        await using var transaction = await Mode.Run(() => connection.BeginTransaction(), () => connection.BeginTransactionAsync().AsTask());
        await Execute(connection, "INSERT INTO log VALUES (1)");
        Assert.That(await Scalar(connection, Reading), Is.EqualTo(1));

        if (end is not null)
            await Execute(connection, end);
        else
            await Mode.Commit(transaction);

        Assert.That(await Scalar(connection, Reading), Is.EqualTo(2));
        await Mode.Close(connection);
    }

    [TestCase("", "DECLARE c CURSOR FOR SELECT shadows()", "FETCH c")]
    [TestCase("", "DECLARE c CURSOR FOR SELECT shadows()", "MOVE c")]
    [TestCase(View, "DECLARE c CURSOR FOR SELECT a FROM v", "FETCH ALL FROM c")]
    [TestCase("", "PREPARE p AS SELECT shadows()", "EXECUTE p")]
    [TestCase("", "PREPARE p AS SELECT shadows()", "EXPLAIN ANALYZE EXECUTE p")]
    public async Task A_text_that_was_given_before_runs_later(string made, string text, string run)
    {
        var connection = await Rent(await Audited(Shadows, made));
        await Begin(connection);
        await Execute(connection, "BEGIN");
        await Execute(connection, text);
        Assert.That(await Scalar(connection, Reading), Is.EqualTo(1));

        await Execute(connection, run);

        Assert.That(await Scalar(connection, Reading), Is.EqualTo(2));
        await Mode.Close(connection);
    }

    [Test]
    public async Task Where_nothing_is_reset_it_counts_too()
    {
        var database = Keep(await TestDatabase.Create([.. Tables, Shadows, View]));
        var source = Source($"{Preparing};Session Reset=Never", database.ConnectionString);
        for (var round = 0; round < 3; round++)
            await IsResetAfter(source, Reading);
        await AssertIsKnown(source);
        var connection = await Rent(source);

        await AssertReadsNearerTable(connection, "SELECT a FROM v");

        await Mode.Close(connection);
    }

    [Test]
    public async Task Code_that_the_same_connection_has_made_counts([Values] bool inTransaction)
    {
        var connection = await Rent(await Audited());
        await Execute(connection, "CREATE TEMP TABLE other (a int)");
        await using var transaction = inTransaction ? connection.BeginTransaction() : null;
        await Execute(connection, Shadows);
        await Execute(connection, View);
        await LookedAtByAnother(connection.ConnectionString);
        Assert.That(await Scalar(connection, Reading), Is.EqualTo(1));

        await Execute(connection, "SELECT a FROM v");

        Assert.That(await Scalar(connection, Reading), Is.EqualTo(2));
        transaction?.Rollback();
        await Mode.Close(connection);
    }

    [Test]
    public async Task Code_that_another_connection_has_made_counts_in_an_open_one_from_the_next_answer_on()
    {
        var connection = await Rent(await Audited());
        await Begin(connection);
        var unpooled = await Rent(Source("Pooling=false", connection.ConnectionString));
        await Execute(unpooled, Shadows);
        await Execute(unpooled, View);
        await Mode.Close(unpooled);
        await LookedAtByAnother(connection.ConnectionString);
        for (var round = 0; round < 2; round++)
            Assert.That(await Scalar(connection, Reading), Is.EqualTo(1));

        await Execute(connection, "SELECT a FROM v");

        Assert.That(await Scalar(connection, Reading), Is.EqualTo(2));
        await Mode.Close(connection);
    }

    [TestCase(Trigger, Reading)]
    [TestCase(Trigger, "SELECT 1, lower('x')")]
    [TestCase(Trigger, "SELECT mine()")]
    [TestCase(Trigger, "SHOW search_path")]
    [TestCase("CREATE TABLE log (a int DEFAULT shadows())", "SELECT mine()")]
    [TestCase("CREATE VIEW v AS SELECT name FROM pg_settings", "SELECT count(*) FROM v")]
    [TestCase("CREATE EXTENSION hstore; CREATE EXTENSION citext; CREATE EXTENSION pg_trgm", "SELECT 'a' % 'b', 'a=>1'::hstore -> 'a', 'a'::citext = 'A'")]
    [TestCase("CREATE VIEW v AS SELECT mine()", "SELECT * FROM v")]
    public async Task Other_statements_cause_no_new_parse(string made, string call)
    {
        var connection = await Rent(await Audited(Shadows, "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'", made));
        await Begin(connection);
        var prepared = await PreparedAt(connection);

        for (var round = 0; round < 3; round++)
        {
            await Execute(connection, call);
            Assert.That(await Scalar(connection, Reading), Is.EqualTo(1));
        }

        Assert.That(await PreparedAt(connection), Is.EqualTo(prepared));
        await Mode.Close(connection);
    }

    // With a schema for temporary tables, and the text prepared.
    private async Task Begin(PgConnection connection)
    {
        await Execute(connection, "CREATE TEMP TABLE nearer AS SELECT 2 AS a");
        for (var round = 0; round < 2; round++)
            Assert.That(await Scalar(connection, Reading), Is.EqualTo(1));
    }
}
