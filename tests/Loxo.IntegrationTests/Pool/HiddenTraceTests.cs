using Loxo.Sql;

namespace Loxo.IntegrationTests.Pool;

/// <summary>
/// Every way we know of by which a plain text reaches what it does not name. Each is shown to work: the text counts as plain, and running it
/// leaves something in the session. The audit has to find what is behind it.
/// </summary>
public class HiddenTraceTests : DatabaseAuditTest
{
    private const string Lock = "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())";

    private const string Locking = "BEGIN PERFORM pg_advisory_lock(1); RETURN a; END";

    private const string Changing = "BEGIN PERFORM pg_advisory_lock(1); RETURN NEW; END";

    [TestCase("CREATE TABLE t (a int); CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS '" + Changing + "'; CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()",
        "INSERT INTO t VALUES (1)", "function f()", TestName = "A_trigger")]
    [TestCase("CREATE TABLE t (a int); INSERT INTO t VALUES (1); CREATE TRIGGER x BEFORE UPDATE ON t FOR EACH ROW WHEN (pg_try_advisory_lock(NEW.a)) "
        + "EXECUTE FUNCTION suppress_redundant_updates_trigger()", "UPDATE t SET a = 2", "trigger x on t", TestName = "The_condition_of_a_trigger")]
    [TestCase("CREATE TABLE t (a int, b bool DEFAULT pg_try_advisory_lock(1))", "INSERT INTO t VALUES (1)", "default value", TestName = "A_default")]
    [TestCase("CREATE DOMAIN d AS bool DEFAULT pg_try_advisory_lock(1); CREATE TABLE t (a int, b d)", "INSERT INTO t VALUES (1)", "type d", TestName = "The_default_of_a_domain")]
    [TestCase("CREATE DOMAIN d AS bigint CHECK (pg_try_advisory_lock(VALUE))", "SELECT '1'::d", "constraint d_check", TestName = "The_check_of_a_domain")]
    [TestCase("CREATE TABLE t (a bigint CHECK (pg_try_advisory_lock(a)))", "INSERT INTO t VALUES (1)", "constraint t_a_check on table t", TestName = "The_check_of_a_table")]
    [TestCase("CREATE FUNCTION f(a int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS '" + Locking + "'; CREATE TABLE t (a int, b int GENERATED ALWAYS AS (f(a)) STORED)",
        "INSERT INTO t VALUES (1)", "function f(integer)", TestName = "A_generated_column")]
    [TestCase("CREATE FUNCTION f(a int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS '" + Locking + "'; CREATE TABLE t (a int); CREATE INDEX ON t (f(a))",
        "INSERT INTO t VALUES (1)", "function f(integer)", TestName = "An_index")]
    [TestCase("CREATE VIEW v AS SELECT pg_try_advisory_lock(1)", "TABLE v", "rule _RETURN on view v", TestName = "A_view")]
    [TestCase("CREATE VIEW v AS SELECT query_to_xml('SELECT pg_advisory_lock(1)', true, true, '')", "SELECT * FROM v", "rule", TestName = "A_view_that_runs_a_text")]
    [TestCase("CREATE FUNCTION f(a int) RETURNS int LANGUAGE plpgsql AS '" + Locking + "'; CREATE VIEW v AS SELECT f(1)", "TABLE v", "function f(integer)", TestName = "A_function_of_a_view")]
    [TestCase("CREATE TABLE t (a int); CREATE RULE r AS ON INSERT TO t DO ALSO SELECT pg_try_advisory_lock(1)", "INSERT INTO t VALUES (1)", "rule r on t", TestName = "A_rule")]
    [TestCase("CREATE TABLE t (a int); CREATE RULE r AS ON INSERT TO t WHERE pg_try_advisory_lock(1) DO INSTEAD NOTHING", "INSERT INTO t VALUES (1)", "rule r on t",
        TestName = "The_condition_of_a_rule")]
    [TestCase("CREATE TABLE t (a int); INSERT INTO t VALUES (1); CREATE POLICY p ON t USING (pg_try_advisory_lock(a)); ALTER TABLE t ENABLE ROW LEVEL SECURITY; GRANT ALL ON t TO pg_monitor",
        "SET LOCAL ROLE pg_monitor; SELECT * FROM t", "policy p on table t", TestName = "A_policy")]
    [TestCase("CREATE TABLE t (a int); CREATE POLICY p ON t FOR INSERT WITH CHECK (pg_try_advisory_lock(a)); ALTER TABLE t ENABLE ROW LEVEL SECURITY; GRANT ALL ON t TO pg_monitor",
        "SET LOCAL ROLE pg_monitor; INSERT INTO t VALUES (1)", "policy p on table t", TestName = "The_check_of_a_policy")]
    [TestCase("CREATE OPERATOR ### (FUNCTION = pg_try_advisory_lock, RIGHTARG = bigint)", "SELECT ### 1::bigint", "operator ###", TestName = "An_operator")]
    [TestCase("CREATE FUNCTION f(a int) RETURNS int LANGUAGE plpgsql AS '" + Locking + "'; CREATE OPERATOR ### (FUNCTION = f, RIGHTARG = int)", "SELECT ### 1",
        "function f(integer)", TestName = "A_function_of_an_operator")]
    [TestCase("CREATE TYPE c AS (a int); CREATE FUNCTION f(a c) RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_lock(1); RETURN 1; END'; CREATE CAST (c AS int) WITH FUNCTION f(c)",
        "SELECT ROW(1)::c::int", "function f(c)", TestName = "A_cast")]
    [TestCase("CREATE CAST (bigint AS bool) WITH FUNCTION pg_try_advisory_lock(bigint)", "SELECT 1::bigint::bool", "cast from bigint to boolean", TestName = "A_cast_by_a_built_in_function")]
    [TestCase("CREATE FUNCTION lower(a int) RETURNS int LANGUAGE plpgsql AS '" + Locking + "'", "SELECT lower(1)", "function lower(integer)", TestName = "An_overload")]
    [TestCase("CREATE FUNCTION lower(a int, b bool DEFAULT pg_try_advisory_lock(1)) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN a; END'", "SELECT lower(1)",
        "function lower(integer,boolean)", TestName = "The_default_of_an_argument")]
    [TestCase("CREATE FUNCTION upper(bigint) RETURNS void LANGUAGE internal AS 'pg_advisory_lock_int8'", "SELECT upper(1::bigint)", "function upper(bigint)",
        TestName = "A_built_in_function_under_another_name")]
    [TestCase("CREATE AGGREGATE bool_and (bigint) (SFUNC = int8larger, STYPE = bigint, FINALFUNC = pg_try_advisory_lock)", "SELECT bool_and(1::bigint)",
        "function bool_and(bigint)", TestName = "An_aggregate")]
    [TestCase("CREATE TABLE t (a int); INSERT INTO t VALUES (1); CREATE FUNCTION f(a t) RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_lock(1); RETURN 1; END'",
        "SELECT t.f FROM t", "function f(t)", TestName = "A_function_called_like_a_column")]
    [TestCase("CREATE FUNCTION lower(int) RETURNS bool LANGUAGE sql BEGIN ATOMIC SELECT pg_try_advisory_lock(1); END", "SELECT lower(1)", "function lower(integer)",
        TestName = "A_standard_body")]
    [TestCase("CREATE FUNCTION lower(a int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT pg_adv' || 'isory_lock(1)'; RETURN 1; END $$", "SELECT lower(1)",
        "function lower(integer)", TestName = "A_text_put_together")]
    [TestCase("CREATE FUNCTION lower(int) RETURNS bool LANGUAGE sql AS $$ SELECT U&\"pg_try\\005fadvisory\\005flock\"(1) $$", "SELECT lower(1)", "function lower(integer)",
        TestName = "A_name_written_with_escapes")]
    [TestCase("CREATE FUNCTION lower(a int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN DO E'BEGIN PERFORM pg_adv\\x69sory_lock(1); END'; RETURN 1; END $$", "SELECT lower(1)",
        "function lower(integer)", TestName = "A_block_in_a_function")]
    [TestCase("CREATE FUNCTION lower(int) RETURNS int LANGUAGE sql AS $$ SELECT 2 /* it's */* pg_try_advisory_lock(1)::int */* it's */ 1 $$", "SELECT lower(1)",
        "function lower(integer)", TestName = "A_call_between_comments")]
    [TestCase("CREATE FUNCTION f(a int) RETURNS int LANGUAGE plpgsql AS '" + Locking + "'; CREATE FUNCTION lower(int) RETURNS int LANGUAGE sql AS 'SELECT f(1)'", "SELECT lower(1)",
        "function f(integer)", TestName = "A_function_that_calls_another")]
    public void A_lock_is_left_and_found(string setUp, string text, string found)
    {
        Execute(setUp);
        AssertLeaves(text, Lock);

        var verdict = Audit();
        Execute("ROLLBACK; SELECT pg_advisory_unlock_all()");

        Assert.That(verdict.Name, Does.StartWith(found), verdict.ToString());
    }

    [TestCase("CREATE VIEW v AS SELECT * FROM pg_settings; CREATE VIEW w AS SELECT name AS n, setting AS s FROM v", "UPDATE w SET s = 'off' WHERE n = 'enable_sort'",
        "SELECT current_setting('enable_sort') = 'off'", "rule _RETURN on view v", TestName = "A_setting_by_a_view_of_pg_settings")]
    [TestCase("CREATE FUNCTION lower(int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN -- don't\n SET a.b = 1; END $$", "SELECT lower(1)",
        "SELECT current_setting('a.b', true) IS NOT NULL", "function lower(integer)", TestName = "A_setting_by_SET")]
    [TestCase("CREATE FUNCTION lower(int) RETURNS void LANGUAGE sql AS $$ UPDATE pg_settings SET setting = 'off' WHERE name = 'enable_sort' $$", "SELECT lower(1)",
        "SELECT current_setting('enable_sort') = 'off'", "function lower(integer)", TestName = "A_setting_by_pg_settings")]
    [TestCase("CREATE FUNCTION lower(a t) RETURNS void LANGUAGE sql AS $$ SELECT set_config('a.b', 'c', false) $$", "SELECT lower(t) FROM t",
        "SELECT coalesce(current_setting('a.b', true) = 'c', false)", "function lower(t)", TestName = "A_setting_by_set_config")]
    [TestCase("CREATE FUNCTION lower(int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN CREATE TABLE made (); END $$", "SET LOCAL search_path = pg_temp, public; SELECT lower(1)",
        "SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = pg_my_temp_schema())", "function lower(integer)", TestName = "A_temporary_table_by_search_path")]
    [TestCase("CREATE FUNCTION lower(int) RETURNS void LANGUAGE sql AS $$ SELECT 1 AS a INTO made $$", "SET LOCAL search_path = pg_temp, public; SELECT lower(1)",
        "SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = pg_my_temp_schema())", "function lower(integer)", TestName = "A_temporary_table_by_INTO")]
    [TestCase("CREATE FUNCTION lower(int) RETURNS void LANGUAGE sql AS $$ DECLARE c CURSOR WITH /* */ HOLD FOR SELECT 1 $$", "SELECT lower(1)",
        "SELECT EXISTS (SELECT FROM pg_cursors WHERE is_holdable)", "function lower(integer)", TestName = "A_cursor_WITH_HOLD")]
    [TestCase("CREATE FUNCTION lower(int) RETURNS bigint LANGUAGE sql AS $$ DECLARE c CURSOR -- don't fetch; it is for later\n WITH HOLD FOR SELECT 1; SELECT 1::bigint $$", "SELECT lower(1)",
        "SELECT EXISTS (SELECT FROM pg_cursors WHERE is_holdable)", "function lower(integer)", TestName = "A_cursor_WITH_HOLD_behind_a_comment")]
    [TestCase("CREATE FUNCTION lower(int) RETURNS void LANGUAGE sql AS $$ WITH w AS (SELECT 1) SELECT (1) insert INTO made FROM w $$", "SET LOCAL search_path = pg_temp, public; SELECT lower(1)",
        "SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = pg_my_temp_schema())", "function lower(integer)", TestName = "A_temporary_table_by_INTO_behind_a_name")]
    [TestCase("CREATE FUNCTION lower(int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PREPARE p AS SELECT 1; END $$", "SELECT lower(1)",
        "SELECT EXISTS (SELECT FROM pg_prepared_statements WHERE name = 'p')", "function lower(integer)", TestName = "A_prepared_statement")]
    public void Something_else_is_left_and_found(string setUp, string text, string probe, string found)
    {
        Execute("CREATE TABLE t (a int); INSERT INTO t VALUES (1)");
        Execute(setUp);
        AssertLeaves(text, probe);

        Assert.That(Audit().Name, Does.StartWith(found));
    }

    [TestCase("CREATE TABLE w (a int, b bool); CREATE INDEX i ON w ((isn_weak(b)))", "INSERT INTO w VALUES (1, true)", "index i", TestName = "A_built_in_function_of_an_index")]
    [TestCase("CREATE TABLE w (a int, b bool); CREATE INDEX i ON w (a) WHERE isn_weak(b)", "INSERT INTO w VALUES (1, true)", "index i", TestName = "The_predicate_of_an_index")]
    [TestCase("CREATE TABLE w (a int, b bool, EXCLUDE USING btree (a WITH =) WHERE (isn_weak(b)))", "INSERT INTO w VALUES (1, true)", "index w_a_excl", TestName = "An_exclusion_constraint")]
    [TestCase("CREATE TABLE w (a int, b bool) PARTITION BY LIST (isn_weak(b)); CREATE TABLE x PARTITION OF w DEFAULT", "INSERT INTO w VALUES (1, true)", "table w", TestName = "The_key_of_partitions")]
    [TestCase("CREATE TABLE w (a int); CREATE STATISTICS s ON a, (isn_weak(true)) FROM w", "SELECT FROM w WHERE a = 1", "statistics object s", TestName = "Statistics_that_the_planner_reads")]
    public void The_weak_mode_of_isn_is_left_and_found(string setUp, string text, string found)
    {
        Execute("CREATE EXTENSION isn; ALTER FUNCTION isn_weak(bool) IMMUTABLE"); // which it is before 18
        Execute(setUp);
        AssertLeaves(text, "SELECT isn_weak()");

        Assert.That(Audit().Name, Does.StartWith(found));
    }

    [Test]
    public void A_threshold_of_pg_trgm_is_left_and_found()
    {
        Execute("CREATE EXTENSION pg_trgm");
        Execute("CREATE FUNCTION lower(int) RETURNS real LANGUAGE sql AS 'SELECT set_limit(0.7)'");
        AssertLeaves("SELECT lower(1)", "SELECT current_setting('pg_trgm.similarity_threshold') = '0.7'");

        Assert.That(Audit().Name, Is.EqualTo("function lower(integer)"));
    }

    [Test]
    public void A_local_setting_in_a_grouping_set_is_left_and_found()
    {
        Execute("CREATE TABLE t (a int)");
        Execute("""
            CREATE FUNCTION g() RETURNS bigint LANGUAGE sql AS $$
                SELECT count(*) FROM (SELECT true FROM t u JOIN t v ON false GROUP BY GROUPING SETS ((1), ()) HAVING set_config('work_mem', '77kB', true) IS NULL) x
            $$;
            CREATE VIEW v AS SELECT g()
            """);
        if (TestServer.Version >= 18) // 15 does not take the constant for the grouped one
            AssertLeaves("SELECT * FROM v", "SELECT setting = '77' AND source = 'session' FROM pg_settings WHERE name = 'work_mem'");

        Assert.That(Audit().Name, Is.EqualTo("function g()"));
    }

    private void AssertLeaves(string text, string probe)
    {
        Assert.That(SqlText.Lex(text, true).Statements.ToArray().Select(statement => statement.Changes & ~SqlChanges.Names), Is.All.EqualTo(SqlChanges.None), "the text is plain");
        Assert.That(Scalar(probe), Is.False, "nothing is there before");
        Execute(text);
        Execute("RESET ROLE");
        Assert.That(Scalar(probe), Is.True, "the text leaves something");
    }
}
