namespace Loxo.IntegrationTests.Pool;

/// <summary>
/// Queries that advance a sequence which their text does not name, in databases that hide nothing else. A column without binary output
/// fails the first run of a text, and no rollback takes back what a sequence has given: so they are not simply run again.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class UnseenSequenceTests(WaitMode mode) : ResetTest(mode)
{
    private const string NoBinary = "acldefault('r', 10::oid)";

    [TestCase("CREATE VIEW v AS SELECT nextval('s') AS n", "SELECT n, " + NoBinary + " FROM v")]
    [TestCase("CREATE VIEW v AS SELECT nextval('s') AS m; CREATE VIEW w AS SELECT m FROM v", "SELECT m, " + NoBinary + " FROM w")]
    [TestCase("CREATE FUNCTION f() RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''s'')'", "SELECT f(), " + NoBinary)]
    [TestCase("CREATE FUNCTION f() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT nextval('s'); END", "SELECT f(), " + NoBinary)]
    [TestCase("CREATE FUNCTION f(n bigint DEFAULT nextval('s')) RETURNS bigint LANGUAGE sql AS 'SELECT n'", "SELECT f(), " + NoBinary)]
    [TestCase("CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS 'BEGIN INSERT INTO t DEFAULT VALUES; END'", "SELECT f(), " + NoBinary)]
    [TestCase("CREATE FUNCTION f() RETURNS void LANGUAGE sql BEGIN ATOMIC INSERT INTO t DEFAULT VALUES; END", "SELECT f(), " + NoBinary)]
    [TestCase("INSERT INTO t VALUES (7); CREATE FUNCTION f() RETURNS void LANGUAGE sql BEGIN ATOMIC UPDATE t SET id = DEFAULT; END", "SELECT f(), " + NoBinary)]
    [TestCase("CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS 'BEGIN MERGE INTO t USING (SELECT 7 AS n) x ON t.id = n WHEN NOT MATCHED THEN INSERT DEFAULT VALUES; END'", "SELECT f(), " + NoBinary)]
    [TestCase("CREATE DOMAIN d AS int CHECK (nextval('s') > VALUE)", "SELECT 0::d, " + NoBinary)]
    [TestCase("CREATE FUNCTION f(int, int) RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''s'')'; CREATE OPERATOR <+> (FUNCTION = f, LEFTARG = int, RIGHTARG = int)", "SELECT 1 <+> 2, " + NoBinary)]
    [TestCase("INSERT INTO t VALUES (7); CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''s''); RETURN old; END';"
        + "CREATE TRIGGER g BEFORE DELETE ON t FOR EACH ROW EXECUTE FUNCTION g(); CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC DELETE FROM t; SELECT 1; END;"
        + "CREATE VIEW v AS SELECT f()", "SELECT f, " + NoBinary + " FROM v")]
    [TestCase("CREATE OPERATOR <@> (FUNCTION = nextval, RIGHTARG = regclass)", "SELECT <@> 's'::regclass, " + NoBinary)]
    [TestCase("CREATE FUNCTION f(regclass, regclass) RETURNS regclass LANGUAGE sql AS 'SELECT $2'; CREATE AGGREGATE after(regclass) (SFUNC = f, STYPE = regclass, FINALFUNC = nextval)", "SELECT after('s'::regclass), " + NoBinary)]
    public async Task A_query_whose_column_fails_advances_a_sequence_once(string made, string query)
    {
        var database = Keep(await TestDatabase.Create("CREATE SEQUENCE s", "CREATE TABLE t (id bigint DEFAULT nextval('s'))", made));
        var source = Source("Maximum Pool Size=1", database.ConnectionString);
        await LookedThrough(source);

        var connection = await Rent(source);
        await using var command = new PgCommand(query, connection);
        await using (var reader = await Mode.ExecuteReader(command))
        {
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetValue(1), Is.InstanceOf<string>().Or.InstanceOf<string[]>());
        }

        Assert.That(await Scalar(connection, "SELECT last_value FROM s WHERE is_called"), Is.EqualTo(1));
        await Mode.Close(connection);
    }

    /// <summary>A message that is not transactional stays in the write-ahead log after a rollback.</summary>
    [TestCase("CREATE VIEW v AS SELECT pg_logical_emit_message(false, 'loxo', 'x') AS m")]
    [TestCase("CREATE FUNCTION f() RETURNS pg_lsn LANGUAGE plpgsql AS 'BEGIN RETURN pg_logical_emit_message(false, ''loxo'', ''x''); END'; CREATE VIEW v AS SELECT f() AS m")]
    [TestCase("CREATE DOMAIN d AS int CHECK (pg_logical_emit_message(false, 'loxo', 'x') IS NOT NULL); CREATE VIEW v AS SELECT oid::int::d AS m FROM pg_database LIMIT 1")]
    [TestCase("CREATE OPERATOR <+> (FUNCTION = pg_logical_emit_message_of, RIGHTARG = text); CREATE VIEW v AS SELECT <+> 'loxo'::text AS m")]
    public async Task A_query_whose_column_fails_acts_outside_of_the_transaction_once(string made)
    {
        var database = Keep(await TestDatabase.Create("CREATE EXTENSION pg_walinspect", "CREATE TABLE t (id int)",
            "CREATE FUNCTION pg_logical_emit_message_of(text) RETURNS pg_lsn LANGUAGE sql AS 'SELECT pg_logical_emit_message(false, $1, $1)'", made));
        var source = Source("Maximum Pool Size=1", database.ConnectionString);
        await LookedThrough(source);
        var connection = await Rent(source);
        const string Flush = "BEGIN; SET LOCAL synchronous_commit = on; INSERT INTO t VALUES (1); COMMIT";
        await Execute(connection, Flush);
        var start = await Scalar(connection, "SELECT pg_current_wal_flush_lsn()::text");

        Assert.That(await Scalar(connection, "SELECT acldefault('r', 10::oid), m FROM v"), Is.Not.Null);

        await Execute(connection, Flush);
        Assert.That(await Scalar(connection, $"SELECT count(*) FROM pg_get_wal_records_info('{start}', pg_current_wal_flush_lsn()) WHERE resource_manager = 'LogicalMessage'"), Is.EqualTo(1));
        await Mode.Close(connection);
    }
}
