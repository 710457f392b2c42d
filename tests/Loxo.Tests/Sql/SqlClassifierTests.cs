using Loxo.Sql;

namespace Loxo.Tests.Sql;

/// <summary>Which statements are plain, and what the others may leave behind.</summary>
internal sealed class SqlClassifierTests
{
    private const SqlChanges Setting = SqlChanges.State | SqlChanges.Names;
    private const SqlChanges Statement = SqlChanges.State | SqlChanges.Statements;
    private const SqlChanges Definition = SqlChanges.State | SqlChanges.Names;
    private const SqlChanges Routine = Definition | SqlChanges.Routines;

    [TestCase("")]
    [TestCase(" -- nothing\n")]
    [TestCase("SELECT 1")]
    [TestCase("select\n1")]
    [TestCase("SELECT")]
    [TestCase("SELECT a, b AS c, t.*, \"D\" FROM t WHERE a = @a AND b IN (1, 2, $3) ORDER BY c DESC LIMIT 10 OFFSET (5)")]
    [TestCase("SELECT DISTINCT ON (a) b, (c).d, (e)[1:2] FROM ONLY s.t AS x JOIN u USING (id) LEFT JOIN (v CROSS JOIN w) ON (v.a = w.a)")]
    [TestCase("SELECT 1 FROM t FOR UPDATE OF t SKIP LOCKED")]
    [TestCase("SELECT CASE WHEN (a) THEN (b) ELSE (c) END, a BETWEEN (1) AND (2), NOT (a), a IS NOT DISTINCT FROM (b), a::int, CAST(a AS numeric(10, 2))")]
    [TestCase("(SELECT 1) UNION ALL (SELECT 2) INTERSECT SELECT 3 EXCEPT (VALUES (4))")]
    [TestCase("((SELECT 1))")]
    [TestCase("VALUES (1, 'a;b'), (2, DEFAULT)")]
    [TestCase("TABLE t")]
    [TestCase("SELECT 1.5, .5, 1., 1e5, 1.5E-3, 0x1F, 0b01, 1_000")]
    [TestCase("SELECT 'set_config(1)', $$pg_advisory_lock(1)$$, \"pg_advisory_lock\" /* setseed(1) */ FROM t -- nextval('s')")]
    [TestCase("SELECT a FROM pg_settings WHERE name LIKE 'x'")]
    [TestCase("SELECT tags <@ids, @ -5, a->>'b', a @> '{}'::jsonb, (ARRAY[1, 2])[1:2]")]
    public void A_query_is_plain(string sql) => Check(sql, SqlChanges.None);

    [TestCase("SELECT lower(a), COUNT(*), pg_catalog.now(), PG_CATALOG . upper('a'), left('a', 1), right ('a', 1), char_length('a')")]
    [TestCase("SELECT count(*) FILTER (WHERE a > 1) OVER (PARTITION BY (b) ORDER BY (c) ROWS UNBOUNDED PRECEDING), rank() OVER w FROM t WINDOW w AS (ORDER BY a)")]
    [TestCase("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a), string_agg(DISTINCT a, ',' ORDER BY a) FROM t")]
    [TestCase("SELECT COALESCE(a, b), NULLIF(a, b), GREATEST(1, 2), LEAST(1, 2), EXISTS (SELECT 1), a = ANY (@ids), a <> ALL (ARRAY(SELECT 1)), ROW(1, 2)")]
    [TestCase("SELECT EXTRACT(year FROM a), substring(a FROM 1 FOR 2), overlay(a PLACING b FROM 1), position('a' IN b), trim(BOTH ' ' FROM a), normalize(a)")]
    [TestCase("SELECT xmlelement(name a, xmlattributes(b AS c), xmlforest(d)), xmlconcat(a, b), JSON_VALUE(a, '$.b'), json_build_object('a', 1)")]
    [TestCase("SELECT a FROM t GROUP BY GROUPING SETS ((a), (a, b)) HAVING (count(*)) > 1")]
    [TestCase("SELECT a FROM t GROUP BY ROLLUP (a, b)")]
    [TestCase("SELECT current_timestamp(3), localtime(0), current_user, interval '1 day', timestamp(3) '2000-01-01', date '2000-01-01'")]
    [TestCase("SELECT a::numeric(10, 2), a::varchar(10), a::character varying(10), a::bit varying (3), a::time(3) with time zone, a::public.vector(3), a::geometry(Point, 4326)")]
    [TestCase("SELECT a AT TIME ZONE ('utc') FROM t TABLESAMPLE system (10) REPEATABLE (5)")]
    [TestCase("SELECT a OPERATOR(pg_catalog.+) b, OPERATOR(pg_catalog.-) 5")]
    [TestCase("SELECT * FROM generate_series(1, 3) AS g (n), unnest(@a) WITH ORDINALITY u(v, i), LATERAL (SELECT 1) l (x), ROWS FROM (generate_series(1, 2))")]
    [TestCase("SELECT * FROM json_to_recordset(@j) AS x(a int, b numeric(10, 2), c varchar(5))")]
    [TestCase("SELECT * FROM XMLTABLE('//a' PASSING x COLUMNS a int PATH 'a', b numeric(3, 1))")]
    [TestCase("SELECT * FROM JSON_TABLE(a, '$[*]' COLUMNS (id int PATH '$.id', NESTED PATH '$.b[*]' COLUMNS (c text PATH '$')))")]
    [TestCase("SELECT array_agg(a ORDER BY b), gen_random_uuid(), random(), clock_timestamp(), pg_sleep(1), uuidv7(), current_setting('a.b', true)")]
    [TestCase("SELECT pg_notify('c', 'p'), pg_advisory_xact_lock(1), pg_try_advisory_xact_lock_shared(1, 2), pg_relation_size('t')")]
    [TestCase("SELECT to_tsvector('a') @@ plainto_tsquery('b'), regexp_replace(a, 'b', 'c'), format('%s', a), now() - interval '1' day * 2")]
    public void Built_in_functions_and_what_only_looks_like_a_call_are_plain(string sql) => Check(sql, SqlChanges.None);

    [TestCase("INSERT INTO t VALUES (1)")]
    [TestCase("insert into t (a, b) values (@a, lower(@b)) returning id")]
    [TestCase("INSERT INTO s.t (a) OVERRIDING SYSTEM VALUE SELECT 1 FROM u")]
    [TestCase("INSERT INTO \"Orders\" (\"Id\", \"Name\") VALUES (@p0, @p1) RETURNING \"Id\"")]
    [TestCase("INSERT INTO \"s\".\"t\" AS x (a) DEFAULT VALUES")]
    [TestCase("INSERT INTO t AS x (a) (SELECT 1) ON CONFLICT (a) DO UPDATE SET (b, c) = (1, 2) WHERE x.a > 1")]
    [TestCase("INSERT INTO t (a) WITH u (x) AS (SELECT 1) SELECT x FROM u")]
    [TestCase("INSERT INTO t TABLE u")]
    [TestCase("INSERT INTO t (a) VALUES (1) ON CONFLICT ON CONSTRAINT c DO NOTHING")]
    [TestCase("INSERT INTO t VALUES (1) RETURNING WITH (OLD AS o, NEW AS n) lower(n.a)")]
    [TestCase("UPDATE t SET a = 1, b = DEFAULT, (c, d) = (SELECT 1, 2) FROM u AS x WHERE t.id = x.id RETURNING *")]
    [TestCase("UPDATE ONLY s.t AS x SET (a, b) = (1, 2)")]
    [TestCase("UPDATE t * SET a = 1")]
    [TestCase("UPDATE t SET a = 1 WHERE CURRENT OF c")]
    [TestCase("DELETE FROM t USING u WHERE t.a = u.a")]
    [TestCase("DELETE FROM ONLY \"T\"")]
    [TestCase("MERGE INTO t AS x USING (VALUES (1, 2)) s (a, b) ON (x.a = s.a) WHEN MATCHED AND x.b > 1 THEN UPDATE SET b = s.b "
        + "WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, s.b) WHEN NOT MATCHED BY SOURCE THEN DELETE RETURNING merge_action()")]
    public void Changing_rows_is_plain(string sql) => Check(sql, SqlChanges.None);

    [TestCase("WITH a AS (SELECT 1), b (x, y) AS NOT MATERIALIZED (VALUES (1, 2)) SELECT * FROM a, b")]
    [TestCase("WITH RECURSIVE a (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) SELECT * FROM a")]
    [TestCase("WITH recursive AS (SELECT 1) TABLE recursive")]
    [TestCase("WITH \"A\" AS MATERIALIZED (INSERT INTO t VALUES (1) RETURNING *) UPDATE t SET a = 1")]
    [TestCase("WITH a AS (DELETE FROM t RETURNING *) INSERT INTO u SELECT * FROM a")]
    [TestCase("WITH a AS (SELECT 1) (SELECT * FROM a)")]
    [TestCase("WITH RECURSIVE a (n) AS (SELECT 1) SEARCH DEPTH FIRST BY n SET o CYCLE n SET is_cycle TO true DEFAULT false USING \"path\", b AS (SELECT 1) SELECT * FROM a")]
    [TestCase("SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) x")]
    [TestCase("WITH a AS (UPDATE t SET x = 1 RETURNING *), b AS (MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE) SELECT 1")]
    public void Queries_behind_WITH_are_plain(string sql) => Check(sql, SqlChanges.None);

    [TestCase("BEGIN")]
    [TestCase("begin isolation level serializable read only")]
    [TestCase("START TRANSACTION")]
    [TestCase("COMMIT")]
    [TestCase("COMMIT AND CHAIN")]
    [TestCase("END")]
    [TestCase("ROLLBACK")]
    [TestCase("ROLLBACK TO SAVEPOINT a")]
    [TestCase("ROLLBACK PREPARED 'a'")]
    [TestCase("PREPARE TRANSACTION 'a'")]
    [TestCase("ABORT")]
    [TestCase("SAVEPOINT a")]
    [TestCase("RELEASE a")]
    [TestCase("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")]
    [TestCase("SET TRANSACTION SNAPSHOT '1-1'")]
    [TestCase("SET LOCAL app.tenant TO 'x'")]
    [TestCase("SET LOCAL \"app\".\"tenant\" = 1")]
    [TestCase("SET LOCAL ROLE x")]
    [TestCase("SET LOCAL SESSION AUTHORIZATION x")]
    [TestCase("SET LOCAL TIME ZONE 'UTC'")]
    [TestCase("SET CONSTRAINTS ALL DEFERRED")]
    [TestCase("SET CONSTRAINTS \"a\", b IMMEDIATE")]
    [TestCase("SHOW search_path")]
    [TestCase("NOTIFY c, 'payload'")]
    [TestCase("LOCK TABLE t IN SHARE MODE")]
    [TestCase("FETCH FORWARD 10 FROM c")]
    [TestCase("MOVE ALL IN c")]
    [TestCase("CLOSE c")]
    [TestCase("DECLARE c CURSOR FOR SELECT lower(a) FROM t")]
    [TestCase("DECLARE \"c\" BINARY INSENSITIVE NO SCROLL CURSOR WITHOUT HOLD FOR WITH a AS (SELECT 1) TABLE a")]
    [TestCase("DECLARE hold CURSOR FOR VALUES (1)")]
    [TestCase("EXPLAIN SELECT 1")]
    [TestCase("EXPLAIN ANALYZE VERBOSE INSERT INTO t VALUES (1)")]
    [TestCase("EXPLAIN (ANALYZE, BUFFERS off, FORMAT json) SELECT lower('a')")]
    [TestCase("EXPLAIN (SELECT 1)")]
    [TestCase("EXPLAIN ((SELECT 1) UNION (SELECT 2))")]
    [TestCase("EXPLAIN (COSTS OFF) (SELECT 1)")]
    [TestCase("COPY t FROM STDIN")]
    [TestCase("COPY s.\"t\" (a, b) FROM STDIN WITH (FORMAT csv, FORCE_NULL (a, b), NULL '') WHERE lower(a) = 'b'")]
    [TestCase("COPY BINARY t TO STDOUT")]
    [TestCase("COPY t TO STDOUT (FORMAT binary)")]
    [TestCase("COPY (SELECT lower(a) FROM t) TO STDOUT WITH CSV HEADER")]
    [TestCase("COPY (WITH a AS (SELECT 1) DELETE FROM t RETURNING *) TO STDOUT")]
    [TestCase("COPY t FROM PROGRAM 'cat' (FORMAT csv)")]
    public void What_ends_with_its_transaction_is_plain(string sql) => Check(sql, SqlChanges.None);

    [TestCase("SELECT set_config('app.tenant', @tenant, true)")]
    [TestCase("SELECT pg_catalog.set_config('a.b', coalesce(@a, @b), TRUE), 1")]
    [TestCase("SELECT SET_CONFIG ( 'a.b' , $2 || ',x' , true ) FROM t")]
    public void A_local_set_config_is_plain(string sql) => Check(sql, SqlChanges.None);

    [TestCase("SELECT set_config('search_path', @path, true)")]
    [TestCase("SELECT set_config('Search_Path', 'a', true)")]
    [TestCase("SELECT set_config('a.b', '', true), set_config('search_path', '', true)")]
    public void A_local_set_config_of_the_search_path_changes_names(string sql) => Check(sql, SqlChanges.Names);

    [TestCase("SET search_path = a", Setting)]
    [TestCase("SET SESSION search_path = a", Setting)]
    [TestCase("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", Setting)]
    [TestCase("SET SESSION AUTHORIZATION x", Setting)]
    [TestCase("SET ROLE x", Setting)]
    [TestCase("SET TIME ZONE 'UTC'", Setting)]
    [TestCase("SET local.x = 1", Setting)]
    [TestCase("SET LOCAL = 1", Setting)]
    [TestCase("SET LOCAL TO 1", Setting)]
    [TestCase("SET transaction.x = 1", Setting)]
    [TestCase("SET constraints.x = 1", Setting)]
    [TestCase("SET \"local\" x = 1", Setting)]
    [TestCase("RESET ALL", Setting)]
    [TestCase("SET LOCAL search_path = a, b", SqlChanges.Names)]
    [TestCase("SET LOCAL \"search_path\" TO a", SqlChanges.Names)]
    [TestCase("SET LOCAL SCHEMA 'a'", SqlChanges.Names)]
    [TestCase("LISTEN c", SqlChanges.State)]
    [TestCase("UNLISTEN *", SqlChanges.State)]
    [TestCase("PREPARE p AS SELECT 1", Statement)]
    [TestCase("PREPARE transaction AS SELECT 1", Statement)]
    [TestCase("PREPARE transaction (text) AS SELECT 1", Statement)]
    [TestCase("EXECUTE p", Statement)]
    [TestCase("DEALLOCATE ALL", Statement)]
    [TestCase("DISCARD ALL", SqlChanges.State | SqlChanges.Statements | SqlChanges.Names)]
    [TestCase("DISCARD TEMP", SqlChanges.State | SqlChanges.Statements | SqlChanges.Names)]
    [TestCase("DECLARE c CURSOR WITH HOLD FOR SELECT 1", SqlChanges.State)]
    [TestCase("DECLARE hold SCROLL CURSOR WITH HOLD FOR SELECT 1", SqlChanges.State)]
    [TestCase("DECLARE c CURSOR FOR SELECT f()", SqlChanges.State)]
    [TestCase("GRANT a TO b", Setting)]
    [TestCase("REVOKE USAGE ON SCHEMA a FROM b", Setting)]
    [TestCase("TRUNCATE t", SqlChanges.State)]
    [TestCase("VACUUM", SqlChanges.State)]
    [TestCase("ANALYZE t", SqlChanges.State)]
    [TestCase("REFRESH MATERIALIZED VIEW v", SqlChanges.State)]
    [TestCase("COMMIT PREPARED 'a'", Routine)]
    public void What_leaves_a_trace_says_which(string sql, SqlChanges changes) => Check(sql, changes);

    [TestCase("CREATE TABLE t (id int PRIMARY KEY, a text DEFAULT lower('a') || 'b', c int NOT NULL DEFAULT 1 CHECK (c > 0), d numeric(3, 1) DEFAULT 1.5, PRIMARY KEY (id), UNIQUE (a))", Definition)]
    [TestCase("CREATE TABLE t (a geometry(Point), b s.mood, c int REFERENCES u (id))", Definition)]
    [TestCase("CREATE TEMP TABLE t (a numeric(10, 2) CHECK (a > 0))", Definition)]
    [TestCase("CREATE TABLE t AS SELECT 1", Definition)]
    [TestCase("CREATE UNLOGGED TABLE t ()", Definition)]
    [TestCase("ALTER TABLE t ADD COLUMN a int", Definition)]
    [TestCase("DROP TABLE IF EXISTS t", Definition)]
    [TestCase("CREATE UNIQUE INDEX i ON t (lower(a))", Definition)]
    [TestCase("CREATE SEQUENCE s", Definition)]
    [TestCase("CREATE TYPE e AS ENUM ('a')", Definition)]
    [TestCase("ALTER ROLE x SET search_path = a", Definition)]
    [TestCase("CREATE DATABASE d", Definition)]
    [TestCase("CREATE TABLE t (a int DEFAULT pg_try_advisory_lock(1)::int)", Routine)]
    [TestCase("CREATE TABLE t (a int CHECK (\"pg_try_advisory_lock\"(1)))", Routine)]
    [TestCase("ALTER TABLE t ALTER a SET DEFAULT U&\"set\\005fconfig\"('a.b', 'c', false)", Routine)]
    [TestCase("CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON ONLY s.t USING btree (a, (b || 'x'), lower(c) text_pattern_ops DESC) INCLUDE (d) WITH (fillfactor = 70) WHERE a > 1", Definition)]
    [TestCase("CREATE STATISTICS s (ndistinct) ON a, (b + 1) FROM t", Definition)]
    [TestCase("CREATE TABLE t (a int, b text GENERATED ALWAYS AS (lower('a')) STORED, c int GENERATED ALWAYS AS IDENTITY (START 1))", Definition)]
    [TestCase("CREATE TABLE t (a int) PARTITION BY LIST (a)", Definition)]
    [TestCase("CREATE TABLE t PARTITION OF u FOR VALUES FROM (1) TO (2)", Definition)]
    [TestCase("CREATE INDEX ON t ((isn_weak(b)))", Routine)]
    [TestCase("CREATE INDEX ON t (((b).isn_weak))", Routine)]
    [TestCase("CREATE INDEX ON t (a) WHERE isn_weak(b)", Routine)]
    [TestCase("CREATE STATISTICS s ON a, (isn_weak(true)) FROM t", Routine)]
    [TestCase("CREATE TABLE t (b bool) PARTITION BY LIST (isn_weak(b))", Routine)]
    [TestCase("CREATE TABLE t (b bool, EXCLUDE USING btree ((isn_weak(b)) WITH =))", Routine)]
    [TestCase("CREATE TABLE t (a bool GENERATED ALWAYS AS (isn_weak(true)) STORED)", Routine)]
    [TestCase("ALTER TABLE t ALTER a SET EXPRESSION AS (isn_weak(true))", Routine)]
    [TestCase("CREATE TABLE t (a int DEFAULT my_function())", Routine)]
    [TestCase("CREATE TABLE t (a real DEFAULT \"set_limit\" (0.7))", Routine)]
    [TestCase("CREATE TABLE t (a real DEFAULT x.set_limit(0.7))", Routine)]
    [TestCase("CREATE TABLE t (a real CHECK ((0.7::real).set_limit > a))", Routine)]
    [TestCase("ALTER TABLE t ALTER a SET DEFAULT (0.7::real) . /* */ set_limit", Routine)]
    [TestCase("ALTER TABLE t ALTER a SET DEFAULT TREAT(1 AS pg_try_advisory_lock)", Routine)]
    [TestCase("CREATE TABLE t (LIKE u INCLUDING DEFAULTS)", Routine)]
    [TestCase("CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", Routine)]
    [TestCase("CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT 2; END", Routine)]
    [TestCase("CREATE OR REPLACE PROCEDURE p() LANGUAGE sql AS ''", Routine)]
    [TestCase("ALTER ROUTINE f() RENAME TO g", Routine)]
    [TestCase("DROP FUNCTION f", Routine)]
    [TestCase("CREATE CONSTRAINT TRIGGER x AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()", Routine)]
    [TestCase("CREATE EVENT TRIGGER x ON ddl_command_end EXECUTE FUNCTION f()", Routine)]
    [TestCase("CREATE EXTENSION hstore", Routine)]
    [TestCase("CREATE TRUSTED PROCEDURAL LANGUAGE plperl", Routine)]
    [TestCase("CREATE OPERATOR === (FUNCTION = f, LEFTARG = int, RIGHTARG = int)", Routine)]
    [TestCase("CREATE CAST (a AS b) WITH FUNCTION f", Routine)]
    [TestCase("CREATE DOMAIN d AS int CHECK (f(VALUE))", Routine)]
    [TestCase("CREATE AGGREGATE a (int) (SFUNC = f, STYPE = int)", Routine)]
    [TestCase("CREATE OR REPLACE TEMP VIEW v AS SELECT 1", Routine)]
    [TestCase("CREATE MATERIALIZED VIEW v AS SELECT 1", Routine)]
    [TestCase("CREATE RULE r AS ON UPDATE TO t DO INSTEAD (DELETE FROM t; INSERT INTO t VALUES (1))", Routine)]
    [TestCase("CREATE POLICY p ON t USING (f(a))", Routine)]
    [TestCase("CREATE SCHEMA s CREATE VIEW v AS SELECT 1", Routine)]
    [TestCase("CREATE FOREIGN DATA WRAPPER w", Routine)]
    [TestCase("ALTER SYSTEM SET a = 1", Routine)]
    public void A_definition_says_whether_it_concerns_routines(string sql, SqlChanges changes) => Check(sql, changes);

    [TestCase("CREATE DATABASE App", new[] { "app" })]
    [TestCase("create database \"App\" OWNER o", new[] { "App", "owner", "o" })]
    [TestCase("DROP DATABASE IF EXISTS app WITH (FORCE)", new[] { "if", "exists", "app", "with", "force" })]
    [TestCase("ALTER DATABASE a RENAME TO U&\"b\"", new[] { "a", "rename", "to", null })]
    [TestCase("DROP DATABASE gr\u00f6\u00dfe", new string?[] { null })]
    [TestCase("CREATE TABLE database (database int)", new string?[0])]
    [TestCase("SELECT 1", new string?[0])]
    public void A_statement_about_databases_names_them(string sql, string?[] names)
    {
        Assert.That(Of(sql).Databases, Is.EqualTo(names));
        Assert.That(Of(sql).ConcernsDatabases, Is.EqualTo(names.Length > 0));
    }

    [TestCase("CREATE TABLE t (id int)", true)]
    [TestCase("CREATE UNLOGGED TABLE t ()", true)]
    [TestCase("CREATE OR REPLACE VIEW v AS SELECT 1", true)]
    [TestCase("CREATE SCHEMA s", true)]
    [TestCase("CREATE TYPE e AS ENUM ('a')", true)]
    [TestCase("CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", true)]
    [TestCase("ALTER TABLE t SET SCHEMA s", true)]
    [TestCase("CREATE TEMP TABLE t (id int)", false)]
    [TestCase("CREATE LOCAL TEMPORARY VIEW v AS SELECT 1", false)]
    [TestCase("DROP TABLE t", false)]
    [TestCase("CREATE INDEX i ON t (id)", false)]
    [TestCase("CREATE ROLE r", false)]
    [TestCase("SET search_path = s", false)]
    [TestCase("DISCARD ALL", false)]
    [TestCase("SELECT 1 AS id INTO t", true)]
    [TestCase("SELECT 1 AS id INTO UNLOGGED TABLE t", true)]
    [TestCase("SELECT 1 AS id INTO TEMP t", false)]
    [TestCase("SELECT 1 AS id INTO pg_temp.t", false)]
    [TestCase("EXPLAIN ANALYZE SELECT 1 AS id INTO t", true)]
    [TestCase("EXPLAIN ANALYZE CREATE TABLE t AS SELECT 1", true)]
    [TestCase("EXPLAIN (ANALYZE) CREATE TABLE t AS SELECT 1", true)]
    [TestCase("IMPORT FOREIGN SCHEMA public FROM SERVER s INTO near", true)]
    [TestCase("COMMIT PREPARED 'x'", true)]
    [TestCase("GRANT USAGE ON SCHEMA near TO r", true)]
    [TestCase("REVOKE USAGE ON SCHEMA near FROM r", true)]
    [TestCase("DO $$ BEGIN END $$", true)]
    [TestCase("FROBNICATE t", true)]
    [TestCase("CALL p()", false)]
    [TestCase("LOAD 'x'", false)]
    [TestCase("COMMIT", false)]
    [TestCase("SELECT f(1)", false)]
    [TestCase("EXPLAIN ANALYZE SELECT 1", false)]
    [TestCase("SELECT 1", false)]
    public void A_definition_that_others_see_has_their_statements_parsed_again(string sql, bool expected) =>
        Assert.That(Of(sql).Changes.HasFlag(SqlChanges.Definitions), Is.EqualTo(expected));

    [TestCase("DO $$ BEGIN END $$")]
    [TestCase("CALL p()")]
    [TestCase("LOAD 'x'")]
    [TestCase("FROBNICATE t")]
    [TestCase("EXPLAIN EXECUTE p")]
    [TestCase("EXPLAIN ANALYZE CREATE TABLE t AS SELECT 1")]
    [TestCase("EXPLAIN (ANALYZE)")]
    [TestCase("EXPLAIN")]
    [TestCase("DECLARE c CURSOR")]
    [TestCase("\"select\" 1")]
    [TestCase("1")]
    [TestCase("; SELECT 1 }")]
    [TestCase("SELECT 1 {")]
    [TestCase("SELECT 1 $")]
    [TestCase("SELECT 1\0")]
    [TestCase("SELECT (1")]
    [TestCase("SELECT 1)")]
    [TestCase("SELECT (1; 2)")]
    [TestCase("INSERT t VALUES (1)")]
    [TestCase("INSERT INTO (a) VALUES (1)")]
    [TestCase("DELETE t")]
    [TestCase("UPDATE ONLY (t) SET a = 1")]
    [TestCase("WITH SELECT")]
    [TestCase("WITH a SELECT 1")]
    [TestCase("WITH a AS (SELECT 1) FROBNICATE")]
    [TestCase("WITH a AS (SELECT 1), b AS SELECT 1")]
    [TestCase("WITH RECURSIVE a AS (SELECT 1) SEARCH DEPTH FIRST BY set SET o SELECT 1")]
    [TestCase("SET LOCAL standard_conforming_strings = off")]
    [TestCase("SET LOCAL \"standard_conforming_strings\" = off")]
    [TestCase("SET LOCAL client_encoding = 'SJIS'")]
    [TestCase("SET LOCAL \"client_encoding\" TO SJIS")]
    [TestCase("SET LOCAL NAMES 'SJIS'")]
    [TestCase("SET LOCAL U&\"standard\\005fconforming_strings\" = off")]
    public void What_is_not_understood_may_have_left_anything(string sql) => Check(sql, SqlChanges.All);

    [TestCase("SELECT 1; SET a.b = 1; SELECT 2; LISTEN c", SqlChanges.None, Setting, SqlChanges.None, SqlChanges.State)]
    [TestCase("SELECT f(@x); SELECT @x;", SqlChanges.State, SqlChanges.None)]
    [TestCase("FROBNICATE (; SELECT 1", SqlChanges.All)]
    public void Each_statement_of_a_text_counts_for_itself(string sql, params SqlChanges[] changes) =>
        Assert.That(SqlText.Lex(sql, true).Statements.ToArray().Select(statement => statement.Changes), Is.EqualTo(changes));

    [TestCase("SELECT $1", SqlChanges.None)]
    [TestCase(" SELECT lower($1) ; -- done", SqlChanges.None)]
    [TestCase("SELECT f($1)", SqlChanges.State)]
    [TestCase("SELECT $1; SELECT 2", SqlChanges.All)]
    [TestCase("SET LOCAL a.b = 1; SELECT 2", SqlChanges.All)]
    public void A_positional_text_is_classified_as_a_whole(string sql, SqlChanges changes)
    {
        var statement = SqlText.Lex(sql, standardConformingStrings: true, splitAndReplace: false).Statements[0];

        Assert.That(statement.Changes, Is.EqualTo(changes));
        Assert.That(statement.IsPlannable, Is.EqualTo(changes != SqlChanges.All));
    }

    [Test]
    public void A_text_is_classified_as_the_server_will_read_it()
    {
        const string Text = @"SELECT '\' || ' , pg_advisory_lock(1), '''";

        Assert.That(Of(Text).Changes, Is.EqualTo(SqlChanges.None));
        Assert.That(SqlText.Lex(Text, standardConformingStrings: false).Statements[0].Changes, Is.EqualTo(SqlChanges.State));
        Assert.That(SqlText.Lex(Text, false, splitAndReplace: false).Statements[0].Changes, Is.EqualTo(SqlChanges.State));
    }

    internal static SqlStatement Of(string sql)
    {
        var statements = SqlText.Lex(sql, standardConformingStrings: true).Statements;
        Assert.That(statements.Length, Is.EqualTo(1), "one statement");
        return statements[0];
    }

    // Which definitions others see is a test of its own.
    private static void Check(string sql, SqlChanges changes) => Assert.That(Of(sql).Changes & ~SqlChanges.Definitions, Is.EqualTo(changes & ~SqlChanges.Definitions));
}
