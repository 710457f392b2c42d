using System.Text;
using System.Text.RegularExpressions;
using Loxo.Tests.Sql;

namespace Loxo.IntegrationTests.Fuzz;

/// <summary>
/// Statements at random, most of them right SQL for the tables t and u, many of them made to leave something in the session, some of them
/// bent afterwards. The same seed gives the same ones.
/// </summary>
internal sealed partial class StatementGenerator(int seed, IReadOnlyList<string> calls)
{
    private readonly IReadOnlyList<string> _calls = calls;

    private static readonly string[] Constants = ["1", "0", "'a'", "NULL", "true", "1.5", "$$b$$", "E'c\\''", "B'1'", "ARRAY[1, 2]", "ROW(1, 'a')", "'{\"a\":1}'::jsonb", "current_user", "now()"];

    private static readonly string[] Columns =
    [
        "x", "x.*::text", "\"x\"", "ROW(x)", "x.id", "x.\"id\"", "\"x\".\"id\"", "(x).id", "(x.id)", "x . id", "x.name", "x.lower", "x.text", "(x).text", "x.count", "(x.id).int8", "(x.id)::int", "(x.*)::text",
    ];

    private static readonly string[] TypedLiterals =
    [
        "int '1'", "pg_catalog.int4 '1'", "\"numeric\" '1.5'", "numeric(3, 1) '1.5'", "bool 'true'", "regclass 't'", "interval '1' day", "interval(3) '1'", "pg_catalog.\"text\" 'a'", "date '2000-01-01'",
        "time with time zone '12:00'", "bit varying(3) B'101'", "U&'\\0061'", "text E'a\\'b'", "jsonb '{\"a\": 1}'", "int4range '[1,2)'", "\"char\" 'a'",
    ];

    // What a call in attribute notation may stand behind; {0} is the argument.
    private static readonly string[] Subjects =
    [
        "({0})", "(({0}))", "(ARRAY[{0}])[1]", "(SELECT {0})", "(CASE WHEN true THEN {0} END)", "(coalesce({0}, NULL))", "(SELECT (y.z) FROM (SELECT {0}) y (z))", "({0})/**/", "({0}) -- )\n", "(ROW({0}))",
        "(VALUES ({0}))",
    ];

    private static readonly string[] Types = ["int", "text", "varchar(5)", "pg_catalog.text", "pg_catalog.varchar (9)", "character varying (3)", "numeric(10, 2)", "\"text\""];

    private static readonly string[] Operators = ["=", "<>", "||", "+", "<", "->>", "OPERATOR(pg_catalog.=)", "IS DISTINCT FROM", "AND", "OR", "@>", "@@", "LIKE"];

    // What leaves something, in places where a call may stand.
    private static readonly string[] Harmful =
    [
        "\"pg_try_advisory_lock\"(42)", "pg_catalog.\"pg_try_advisory_lock\"(42)", "U&\"pg_try\\005fadvisory\\005flock\"(42)", "pg_catalog . pg_try_advisory_lock /* ' */ (42)",
        "@pg_try_advisory_lock(42)::int", "PG_TRY_ADVISORY_LOCK(42)", "pg_advisory_lock(42)", "pg_try_advisory_lock(42)", "pg_try_advisory_lock(4, 2)", "set_config('fuzz.x', 'y', false)", "set_config('enable_sort', 'off', false)",
        "query_to_xml('SELECT pg_advisory_lock(42)', true, true, '')", "setseed(0.1)", "TREAT(42 AS pg_try_advisory_lock)", "set_config('fuzz.x', 'y', 'f')",
        "(0.7::real).set_limit", "(SELECT y.set_limit FROM (VALUES (0.7::real)) y (z))", "(true).isn_weak", "set_limit(0.7)", "(x.id).pg_try_advisory_lock", "x.pg_try_advisory_lock", "(0.7::real)./**/\"set_limit\"",
        "(0.5::float8).setseed", "('SELECT set_config(''fuzz.x'', ''y'', false)::tsvector'::text).ts_stat", "(0.7::real).U&\"set!005flimit\" UESCAPE '!'",
        "U&\"set!005fconfig\" UESCAPE '!' ('fuzz.x', 'y', false)",
        "ts_rewrite('a'::tsquery, 'SELECT ''a''::tsquery, set_config(''fuzz.x'', ''y'', false)::tsquery')", "(SELECT count(*) FROM ts_stat('SELECT set_config(''fuzz.x'', ''y'', false)::tsvector'))",
    ];

    private static readonly string[] Local = ["set_config('fuzz.x', 'y', true)", "pg_advisory_xact_lock(42)", "pg_notify('fuzz', 'x')", "set_config('enable_sort', 'off', TRUE)"];

    private static readonly string[] Utilities =
    [
        "BEGIN", "COMMIT", "ROLLBACK", "END", "ABORT", "START TRANSACTION READ ONLY", "SAVEPOINT s", "ROLLBACK TO s", "RELEASE s", "SET LOCAL enable_sort = off", "SET LOCAL ROLE pg_monitor",
        "SET LOCAL fuzz.x = 'y'", "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SET CONSTRAINTS ALL DEFERRED", "SHOW enable_sort", "NOTIFY fuzz", "LOCK TABLE t", "DECLARE c CURSOR FOR {q}",
        "FETCH ALL FROM c", "MOVE 1 IN c", "CLOSE c", "CLOSE ALL", "EXPLAIN {q}", "EXPLAIN ANALYZE {q}", "EXPLAIN (ANALYZE, VERBOSE) {q}", "EXPLAIN ({q})", "COPY ({q}) TO '/dev/null'",
        "COPY t (a) TO '/dev/null' WITH (FORMAT csv, FORCE_QUOTE (a))", "COPY t FROM '/dev/null' WHERE {e} IS NULL", "SET enable_sort = off", "SET SESSION fuzz.x = 'y'", "SET local.x = 1",
        "SET ROLE pg_monitor", "SET SESSION AUTHORIZATION pg_monitor", "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", "SET TIME ZONE 'Asia/Tokyo'", "RESET enable_sort", "LISTEN fuzz",
        "PREPARE fuzz AS {q}", "EXECUTE fuzz", "DECLARE c CURSOR WITH HOLD FOR {q}", "CREATE TEMP TABLE fuzz (a int)", "CREATE TEMP VIEW fuzz AS {q}", "CREATE TABLE pg_temp.fuzz AS {q}",
        "SELECT {e} AS a INTO TEMP fuzz", "SELECT {e} AS a INTO pg_temp.fuzz FROM t", "WITH w AS (SELECT 1) SELECT * INTO TEMP fuzz FROM w", "EXPLAIN ANALYZE SELECT 1 AS a INTO TEMP fuzz",
        "UPDATE pg_settings SET setting = 'off' WHERE name = 'enable_sort'", "UPDATE pg_catalog.\"pg_settings\" SET setting = 'off' WHERE name = 'enable_sort'",
        "WITH w AS (UPDATE pg_settings SET setting = 'off' WHERE name = 'enable_sort' RETURNING name) SELECT * FROM w", "DO $$ BEGIN PERFORM {e}; END $$", "LOAD 'auto_explain'",
        "SELECT set_config('fuzz.x', 'y', {e})", "SELECT pg_create_physical_replication_slot('fuzz', true, true)", "TABLE t", "VALUES ({e}), ({e})", "DISCARD PLANS", "UNLISTEN *",
    ];

    private static readonly string[] Scraps =
    [
        "INTO", "INTO TEMP fuzz", "pg_advisory_lock(42)", "\"pg_try_advisory_lock\"(42)", "LOCAL", "WITH HOLD", "true", "false", "(", ")", ",", ".", "AS", "::", "SELECT", "insert", "'", "\"", "$$", "/*", "*/",
        "--\n", ";", "@", ":", "1", "ON", "U&\"set\\005fconfig\"('fuzz.x', 'y', false)", "pg_catalog", "pg_settings", "UPDATE pg_settings SET setting = 'off'", "f", "OVER", "DISTINCT", "FROM t",
    ];

    private static readonly string[] Places = [.. FunctionNotations.AllPlaces];

    private readonly Random _random = new(seed);

    /// <summary>A call in one of the notations, in one of the places, bent.</summary>
    public string NextNotation() =>
        Bend(Pick(Places).Replace("{0}", Pick(FunctionNotations.Calls), StringComparison.Ordinal));

    public string Next()
    {
        var text = _random.Next(10) switch
        {
            < 5 => Query(2),
            5 => $"INSERT INTO t {Pick("(a)", "AS x (a)", "(a)")} {Pick($"VALUES ({Expression(2)}::text)", $"SELECT {Expression(2)}::text", $"WITH w (b) AS ({Query(1)}) SELECT 'a'")}{Returning()}",
            6 => $"UPDATE {Pick("t", "ONLY t", "public.t AS x")} SET {Pick($"a = {Expression(2)}::text", $"(a) = ROW({Expression(2)}::text)")} WHERE {Expression(1)} IS NULL{Returning()}",
            7 => Pick($"DELETE FROM t USING {From()} WHERE false{Returning()}",
                $"MERGE INTO t USING u AS x (id, b) ON t.id = x.id WHEN MATCHED THEN UPDATE SET a = {Expression(1)}::text WHEN NOT MATCHED THEN INSERT (a) VALUES ({Expression(1)}::text)"),
            _ => Hole().Replace(Pick(Utilities), hole => _random.Next(2) == 0 ? Simple(hole.Value) : hole.Value == "{q}" ? Query(1) : Expression(1)),
        };
        return _random.Next(10) switch
        {
            < 3 => Bend(text),
            3 => Space().Replace(text, _ => Pick(" ", "\n", "/**/", " -- '\n", "\t")),
            4 => string.Concat(text.Select(c => _random.Next(2) == 0 && !IsQuoted(text) ? char.ToUpperInvariant(c) : c)),
            _ => text,
        };
    }

    private string Simple(string hole) => hole == "{q}" ? Pick("SELECT 1 AS a", "SELECT lower(a) AS a FROM t", $"SELECT {Pick(Harmful)} AS a") : Pick("true", "a", "1", Pick(Harmful));

    private string Query(int depth) => _random.Next(8) switch
    {
        0 when depth > 0 => $"WITH {Pick("", "RECURSIVE ")}w {Pick("", "(b)")} AS {Pick("", "MATERIALIZED ")}({Query(depth - 1)}) {Select(depth)}",
        1 when depth > 0 => $"({Query(depth - 1)}) {Pick("UNION ALL", "EXCEPT")} ({Query(depth - 1)})",
        2 => $"VALUES ({Expression(depth)})",
        _ => Select(depth),
    };

    private string Select(int depth) => $"SELECT {Pick("", "", "", "DISTINCT ON (x.*) ", "ALL ")}{Expression(depth)} {Pick("", "AS b", "b", "AS insert", "AS \"into\"")} FROM {From()} "
        + Pick("", "", $"WHERE {Expression(1)} IS NOT NULL", $"GROUP BY GROUPING SETS ((1), ()) HAVING {Expression(0)} IS NULL", $"ORDER BY {Expression(1)}::text LIMIT (1)", $"OFFSET length({Expression(0)}::text)");

    private string From() => Pick("t x", "t AS x (id, a)", "u x", "t x JOIN u ON (x.id = u.id)", "generate_series(1, 2) x (id)", "ROWS FROM (unnest(ARRAY[1, 2])) WITH ORDINALITY x (id, a)",
        "t x TABLESAMPLE system (50) REPEATABLE (1)", "(SELECT 1 AS id, 'a' AS a) x", "json_to_recordset('[{\"id\":1}]') AS x (id int, a varchar(3))", $"{Call()} AS x");

    private string Expression(int depth) => _random.Next(depth > 0 ? 16 : 7) switch
    {
        0 => Pick(Constants),
        1 => Pick(TypedLiterals),
        2 => Pick(Columns),
        < 5 => Call(),
        5 => Pick(Harmful),
        6 => Pick(Local),
        7 => $"({Query(depth - 1)} LIMIT 1)",
        8 => $"CASE WHEN {Expression(depth - 1)} IS NULL THEN {Expression(depth - 1)} ELSE {Expression(depth - 1)} END",
        9 => $"CAST({Expression(depth - 1)} AS {Pick(Types)})",
        10 => $"{Expression(depth - 1)}::{Pick(Types)}",
        11 => $"{Expression(depth - 1)} {Pick(Operators)} {Expression(depth - 1)}",
        13 => Attribute(),
        14 => Pick($"count(*) FILTER (WHERE {Expression(depth - 1)} IS NULL)", $"string_agg({Expression(depth - 1)}::text, ',' ORDER BY {Expression(depth - 1)}::text)",
            $"percentile_disc(0.5) WITHIN GROUP (ORDER BY {Expression(depth - 1)}::text)", $"lag({Expression(depth - 1)}) OVER (ORDER BY {Expression(depth - 1)}::text)"),
        12 => $"coalesce({Expression(depth - 1)}::text, {Expression(depth - 1)}::text)",
        _ => $"(ARRAY[{Expression(depth - 1)}])[1:{Expression(0)}::int]",
    };

    private string Call()
    {
        var call = Pick(_calls);
        return _random.Next(12) switch
        {
            0 => "pg_catalog." + call,
            1 when call[0] != '"' => $"\"{call[..call.IndexOf('(', StringComparison.Ordinal)]}\"{call[call.IndexOf('(', StringComparison.Ordinal)..]}",
            2 => call.Replace("(", " /* ) */ (", StringComparison.Ordinal),
            3 => "pg_catalog . /* . */ " + call,
            _ => call,
        };
    }

    /// <summary>A call with one argument, as an attribute of that argument.</summary>
    private string Attribute()
    {
        if (_random.Next(3) == 0)
            return Pick(FunctionNotations.Calls);
        var call = Pick(_calls);
        var parenthesis = call.IndexOf('(', StringComparison.Ordinal);
        var name = call[..parenthesis].Trim('"');
        var argument = call[(parenthesis + 1)..call.LastIndexOf(')')];
        var subject = Pick(Subjects).Replace("{0}", argument.Length > 0 ? argument : "1", StringComparison.Ordinal);
        return subject + Pick(".", " . ", "./**/", "\n.\n") + Pick(name, name, name.ToUpperInvariant(), $"\"{name}\"", $"U&\"{name}\"", $"U&\"{name}\" UESCAPE '!'");
    }

    private string Returning() => Pick("", "", $" RETURNING {Expression(1)}");

    /// <summary>Drops, doubles, swaps or adds words.</summary>
    private string Bend(string text)
    {
        var words = text.Split(' ').ToList();
        for (var bends = _random.Next(1, 4); bends > 0 && words.Count > 1; bends--)
        {
            var at = _random.Next(words.Count);
            switch (_random.Next(4))
            {
                case 0:
                    words.RemoveAt(at);
                    break;
                case 1:
                    words.Insert(at, words[_random.Next(words.Count)]);
                    break;
                case 2:
                    var other = _random.Next(words.Count);
                    (words[at], words[other]) = (words[other], words[at]);
                    break;
                default:
                    words.Insert(at, Pick(Scraps));
                    break;
            }
        }
        return string.Join(' ', words);
    }

    private static bool IsQuoted(string text) => text.AsSpan().IndexOfAny('\'', '"', '$') >= 0;

    private string Pick(params IReadOnlyList<string> from) => from[_random.Next(from.Count)];

    [GeneratedRegex(@"\{[qe]\}")]
    private static partial Regex Hole();

    [GeneratedRegex(@"(?<=\w) (?=[\w(])")]
    private static partial Regex Space();
}
