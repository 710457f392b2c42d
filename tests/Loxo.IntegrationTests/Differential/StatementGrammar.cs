namespace Loxo.IntegrationTests.Differential;

/// <summary>A statement with placeholders that are still to be written: <c>{0}</c> is the first.</summary>
/// <param name="Numbers">Which placeholders stand for numbers; the others stand for texts, or for anything if <see cref="Anything"/>.</param>
internal sealed record Template(string Text, int Count, string Numbers = "", bool Anything = false);

/// <summary>The SQL of generated programs, and the tables that it is about.</summary>
internal static class StatementGrammar
{
    /// <summary>What stays as it is.</summary>
    public const string Types =
        """
        CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
        CREATE TYPE pair AS (a int, b text);
        CREATE DOMAIN positive AS int CHECK (value > 0);
        CREATE FUNCTION noisy(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'noisy %', n; RETURN n; END $$;
        CREATE FUNCTION nothing() RETURNS void LANGUAGE sql AS $$ $$;
        CREATE FUNCTION outs(a int, OUT b int, OUT c text) LANGUAGE sql AS $$ SELECT a + 1, 'c' || a $$;
        CREATE FUNCTION many() RETURNS SETOF int LANGUAGE sql AS $$ VALUES (1), (2), (3) $$;
        CREATE PROCEDURE bump(INOUT a int, INOUT b text) LANGUAGE plpgsql AS $$ BEGIN a := a + 1; b := b || '!'; END $$;
        CREATE PROCEDURE quiet(a int) LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'quiet'; END $$;
        """;

    /// <summary>Makes the tables anew, with their rows.</summary>
    public const string Tables =
        """
        DROP TABLE IF EXISTS scratch, child, items;
        CREATE TABLE items (
            id int PRIMARY KEY, name varchar(20) NOT NULL, price numeric(10, 2) CHECK (price >= 0), tags text[], made timestamptz, feeling mood);
        CREATE TABLE child (id int REFERENCES items DEFERRABLE INITIALLY DEFERRED, note varchar(5), no int GENERATED ALWAYS AS IDENTITY);
        """ + Rows;

    /// <summary>The rows with which every program begins.</summary>
    public const string Rows =
        """
        DELETE FROM child;
        DELETE FROM items;
        ALTER TABLE child ALTER COLUMN no RESTART;
        INSERT INTO items VALUES
            (1, 'one', 1.5, '{a,b}', '2024-02-29 01:02:03Z', 'ok'), (2, 'two', NULL, NULL, NULL, NULL), (3, 'three', 3, '{}', '1999-12-31Z', 'sad');
        INSERT INTO child VALUES (1, 'first'), (2, NULL);
        """;

    public const string Contents =
        """
        SELECT 'items', t::text FROM items t UNION ALL SELECT 'child', t::text FROM child t ORDER BY 1, 2
        """;

    /// <summary>Whether a statement fails after its first row.</summary>
    public static bool FailsAmongRows(string text) => text.Contains("SELECT 10 / (", StringComparison.Ordinal);

    /// <summary>Expressions of every usual type.</summary>
    public static IReadOnlyList<string> Expressions { get; } =
    [
        "1", "NULL", "NULL::int", "2::int2", "3::int8", "5000000000", "1.5", "1.50::numeric(10,2)", "'NaN'::numeric", "1e100::numeric", "0.1::float4",
        "'Infinity'::float8", "12.5::money", "'text'", "''", "'7'", "'varchar'::varchar(10)", "'abc'::char(5)", "'n'::name", "'c'::\"char\"", "true", "false",
        "'\\x01ff'::bytea", "'00112233-4455-6677-8899-aabbccddeeff'::uuid", "'2024-02-29'::date", "'infinity'::date", "'01:02:03'::time",
        "'01:02:03+02'::timetz", "'2024-02-29 01:02:03'::timestamp", "'-infinity'::timestamp", "'2024-02-29 01:02:03Z'::timestamptz",
        "'infinity'::timestamptz", "'1 day 02:03:04'::interval", "'1 mon'::interval", "'{\"a\": 1}'::json", "'{\"a\": 1}'::jsonb", "'<a/>'::xml",
        "'127.0.0.1'::inet", "'10.0.0.0/8'::cidr", "'08:00:2b:01:02:03'::macaddr", "B'101'", "B'1'", "'0110'::varbit", "'(1,2)'::point",
        "'<(1,2),3>'::circle", "ARRAY[1, 2]", "ARRAY[1, NULL]", "ARRAY['a', NULL]", "ARRAY[[1, 2], [3, 4]]", "'{}'::int[]", "'{}'::text[]",
        "ARRAY[1.5, 2]", "ARRAY[true]", "ARRAY['2024-02-29'::date]", "'[1,5)'::int4range", "'empty'::int4range", "'[1,)'::int8range",
        "'(,2024-01-01)'::daterange", "'{[1,3), [5,7)}'::int4multirange", "'ok'::mood", "ARRAY['ok', 'sad']::mood[]", "5::positive",
        "ARRAY[5]::positive[]", "ROW(1, 'a')", "ROW(1, 'a')::pair", "26::oid", "'int4'::regtype", "'a b'::tsvector", "'a & b'::tsquery", "'0/16'::pg_lsn",
        "'(0,1)'::tid", "7::xid8", "'$.a'::jsonpath", "noisy(4)", "nothing()", "generate_series(1, 3)", "current_setting('application_name')",
    ];

    /// <summary>Statements without parameters, good and bad.</summary>
    public static IReadOnlyList<string> Plain { get; } =
    [
        "SELECT * FROM items ORDER BY id",
        "SELECT id, name AS \"Name\", price FROM items WHERE id < 3 ORDER BY id",
        "SELECT id AS x, name AS x FROM items ORDER BY id",
        "SELECT generate_series(1, 5) AS n",
        "SELECT generate_series(1, 2000) AS n, 'some text that fills the buffer' AS t",
        "VALUES (1, 'a'), (2, NULL)",
        "TABLE child",
        "SELECT * FROM items WHERE false",
        "SELECT",
        "SELECT 1;",
        "SELECT 1; SELECT 2, 'two'",
        "SELECT 1;; SELECT 2",
        "SELECT 1 AS a; INSERT INTO items (id, name) VALUES (11, 'x'); SELECT 3 AS b",
        "INSERT INTO items (id, name) VALUES (12, 'x'); UPDATE items SET price = 1",
        "SELECT 1; SELECT 1/0; SELECT 3",
        "INSERT INTO items (id, name) VALUES (13, 'x'); SELEC",
        "SELECT a.id, c.note FROM items a JOIN child c USING (id) ORDER BY 1",
        "SELECT count(*), sum(price), max(name) FROM items",
        "SELECT noisy(1), noisy(2)",
        "SELECT nothing()",
        "SELECT * FROM many()",
        "INSERT INTO items (id, name) VALUES (10, 'ten') RETURNING id, name",
        "INSERT INTO items (id, name) VALUES (14, 'a'), (15, 'b')",
        "INSERT INTO items (id, name) VALUES (1, 'duplicate')",
        "INSERT INTO items (id, name, price) VALUES (20, 'x', -1)",
        "INSERT INTO items (id) VALUES (21)",
        "INSERT INTO items (id, name) VALUES (1, 'x') ON CONFLICT DO NOTHING",
        "INSERT INTO child VALUES (99, 'a')",
        "INSERT INTO child VALUES (1, 'too long')",
        "UPDATE items SET price = price + 1",
        "UPDATE items SET price = 2 WHERE id = 1 RETURNING id, price",
        "UPDATE items SET price = 2 WHERE false",
        "DELETE FROM child",
        "DELETE FROM items WHERE id = 3 RETURNING *",
        "WITH x AS (INSERT INTO items (id, name) VALUES (30, 'x') RETURNING id) SELECT * FROM x",
        "MERGE INTO items i USING (VALUES (1), (40)) v (id) ON i.id = v.id WHEN MATCHED THEN UPDATE SET price = 9 "
            + "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (v.id, 'new')",
        "CREATE TABLE scratch AS SELECT 1 AS a",
        "SELECT id INTO scratch FROM items",
        "CREATE TEMP TABLE tmp (a int)",
        "INSERT INTO tmp VALUES (1)",
        "DROP TABLE missing",
        "DROP TABLE IF EXISTS missing",
        "ALTER TABLE items ADD COLUMN more int",
        "ALTER TABLE child ALTER COLUMN note TYPE text",
        "TRUNCATE TABLE child",
        "DO $$ BEGIN RAISE NOTICE 'a notice'; RAISE WARNING 'a warning'; END $$",
        "DO $$ BEGIN RAISE EXCEPTION 'own error' USING ERRCODE = 'ZZ001', HINT = 'a hint'; END $$",
        "SET application_name = 'changed'",
        "SHOW application_name",
        "RESET ALL",
        "SET TimeZone = 'Asia/Tokyo'",
        "SET nothing = 1",
        "EXPLAIN (COSTS OFF) SELECT 1",
        "DECLARE cur CURSOR FOR SELECT generate_series(1, 5)",
        "FETCH 2 FROM cur",
        "MOVE 1 FROM cur",
        "CLOSE cur",
        "CALL bump(1, 'a')",
        "CALL quiet(1)",
        "LISTEN here; NOTIFY here, 'payload'",
        "PREPARE mine AS SELECT 1",
        "EXECUTE mine",
        "DEALLOCATE ALL",
        "DISCARD ALL",
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT here",
        "LOCK TABLE items",
        "SELECT 1/0",
        "SELECT 10 / (3 - n) FROM generate_series(1, 5) n",
        "SELECT 10 / (1900 - n), 'some text that fills the buffer' FROM generate_series(1, 2000) n",
        "SELEC 1",
        "SELECT missing",
        "SELECT * FROM missing",
        "SELECT 'x'::int",
        "SELECT 'it''s', E'a\\'b', $q$dollar$q$, \"name\" FROM items /* comment; */ WHERE id = 1 -- end; here",
        "SELECT '{1,2}'::int[] @> ARRAY[1], 1 ::int8",
        "SET CONSTRAINTS ALL IMMEDIATE",
        "SELECT pg_terminate_backend(pg_backend_pid())",
    ];

    /// <summary>Statements with parameters.</summary>
    public static IReadOnlyList<Template> Templates { get; } =
    [
        new("SELECT {0}", 1, Anything: true),
        new("SELECT {0} AS value, pg_typeof({0})::text AS type", 1, Anything: true),
        new("SELECT {0}, {1}, {0}", 2, Anything: true),
        new("SELECT {0}::text", 1, Anything: true),
        new("SELECT pg_typeof({0})::text", 1, Anything: true),
        new("SELECT id, name FROM items WHERE id = {0}", 1, "0"),
        new("SELECT id, name FROM items WHERE name = {0}", 1),
        new("SELECT name FROM items WHERE id = ANY ({0})", 1, Anything: true),
        new("SELECT {0} + 1", 1, "0"),
        new("SELECT {0}::int, {1}::text", 2, "0"),
        new("INSERT INTO items (id, name) VALUES ({0}, {1})", 2, "0"),
        new("INSERT INTO items (id, name, price) VALUES (50, {0}, {1}) RETURNING id, name", 2, "1"),
        new("INSERT INTO items (id, name, made) VALUES (51, 'x', {0})", 1, Anything: true),
        new("UPDATE items SET price = {0} WHERE id = {1}", 2, "01"),
        new("UPDATE items SET feeling = {0} WHERE id = 1 RETURNING feeling", 1, Anything: true),
        new("DELETE FROM child WHERE id = {0}", 1, "0"),
        new("SELECT '{0}', \"id\" FROM items WHERE id = {0}", 1, "0"),
        new("SELECT {0} -- {1}\n, {1}", 2, "01"),
        new("SELECT {0}::int; SELECT {1}::text", 2, "0"),
        new("SELECT 1 / {0}::int", 1, "0"),
        new("SELECT {0} IS NULL", 1, Anything: true),
        new("SELECT n FROM generate_series(1, {0}::int) n", 1, "0"),
        new("SELECT * FROM outs({0})", 1, "0"),
        new("CALL bump({0}, {1})", 2, "0"),
    ];
}
