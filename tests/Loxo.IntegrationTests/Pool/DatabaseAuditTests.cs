using Loxo.Pool;

namespace Loxo.IntegrationTests.Pool;

/// <summary>What the audit finds in functions, and what it takes for harmless.</summary>
public class DatabaseAuditTests : DatabaseAuditTest
{
    [Test]
    public void A_new_database_hides_nothing() => Assert.That(Found(), Is.EqualTo(Nothing));

    [TestCase("BEGIN SET a.b = 1; END", "SET")]
    [TestCase("BEGIN\n\tset\n search_path to public; END", "set")]
    [TestCase("BEGIN IF true THEN SET a.b = 1; END IF; END", "SET")]
    [TestCase("BEGIN IF true THEN PERFORM 1; ELSE SET a.b = 1; END IF; END", "SET")]
    [TestCase("BEGIN IF 1=1then SET a.b = 1; END IF; END", "SET")]
    [TestCase("BEGIN FOR i IN 1..2 LOOP SET a.b = 1; END LOOP; END", "SET")]
    [TestCase("DECLARE r record; BEGIN FOR r IN SELECT 1 FOR UPDATE LOOP SET a.b = 1; END LOOP; END", "SET")]
    [TestCase("BEGIN /* UPDATE t */ SET a.b = 1; END", "SET")]
    [TestCase("BEGIN -- let's\n SET a.b = 1; END", "SET")]
    [TestCase("BEGIN -- UPDATE t\n SET a.b = 1; END", "SET")]
    [TestCase("BEGIN -- it's /*\n -- \"\n SET a.b = 1; -- */\n END", "SET")]
    [TestCase("BEGIN PERFORM '--'; SET a.b = 1; END", "SET")]
    [TestCase("BEGIN PERFORM '/*'; SET a.b = 1; PERFORM '*/'; END", "SET")]
    [TestCase("BEGIN -- /* x\n SET a.b = 1; -- y */\n END", "SET")]
    [TestCase("BEGIN SET local.a = 1; END", "SET")]
    [TestCase("BEGIN SET SESSION AUTHORIZATION postgres; END", "SET")]
    [TestCase("BEGIN RESET ALL; END", "RESET")]
    [TestCase("BEGIN LISTEN c; END", "LISTEN")]
    [TestCase("BEGIN UNLISTEN c; END", "UNLISTEN")]
    [TestCase("BEGIN PREPARE p AS SELECT 1; END", "PREPARE")]
    [TestCase("BEGIN DEALLOCATE ALL; END", "DEALLOCATE")]
    [TestCase("BEGIN DISCARD TEMP; END", "DISCARD")]
    [TestCase("BEGIN LOAD 'x'; END", "LOAD")]
    [TestCase("BEGIN DO ''; END", "DO")]
    [TestCase("BEGIN CREATE TEMP TABLE t (); END", "CREATE")]
    [TestCase("BEGIN EXECUTE 'SELECT 1'; END", "EXECUTE")]
    [TestCase("BEGIN RETURN QUERY EXECUTE format('SELECT %s', 1); END", "EXECUTE", "SETOF int")]
    [TestCase("DECLARE c refcursor; BEGIN OPEN c FOR EXECUTE 'SELECT 1'; END", "EXECUTE")]
    [TestCase("BEGIN PERFORM pg_advisory_lock(1); END", "pg_advisory_lock")]
    [TestCase("BEGIN PERFORM PG_TRY_ADVISORY_LOCK_SHARED(1); END", "PG_TRY_ADVISORY_LOCK_SHARED")]
    [TestCase("BEGIN PERFORM \"pg_advisory_unlock_all\"(); END", "pg_advisory_unlock_all")]
    [TestCase("BEGIN PERFORM set_config('a.b', 'c', false); END", "set_config")]
    [TestCase("DECLARE l bool := true; BEGIN PERFORM set_config('a.b', 'c', l); END", "set_config")]
    [TestCase("BEGIN PERFORM set_config('a.b', 'c' -- ', true)\n, false); END", "set_config")]
    [TestCase("BEGIN PERFORM set_config('a.b', 'c' /* , true)'*/ , false); END", "set_config")]
    [TestCase("BEGIN PERFORM set_config('app.x', 'a, true)', false); END", "set_config")]
    [TestCase("BEGIN PERFORM set_config('app.x', 'a'', true)', false); END", "set_config")]
    [TestCase("BEGIN PERFORM set_config('app.x', E'a\\', true)', false); END", "set_config")]
    [TestCase("BEGIN PERFORM set_config('app.x', $$a, true)$$, false); END", "set_config")]
    [TestCase("BEGIN PERFORM set_config('app.x', $a$ , true)$a$, false); END", "set_config")]
    [TestCase("BEGIN PERFORM set_config('app.x', \"a, true)\", false); END", "set_config")]
    [TestCase("BEGIN PERFORM set_config('app.x', 'a' || ', true)', false); END", "set_config")]
    [TestCase("DECLARE x bool := ('a.b'::text).set_config; BEGIN END", "set_config")]
    [TestCase("BEGIN PERFORM 1 GROUP BY ROLLUP (1) HAVING set_config('a.b', 'c', true) IS NULL; END", "set_config")]
    [TestCase("BEGIN PERFORM 1 GROUP BY CUBE (1) HAVING set_config('a.b', 'c', true) IS NULL; END", "set_config")]
    [TestCase("BEGIN PERFORM 'set_config('like', '||pg_try_advisory_lock(1)||', true)'; END", "set_config")]
    [TestCase("BEGIN -- as set_config('a.b', '\n PERFORM pg_advisory_lock(1); x := ', true)'; END", "set_config")]
    [TestCase("BEGIN /* as /* set_config('a.b', ' */ */ PERFORM pg_advisory_lock(1); x := ', true)'; END", "set_config")]
    [TestCase("DECLARE x int := 2 /* it's */* pg_try_advisory_lock(1)::int */* it's */ 1; BEGIN END", "pg_try_advisory_lock")]
    [TestCase("DECLARE l text; BEGIN FOR l IN EXPLAIN ANALYZE CREATE TEMP TABLE x AS SELECT 1 LOOP END LOOP; END", "EXPLAIN")]
    [TestCase("DECLARE l text; BEGIN FOR l IN\n/* 'it' */ explain (analyze) create table x AS SELECT 1 LOOP END LOOP; END", "explain")]
    [TestCase("BEGIN RETURN QUERY EXPLAIN ANALYZE CREATE TEMP TABLE x AS SELECT 1; END", "EXPLAIN", "SETOF text")]
    [TestCase("DECLARE c refcursor; BEGIN OPEN c FOR EXPLAIN ANALYZE CREATE TEMP TABLE x AS SELECT 1; END", "EXPLAIN")]
    [TestCase("DECLARE c CURSOR FOR EXPLAIN ANALYZE CREATE TEMP TABLE x AS SELECT 1; BEGIN OPEN c; END", "EXPLAIN")]
    [TestCase("BEGIN RETURN QUERY SET a.b = 1; END", "SET", "SETOF text")]
    [TestCase("DECLARE l text; BEGIN FOR l IN RESET ALL LOOP END LOOP; END", "RESET")]
    [TestCase("BEGIN IMPORT FOREIGN SCHEMA a FROM SERVER s INTO b; END", "IMPORT")]
    [TestCase("DECLARE x bool := (42).pg_try_advisory_lock; BEGIN END", "pg_try_advisory_lock")]
    [TestCase("DECLARE x bool; BEGIN x := (SELECT g.\"pg_try_advisory_lock\" FROM generate_series(1, 2) g LIMIT 1); END", "pg_try_advisory_lock")]
    [TestCase("BEGIN PERFORM pg_replication_origin_xact_setup('0/1', now()); END", "pg_replication_origin_xact_setup")]
    [TestCase("BEGIN PERFORM setseed(0.5); END", "setseed")]
    [TestCase("BEGIN PERFORM query_to_xml($1::text, true, true, ''); END", "query_to_xml")]
    [TestCase("BEGIN PERFORM ts_stat('SELECT 1'); END", "ts_stat")]
    [TestCase("BEGIN PERFORM dblink_connect('x'); END", "dblink_connect")]
    [TestCase("BEGIN PERFORM crosstab3('x'); END", "crosstab3")]
    [TestCase("BEGIN UPDATE pg_settings SET setting = 1; END", "pg_settings")]
    [TestCase("BEGIN INSERT INTO pg_temp.t VALUES (1); END", "pg_temp")]
    [TestCase("BEGIN PERFORM TREAT(1 AS pg_advisory_lock); END", "pg_advisory_lock")]
    [TestCase("BEGIN PERFORM U&\"\\0061\"(); END", "U&\"")]
    public void A_function_that_may_change_the_session_is_found(string source, string word, string type = "void")
    {
        Execute($"SET LOCAL check_function_bodies = off; CREATE SCHEMA app; CREATE FUNCTION app.f(a int) RETURNS {type} LANGUAGE plpgsql AS $src$ {source} $src$");

        Assert.That(Found(), Is.EqualTo(("function app.f(integer)", $"contains {word}")));
    }

    [TestCase("SELECT 1; SET a.b = 1", "SET")]
    [TestCase("SET a.b = 1", "SET")]
    [TestCase("/* all */ RESET ALL", "RESET")]
    [TestCase("SELECT 1 AS a INTO t", "INTO")]
    [TestCase("SELECT 1 AS a -- don't insert\n INTO t", "INTO")]
    [TestCase("SELECT 1 AS insert INTO t", "INTO")]
    [TestCase("SELECT 1 insert INTO TEMP t", "INTO")]
    [TestCase("SELECT (1) merge\nINTO t", "INTO")]
    [TestCase("SELECT query insert INTO t FROM u", "INTO")]
    [TestCase("INSERT INTO t VALUES (1); SELECT 1 AS a INTO u", "INTO")]
    [TestCase("WITH w AS (SELECT 1) INSERT INTO t TABLE w; SELECT 1 AS a INTO u", "INTO")]
    [TestCase("EXPLAIN ANALYZE CREATE TEMP TABLE x AS SELECT 1", "EXPLAIN")]
    [TestCase("WITH w AS (SELECT 1) SELECT (1) insert INTO t FROM w", "INTO")]
    [TestCase("SELECT 1 AS /* it's */ insert INTO TEMP t", "INTO")]
    [TestCase("SELECT 1 AS -- it's; \n insert INTO TEMP TABLE t", "INTO")]
    [TestCase("SELECT t.begin insert INTO TABLE values FROM t", "INTO")]
    [TestCase("SELECT (1) merge INTO TEMP t", "INTO")]
    [TestCase("SELECT 1 insert INTO UNLOGGED /* it's */ TABLE t", "INTO")]
    [TestCase("SELECT 1 insert INTO \u00e9values", "INTO")]
    [TestCase("SELECT 1 insert INTO t /* a /* it's */ values */", "INTO")]
    [TestCase("DECLARE c CURSOR WITH HOLD FOR SELECT 1", "CURSOR WITH HOLD")]
    [TestCase("DECLARE c CURSOR /* it's /* ; */ */ WITH /* it's; */ HOLD FOR SELECT 1", "CURSOR /* it's   */  WITH /* it's; */  HOLD")]
    [TestCase("DECLARE c CURSOR -- it's;\nWITH -- it's;\nHOLD FOR SELECT 1", "CURSOR -- it's; \nWITH -- it's; \nHOLD")]
    [TestCase("SELECT pg_advisory_lock(1)", "pg_advisory_lock")]
    public void A_function_in_SQL_that_may_change_the_session_is_found(string source, string word)
    {
        Execute($"SET LOCAL check_function_bodies = off; CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $src$ {source} $src$");

        Assert.That(Found(), Is.EqualTo(("function f()", $"contains {word}")));
    }

    [TestCase("BEGIN PERFORM set_config('app.user', $1, true); END", true)]
    [TestCase("BEGIN SET LOCAL a.b = 1; END", true)]
    [TestCase("BEGIN SET CONSTRAINTS ALL IMMEDIATE; END", true)]
    [TestCase("BEGIN SET TRANSACTION READ ONLY; END", true)]
    [TestCase("DECLARE c CURSOR FOR SELECT 1; BEGIN OPEN c; END", true)]
    [TestCase("DECLARE c refcursor; BEGIN OPEN c FOR SELECT 1; END", true)]
    [TestCase("BEGIN PERFORM current_setting('app.user', true); UPDATE t SET a = 1; END", false)]
    [TestCase("BEGIN -- set local a.b = 1\n PERFORM 1; END", false)]
    public void What_a_function_leaves_in_its_transaction_is_no_finding_but_shared_by_nobody(string source, bool isAlone)
    {
        Execute($"SET LOCAL check_function_bodies = off; CREATE FUNCTION f(a text) RETURNS void LANGUAGE plpgsql SET search_path = public AS $src$ {source} $src$");

        Assert.That((Found(), Audit().ActsOutside), Is.EqualTo((Nothing, isAlone)));
    }

    [TestCase("int", "BEGIN PERFORM pg_notify('a', 'b'); RETURN 1; END", true)]
    [TestCase("int", "BEGIN NOTIFY a; RETURN 1; END", true)]
    [TestCase("int", "BEGIN PERFORM lo_create(1); RETURN 1; END", true)]
    [TestCase("int", "BEGIN UPDATE t SET a = 1; RETURN 1; EXCEPTION WHEN OTHERS THEN RETURN 2; END", true)]
    [TestCase("int", "BEGIN UPDATE t SET a = 1; RETURN 1; EXCEPTION\n WHEN unique_violation OR read_only_sql_transaction THEN RETURN 2; END", true)]
    [TestCase("int", "BEGIN UPDATE t SET a = 1; RETURN 1; EXCEPTION WHEN SQLSTATE '25006' THEN RETURN 2; END", true)]
    [TestCase("int", "BEGIN UPDATE t SET a = 1; RETURN 1; EXCEPTION -- don't fail\n WHEN OTHERS THEN RETURN 2; END", true)]
    [TestCase("int", "BEGIN UPDATE t SET a = 1; RETURN 1; EXCEPTION /* read/write */ WHEN /* it's */ OTHERS THEN RETURN 2; END", true)]
    [TestCase("int", "BEGIN UPDATE t SET a = 1; RETURN 1; EXCEPTION WHEN unique_violation THEN RETURN 2; END", false)]
    [TestCase("int", "BEGIN UPDATE t SET a = 1; RAISE EXCEPTION 'when others'; END", false)]
    [TestCase("int", "BEGIN RETURN 1; EXCEPTION WHEN OTHERS THEN RETURN 2; END", false)]
    [TestCase("int", "BEGIN UPDATE t SET a = nextval('s'); RETURN 1; END", false)]
    [TestCase("trigger", "BEGIN PERFORM pg_notify('a', 'b'); RETURN new; END", false)]
    [TestCase("trigger", "BEGIN UPDATE t SET a = 1; RETURN new; EXCEPTION WHEN OTHERS THEN RETURN new; END", false)]
    public void What_a_read_only_transaction_does_not_keep_a_query_from_is_no_finding(string returns, string source, bool escapes)
    {
        Execute($"SET LOCAL check_function_bodies = off; CREATE FUNCTION f() RETURNS {returns} LANGUAGE plpgsql AS $src$ {source} $src$");

        Assert.That((Found(), Audit().EscapesReadOnly), Is.EqualTo((Nothing, escapes)));
    }

    [TestCase("CREATE VIEW v AS SELECT pg_notify('a', 'b')::text", true)]
    [TestCase("CREATE TABLE t (a int DEFAULT lo_create(0)::int)", false)]
    [TestCase("CREATE VIEW v AS SELECT length('pg_notify')", false)]
    public void What_an_expression_calls_is_known(string sql, bool escapes)
    {
        Execute(sql);

        Assert.That((Found(), Audit().EscapesReadOnly), Is.EqualTo((Nothing, escapes)));
    }

    [TestCase("sql", "SELECT 1")]
    [TestCase("sql", "INSERT INTO t VALUES (1); UPDATE t SET a = 1; insert\tinto t VALUES (nextval('s')); MERGE INTO t USING t u ON true WHEN MATCHED THEN UPDATE SET a = 1")]
    [TestCase("sql", "WITH w AS (SELECT (1)), v AS (INSERT INTO t VALUES (1) RETURNING *)\nINSERT INTO t TABLE w; WITH w AS (SELECT 1) MERGE  INTO t USING w ON true WHEN MATCHED THEN DELETE")]
    [TestCase("sql", "-- don't ask\nINSERT\nINTO t VALUES (1)")]
    [TestCase("sql", "INSERT INTO s . \"T\" -- it's one\n DEFAULT VALUES; INSERT INTO t AS a (b) SELECT 1; WITH w AS (SELECT 1), v AS (MERGE INTO ONLY t AS a USING w ON true WHEN MATCHED THEN DELETE RETURNING 1) INSERT INTO gr\u00f6\u00dfe (a) TABLE v")]
    [TestCase("sql", "INSERT INTO temp (a) OVERRIDING USER VALUE SELECT 1; INSERT INTO t SELECT * FROM u; MERGE INTO t u USING t v ON true WHEN MATCHED THEN DELETE")]
    [TestCase("plpgsql", "BEGIN -- it's the user\n PERFORM 'it''s', E'it\\'s', set_config('app.user', 'it', true), \"it's\"; /* it's /* over */ */ PERFORM set_config('a.b', 'c', true); END")]
    [TestCase("plpgsql", "DECLARE c CURSOR FOR WITH hold AS (SELECT 1) TABLE hold; BEGIN OPEN c; END")]
    [TestCase("plpgsql", "BEGIN PERFORM set_config('app.user', 'a, b); ' || $1 || E'x' || current_user::text, true), set_config('a.b', 'c', true); END")]
    [TestCase("plpgsql", "DECLARE r record; x int; BEGIN FOR r IN SELECT 1 LOOP x := r.a; END LOOP; RETURN QUERY SELECT 1; CALL p(); END")]
    [TestCase("plpgsql", "BEGIN NEW.updated_at := now(); RETURN NEW; END")]
    [TestCase("plpgsql", "BEGIN\n  -- set the default\n  -- then set it again: create, load, execute, prepare (temp)\n  UPDATE t -- all\n  SET a = 1;\nEND")]
    [TestCase("plpgsql", "BEGIN /* set; do; listen */ UPDATE ONLY s.t AS x\nSET a = 1 FROM u; END")]
    [TestCase("plpgsql", "BEGIN INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 1; INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING; END")]
    [TestCase("plpgsql", "DECLARE r record; temp int; x int; BEGIN SELECT 1, 2 INTO x, temp; FOR r IN SELECT 1 FOR UPDATE LOOP RAISE NOTICE 'set %', r; END LOOP; END")]
    [TestCase("plpgsql", "BEGIN SET LOCAL a.b = 1; SET LOCAL \"x\" = 1; SET CONSTRAINTS ALL DEFERRED; SET TRANSACTION READ ONLY; END")]
    [TestCase("plpgsql", "BEGIN PERFORM set_config('app.user', current_user, true), SET_CONFIG ( 'a.b' , $1 , TRUE ), current_setting('a.b', true); END")]
    [TestCase("plpgsql", "BEGIN PERFORM pg_advisory_xact_lock(1), pg_notify('a', 'b'), pg_try_advisory_xact_lock(2), nextval('s'), lastval(); END")]
    [TestCase("plpgsql", "DECLARE c CURSOR FOR SELECT 1; BEGIN OPEN c; CLOSE c; PERFORM hold(); END")]
    [TestCase("plpgsql", "BEGIN RAISE NOTICE 'executed, reset, loading %', offset_of(1); END")]
    public void Everyday_functions_are_harmless(string language, string source)
    {
        Execute($"SET LOCAL check_function_bodies = off; CREATE FUNCTION f(a text) RETURNS void LANGUAGE {language} SET search_path = public, pg_temp AS $src$ {source} $src$");

        Assert.That(Found(), Is.EqualTo(Nothing));
    }

    [Test]
    public void Everyday_objects_are_harmless()
    {
        Execute("""
            CREATE TABLE t (id bigint GENERATED ALWAYS AS IDENTITY, s serial, a text DEFAULT lower('A') CHECK (length(a) < 10), at timestamptz DEFAULT now(), b int GENERATED ALWAYS AS (length(a)) STORED);
            CREATE VIEW v AS SELECT a, count(*) FROM t GROUP BY a;
            CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.at = now(); RETURN NEW; END';
            CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW WHEN (NEW.a <> '') EXECUTE FUNCTION touch();
            CREATE POLICY p ON t USING (a = current_setting('app.tenant', true)) WITH CHECK (true);
            CREATE DOMAIN d AS int DEFAULT 1 CHECK (VALUE > 0);
            CREATE TYPE c AS (a int);
            CREATE TYPE e AS ENUM ('a');
            CREATE RULE r AS ON DELETE TO t DO ALSO NOTIFY c;
            CREATE FUNCTION twice(c) RETURNS int LANGUAGE sql AS 'SELECT 2 * $1.a';
            CREATE CAST (c AS int) WITH FUNCTION twice(c);
            CREATE AGGREGATE latest (int) (SFUNC = int4larger, STYPE = int);
            CREATE OPERATOR === (FUNCTION = int4eq, LEFTARG = int, RIGHTARG = int);
            CREATE INDEX ON t (lower(a));
            """);

        Assert.That(Found(), Is.EqualTo(Nothing));
    }

    [Test]
    public void A_procedure_is_looked_into_too()
    {
        Execute("CREATE PROCEDURE p() LANGUAGE plpgsql AS 'BEGIN SET a.b = 1; END'");

        Assert.That(Found(), Is.EqualTo(("function p()", "contains SET")));
    }

    [Test]
    public void A_language_that_cannot_be_looked_into_is_found_by_its_name()
    {
        Execute("CREATE FUNCTION f(bigint) RETURNS bigint STRICT LANGUAGE internal AS 'int8up'");

        Assert.That(Found(), Is.EqualTo(("function f(bigint)", "is written in internal, which is not looked into")));
    }

    [TestCase("CREATE TYPE r AS RANGE (subtype = float8, subtype_diff = float8mi)")]
    [TestCase("CREATE TYPE r AS RANGE (subtype = float8); ALTER FUNCTION r(float8, float8) RENAME TO pg_advisory_lock; ALTER TYPE r RENAME TO s")]
    public void The_constructors_of_a_range_type_are_harmless(string sql)
    {
        Execute(sql);

        Assert.That(Found(), Is.EqualTo(Nothing));
        Assert.That(Audit().NameChangers, Is.Null);
    }

    [TestCase("CREATE OR REPLACE FUNCTION r(float8, float8) RETURNS r LANGUAGE internal AS 'pg_advisory_lock_int8'")]
    [TestCase("CREATE FUNCTION range_constructor2(bigint) RETURNS void LANGUAGE internal AS 'pg_advisory_lock_int8'")]
    [TestCase("CREATE FUNCTION r(bigint) RETURNS void LANGUAGE c AS '$libdir/dict_snowball', 'dsnowball_init'")]
    public void What_only_looks_like_a_constructor_is_found(string sql)
    {
        Execute("CREATE TYPE r AS RANGE (subtype = float8)");
        Execute(sql);

        Assert.That(Audit().Reason, Does.StartWith("is written in "));
    }

    [Test]
    public void What_others_have_for_the_time_of_their_session_does_not_count()
    {
        Execute("CREATE FUNCTION pg_temp.f() RETURNS void LANGUAGE sql AS 'SELECT pg_advisory_lock(1)'");
        Execute("CREATE TEMP TABLE t (a bool DEFAULT pg_try_advisory_lock(1)); CREATE TEMP VIEW v AS SELECT pg_try_advisory_lock(1)");

        Assert.That(Found(), Is.EqualTo(Nothing));
    }

    [TestCase("hstore")]
    [TestCase("citext")]
    [TestCase("pg_trgm")]
    [TestCase("pgcrypto")]
    [TestCase("uuid-ossp")]
    [TestCase("btree_gist")]
    [TestCase("ltree")]
    [TestCase("tablefunc")]
    [TestCase("dblink")]
    [TestCase("postgres_fdw")]
    [TestCase("unaccent")]
    [TestCase("xml2")]
    public void A_known_extension_is_harmless(string name)
    {
        Execute($"CREATE EXTENSION \"{name}\"");

        Assert.That(Found(), Is.EqualTo(Nothing));
    }

    [Test]
    public void A_function_of_an_unknown_extension_counts()
    {
        Execute("CREATE EXTENSION hstore; UPDATE pg_extension SET extname = 'acme' WHERE extname = 'hstore'");

        Assert.That(Audit().Reason, Is.EqualTo("is written in c, which is not looked into"));
    }

    [Test]
    public void A_view_that_calls_into_a_known_extension_is_found_by_the_name()
    {
        Execute("CREATE EXTENSION dblink");
        Execute("CREATE VIEW v AS SELECT * FROM dblink('dbname=x', 'SELECT 1') AS t (a int)");

        Assert.That(Found(), Is.EqualTo(("rule _RETURN on view v", "calls dblink")));
    }

    [TestCase("SELECT 1", "sql", true)]
    [TestCase("SELECT set_config('a.b', 'c', false)", "sql", true)]
    [TestCase("SELECT 'prepare', 'deallocate'", "sql", true)]
    [TestCase("SELECT query_to_xml('SELECT 1', true, true, '')", "sql", true)]
    [TestCase("DEALLOCATE ALL", "sql", false)]
    [TestCase("SELECT 1; discard plans", "sql", false)]
    [TestCase("PREPARE p AS SELECT 1", "sql", false)]
    [TestCase("EXECUTE p", "sql", false)]
    [TestCase("SELECT U&\"a\"()", "sql", false)]
    [TestCase("BEGIN SET a.b = 1; CREATE TEMP TABLE x (a int); CREATE UNLOGGED TABLE y (); CREATE UNIQUE INDEX i ON x (a); CREATE LOCAL TEMPORARY VIEW v AS SELECT 1; END", "plpgsql", true)]
    [TestCase("BEGIN EXECUTE 'SELECT 1'; END", "plpgsql", false)]
    [TestCase("BEGIN DEALLOCATE p; END", "plpgsql", false)]
    [TestCase("BEGIN IF true THEN DISCARD ALL; END IF; END", "plpgsql", false)]
    [TestCase("BEGIN DO 'BEGIN END'; END", "plpgsql", false)]
    [TestCase("BEGIN LOAD 'x'; END", "plpgsql", false)]
    [TestCase("BEGIN CREATE FUNCTION g() RETURNS void LANGUAGE sql AS 'SELECT 1'; END", "plpgsql", false)]
    [TestCase("BEGIN CREATE TABLE x (); CREATE EXTENSION hstore; END", "plpgsql", false)]
    [TestCase("int8up", "internal", false)]
    public void It_says_whether_functions_may_touch_prepared_statements(string source, string language, bool keeps)
    {
        Execute($"SET LOCAL check_function_bodies = off; CREATE FUNCTION f(bigint) RETURNS bigint LANGUAGE {language} AS $src$ {source} $src$".Replace("$ int8up $", "$int8up$", StringComparison.Ordinal));

        Assert.That(Audit().KeepsStatements, Is.EqualTo(keeps));
    }

    [Test]
    public void It_names_what_attribute_notation_reaches_of_extensions()
    {
        Execute("CREATE EXTENSION pg_trgm; CREATE EXTENSION dblink; CREATE EXTENSION hstore; CREATE EXTENSION tablefunc; CREATE EXTENSION citext");

        var names = Audit().Functions!;

        Assert.That(names, Is.SupersetOf(new[] { "set_limit", "dblink_connect", "dblink", "dblink_exec", "crosstab" }));
        Assert.That(names, Has.None.AnyOf("similarity", "akeys", "citext", "each", "name", "text", "show_trgm", "citextrecv"));
    }

    [TestCase("hstore")]
    [TestCase("citext")]
    [TestCase("unaccent")]
    [TestCase("btree_gist")]
    [TestCase("ltree")]
    public void Extensions_of_harmless_functions_have_no_such_names(string name)
    {
        Execute($"CREATE EXTENSION {name}");

        Assert.That(Audit().Functions, Is.Null);
    }

    [Test]
    public void Any_role_may_ask()
    {
        Execute("CREATE FUNCTION f() RETURNS void LANGUAGE sql AS 'SELECT pg_advisory_lock(1)'; CREATE ROLE loxo_nobody; SET LOCAL ROLE loxo_nobody");

        Assert.That(Audit().Name, Is.EqualTo("function f()"));
    }

    [Test]
    public async Task Objects_that_are_dropped_meanwhile_are_found_or_gone()
    {
        using var ended = new CancellationTokenSource();
        var dropping = Task.Run(async () =>
        {
            await using var other = new PgConnection(ConnectionString);
            await other.OpenAsync();
            while (!ended.IsCancellationRequested)
            {
                await using var command = new PgCommand("CREATE SCHEMA gone; CREATE FUNCTION gone.f() RETURNS bool LANGUAGE sql AS 'SELECT pg_try_advisory_lock(1)'; DROP SCHEMA gone CASCADE", other);
                await command.ExecuteNonQueryAsync();
            }
        });
        Execute("ROLLBACK");

        var found = Enumerable.Range(0, 200).Select(_ => Found()).Distinct().ToArray();

        await ended.CancelAsync();
        await dropping;
        Assert.That(found, Is.SubsetOf(new[] { Nothing, ("function gone.f()", "contains pg_try_advisory_lock"), ("an object that has just been dropped", "contains pg_try_advisory_lock") }));
    }

    [Test]
    public void What_was_found_counts_although_its_name_is_gone()
    {
        var verdict = DatabaseAuditVerdict.Of([null, "contains SET", "f", null, null, "f"]);

        Assert.That(verdict.State, Is.EqualTo(DatabaseAuditState.Offending));
        Assert.That(verdict.Name, Is.Not.Empty);
    }

    [Test]
    public void Backslashes_in_strings_do_not_change_the_question()
    {
        Execute("SET LOCAL standard_conforming_strings = off; CREATE VIEW v AS SELECT pg_try_advisory_lock(1)");

        Assert.That(Found(), Is.EqualTo(("rule _RETURN on view v", "calls pg_try_advisory_lock")));
    }
}
