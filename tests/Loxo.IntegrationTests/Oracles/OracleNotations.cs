namespace Loxo.IntegrationTests.Oracles;

/// <summary>One text that reaches a function.</summary>
/// <param name="Function">The name of the function.</param>
/// <param name="Notation">The way in which the function is written.</param>
/// <param name="Text">The SQL.</param>
/// <param name="Parameter">The value of the parameter <c>p</c>; null if there is none.</param>
internal sealed record OracleText(string Function, string Notation, string Text, PgParameter? Parameter = null);

/// <summary>The ways in which PostgreSQL's grammar lets a text reach a function, and the places where an expression may stand.</summary>
internal sealed class OracleNotations(string database)
{
    private delegate string? Form(OracleFunction function, OracleArgument[] arguments);

    // {e} is the expression, of whatever type; {b} is a bool made from it.
    private static readonly string[] Places =
    [
        "SELECT {e}", "SELECT 1 WHERE {b}", "SELECT count(*) FROM t GROUP BY a HAVING {b}", "SELECT 1 FROM t GROUP BY {b}", "SELECT 1 FROM t ORDER BY {b}", "SELECT 1 FROM t LIMIT CASE WHEN {b} THEN 1 ELSE 2 END",
        "SELECT 1 FROM t OFFSET CASE WHEN {b} THEN 1 ELSE 2 END", "SELECT 1 FROM t FETCH FIRST (CASE WHEN {b} THEN 1 ELSE 2 END) ROWS ONLY", "VALUES ({e})", "SELECT DISTINCT ON ({b}) 1 FROM t",
        "SELECT count(*) FILTER (WHERE {b}) FROM t", "SELECT array_agg(1 ORDER BY {b}) FROM t", "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY CASE WHEN {b} THEN 1 ELSE 2 END) FROM t",
        "SELECT bool_and({b}) FROM t", "SELECT count(*) OVER (PARTITION BY {b} ORDER BY {b}) FROM t", "SELECT lag({b}) OVER w FROM t WINDOW w AS (ORDER BY {b})",
        "SELECT count(*) OVER (ORDER BY id ROWS BETWEEN CASE WHEN {b} THEN 1 ELSE 2 END PRECEDING AND CURRENT ROW) FROM t",
        "SELECT CASE WHEN {b} THEN 1 END", "SELECT coalesce({b}, true)", "SELECT nullif({b}, true)", "SELECT greatest({b}, true)", "SELECT ({b}) IS DISTINCT FROM true", "SELECT true IN ({b})", "SELECT true = ANY (ARRAY[{b}])",
        "SELECT ({b}) BETWEEN false AND true", "SELECT (SELECT {b})", "SELECT EXISTS (SELECT {e})", "SELECT ARRAY(SELECT {b})", "SELECT ROW({e})", "SELECT (ARRAY[1, 2])[CASE WHEN {b} THEN 1 ELSE 2 END]", "SELECT NOT {b}",
        "SELECT 1 OPERATOR(pg_catalog.=) CASE WHEN {b} THEN 1 ELSE 2 END", "SELECT CAST({b} AS text)", "SELECT ({b})::int::text COLLATE \"C\"", "SELECT xmlelement(name a, {b})", "SELECT extract(epoch FROM CASE WHEN {b} THEN now() END)",
        "SELECT overlay('abc' PLACING 'x' FROM CASE WHEN {b} THEN 1 ELSE 2 END)", "SELECT trim(BOTH 'x' FROM ({b})::text)", "SELECT x.* FROM xmltable('/a' PASSING xmlelement(name a, {b}) COLUMNS b text PATH '.') x",
        "SELECT * FROM t JOIN t u ON {b}", "SELECT * FROM t, LATERAL (SELECT {e}) x", "SELECT * FROM (VALUES ({b})) x", "SELECT * FROM t TABLESAMPLE system (CASE WHEN {b} THEN 1 ELSE 2 END)",
        "SELECT * FROM generate_series(1, CASE WHEN {b} THEN 1 ELSE 2 END) WITH ORDINALITY", "SELECT * FROM ROWS FROM (generate_series(1, CASE WHEN {b} THEN 1 ELSE 2 END), unnest(ARRAY[1]))",
        "WITH w AS (SELECT {e}) SELECT * FROM w", "WITH RECURSIVE w (b) AS (SELECT {b} UNION ALL SELECT false FROM w WHERE b) SELECT * FROM w", "WITH w AS MATERIALIZED (SELECT {e}) SELECT 1 FROM w", "SELECT 1 UNION ALL (SELECT 2 WHERE {b})",
        "INSERT INTO t (a) VALUES (({b})::text)", "INSERT INTO t (a) SELECT 'x' WHERE {b}", "INSERT INTO t (a) VALUES ('x') RETURNING {e}",
        "INSERT INTO t (id, a) OVERRIDING SYSTEM VALUE VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET a = ({b})::text WHERE {b}", "UPDATE t SET a = ({b})::text", "UPDATE t SET (a) = (SELECT ({b})::text)", "UPDATE t SET a = 'a' WHERE {b}",
        "UPDATE t SET a = 'a' RETURNING {e}", "DELETE FROM t WHERE id > 1000 OR ({b}) IS NULL", "DELETE FROM t USING (SELECT {e}) x WHERE id > 1000", "DELETE FROM t WHERE id > 100 RETURNING {e}",
        "MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id AND {b} WHEN MATCHED THEN DO NOTHING", "MERGE INTO t USING t s ON t.id = s.id WHEN MATCHED AND {b} THEN DO NOTHING",
        "MERGE INTO t USING t s ON t.id = s.id WHEN MATCHED THEN UPDATE SET a = ({b})::text", "MERGE INTO t USING (SELECT -1 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (a) VALUES (({b})::text)",
        "COPY (SELECT {e}) TO '/dev/null'", "COPY (VALUES ({e})) TO '/dev/null' WITH (FORMAT csv)", "COPY (INSERT INTO t (a) VALUES ('x') RETURNING {e}) TO '/dev/null'", "EXPLAIN ANALYZE SELECT {e}",
        "EXPLAIN (ANALYZE, VERBOSE, FORMAT json) SELECT 1 WHERE {b}", "EXPLAIN (ANALYZE) INSERT INTO t (a) VALUES (({b})::text)", "EXPLAIN SELECT {e}", "BEGIN; DECLARE c CURSOR FOR SELECT {e}; FETCH ALL FROM c; COMMIT",
        "SELECT * FROM json_table('[1]'::jsonb, '$[*]' PASSING {b} AS x COLUMNS (a int PATH '$'))", "SELECT * FROM json_table('[1]'::jsonb, '$[*]' COLUMNS (a text PATH '$.x' DEFAULT {e}::text ON EMPTY))",
        "SELECT json_value('{}'::jsonb, '$.a' DEFAULT {e}::text ON EMPTY)", "SELECT json_array({b}), json_object('a': {b})", "SELECT json_arrayagg({b}) FROM t", "SELECT count(*) FROM t GROUP BY ROLLUP (({b}))",
        "BEGIN; SELECT {e}; ROLLBACK", "BEGIN; SAVEPOINT s; SELECT {e}; ROLLBACK TO s; COMMIT", "SELECT 1; SELECT {e}; SELECT 2", "SELECT {e}; SELECT 1 / 0", "(SELECT {e})", "SELECT ALL {e}, 1 AS \"into\"",
    ];

    // Statements that are never plain, whatever is in them: the reset has to undo their traces.
    private static readonly string[] OtherPlaces =
    [
        "PREPARE oracle AS SELECT {e}; EXECUTE oracle; DEALLOCATE oracle", "PREPARE oracle (bool) AS SELECT $1; EXECUTE oracle({b}); DEALLOCATE oracle", "CREATE TEMP TABLE oracle AS SELECT {b} AS b", "SELECT {b} AS b INTO TEMP oracle",
        "CREATE TEMP TABLE oracle (b bool DEFAULT {b}); INSERT INTO oracle DEFAULT VALUES", "BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT {e}; COMMIT; FETCH ALL FROM c", "DO $oracle$BEGIN PERFORM {e}; END$oracle$",
    ];

    private static readonly Form[] Calls =
    [
        (f, a) => $"{f.Name}({List(a)})", (f, a) => $"\"{f.Name}\"({List(a)})", (f, a) => $"{Unicode(f.Name, '\\')}({List(a)})", (f, a) => $"{Unicode(f.Name, '!')} UESCAPE '!' ({List(a)})",
        (f, a) => $"{Unicode(f.Name, '#')}/* ' */uescape--\n'#'\n({List(a)})",
        (f, a) => $"{f.Schema}.{f.Name}({List(a)})", (f, a) => $"{f.Schema}.\"{f.Name}\"({List(a)})", (f, a) => $"\"{f.Schema}\" . {f.Name} ({List(a)})", (f, a) => $"{f.Schema}.{Unicode(f.Name, '\\')}({List(a)})",
        (f, a) => $"{Unicode(f.Schema, '!')} UESCAPE '!' . {Unicode(f.Name, '?')} UESCAPE '?' ({List(a)})",
        (f, a) => $"{f.Name.ToUpperInvariant()} ({List(a)})", (f, a) => $"{f.Name} /* ( */ -- )\n ({List(a)})",
        (f, a) => f.ArgumentNames.Length == a.Length && a.Length > 0 ? $"{f.Name}({string.Join(", ", a.Select((x, i) => $"\"{f.ArgumentNames[i]}\" => {x.Sql}"))})" : null,
        (f, a) => f.ArgumentNames.Length == a.Length && a.Length > 0 ? $"{f.Name}({string.Join(", ", a.Select((x, i) => $"{f.ArgumentNames[i]} := {x.Sql}"))})" : null,
        (f, a) => f.IsVariadic ? $"{f.Name}({string.Join(", ", a.Select((x, i) => i == a.Length - 1 ? $"VARIADIC {x.Sql}" : x.Sql))})" : null,
        (f, a) => a.Length > 0 ? $"{f.Name}({string.Join(", ", a.Select(x => x.Literal is { } literal ? $"CAST({OracleArguments.Quote(literal)} AS {OracleArguments.TypeName(x.Type)})" : x.Sql))})" : null,
        (f, a) => a is [{ } x] ? $"TREAT({x.Sql} AS {f.Name})" : null, (f, a) => a is [{ } x] ? $"TREAT({x.Sql} AS {f.Schema}.\"{f.Name}\")" : null,
        // No such types exist, so that these fail; nobody may make them succeed.
        (f, a) => $"{f.Name} '1'", (f, a) => $"{f.Schema}.{f.Name} '1'", (f, a) => $"{f.Name} ({List(a)}) '1'", (f, a) => a is [{ } x] ? $"{x.Sql}::{f.Name}" : null, (f, a) => a is [{ } x] ? $"CAST({x.Sql} AS {f.Schema}.{f.Name})" : null,
    ];

    // Attribute notation: x.f is f(x) for every type (manual, "Using Composite Types in Queries").
    private static readonly Form[] Attributes =
    [
        (f, a) => $"({a[0].Sql}).{f.Name}", (f, a) => $"({a[0].Sql}).\"{f.Name}\"", (f, a) => $"({a[0].Sql}).{Unicode(f.Name, '\\')}", (f, a) => $"({a[0].Sql}).{Unicode(f.Name, '!')} UESCAPE '!'",
        (f, a) => $"({a[0].Sql}) . /* ' */ {f.Name.ToUpperInvariant()}", (f, a) => $"(({a[0].Sql})).{f.Name}", (f, a) => $"(SELECT {a[0].Sql}).{f.Name}", (f, a) => $"(SELECT {a[0].Sql} AS x LIMIT 1).\"{f.Name}\"",
        (f, a) => $"(CASE WHEN true THEN {a[0].Sql} END).{f.Name}", (f, a) => $"(coalesce({a[0].Sql})).{f.Name}", (f, a) => $"(CAST({a[0].Sql} AS {OracleArguments.TypeName(a[0].Type)})).{f.Name}",
        (f, a) => $"(ARRAY[{a[0].Sql}])[1].{f.Name}", (f, a) => $"(ARRAY[{a[0].Sql}]) [1] . \"{f.Name}\"", (f, a) => $"((ARRAY[{a[0].Sql}])[1]).{f.Name}", (f, a) => $"(SELECT ARRAY[{a[0].Sql}])[1].{Unicode(f.Name, '\\')}",
        (f, a) => a[0].Literal is { } x ? $"({a[0].Type} {OracleArguments.Quote(x)}).{f.Name}" : null, (f, a) => a[0].Literal is { } x ? $"(pg_catalog.{a[0].Type}{OracleArguments.Quote(x)}).\"{f.Name}\"" : null,
        (f, a) => $"(SELECT g.{f.Name} FROM unnest(ARRAY[{a[0].Sql}]) g)", (f, a) => $"(SELECT g.\"{f.Name}\" FROM unnest(ARRAY[{a[0].Sql}]) AS g)", (f, a) => $"(SELECT \"g\" . {f.Name} FROM unnest(ARRAY[{a[0].Sql}]) \"g\")",
        (f, a) => $"(SELECT g.{Unicode(f.Name, '\\')} FROM unnest(ARRAY[{a[0].Sql}]) g)", (f, a) => $"(SELECT g.{Unicode(f.Name, '!')} UESCAPE '!' FROM unnest(ARRAY[{a[0].Sql}]) g)",
        (f, a) => $"(SELECT (g).{f.Name} FROM unnest(ARRAY[{a[0].Sql}]) g)", (f, a) => $"(SELECT (g.x).{f.Name} FROM (SELECT {a[0].Sql} AS x) g)", (f, a) => $"(SELECT (g).x.{f.Name} FROM (SELECT {a[0].Sql} AS x) g)",
        (f, a) => $"(SELECT (x).{f.Name} FROM (SELECT {a[0].Sql} AS x) g)", (f, a) => $"(SELECT x[1].{f.Name} FROM (SELECT ARRAY[{a[0].Sql}] AS x) g)", (f, a) => $"(SELECT g.x[1].{f.Name} FROM (SELECT ARRAY[{a[0].Sql}] AS x) g)",
        (f, a) => $"(SELECT (g.x[1]).\"{f.Name}\" FROM (SELECT ARRAY[{a[0].Sql}] AS x) g)", (f, a) => $"(SELECT {f.Name} FROM unnest(ARRAY[{a[0].Sql}]) {f.Name})", (f, a) => $"(SELECT f.{f.Name} FROM ROWS FROM (unnest(ARRAY[{a[0].Sql}])) f)",
        (f, a) => $"(WITH g AS (SELECT {a[0].Sql} AS x) SELECT (x).{f.Name} FROM g)", (f, a) => $"(SELECT ({f.Name}).{f.Name} FROM (SELECT {a[0].Sql} AS {f.Name}) g)", (f, a) => $"(({a[0].Sql}).{f.Name}).{f.Name}",
        (f, a) => a[0].Type is "int4" or "int8" && a[0].Literal is { } x ? $"(SELECT g.{f.Name} FROM generate_series({x}::{a[0].Type}, {x}::{a[0].Type}) g)" : null,
    ];

    private static readonly string[] ParameterForms = ["@p.{f}", "@p.\"{f}\"", "@p . {u}", "(@p).{f}", "(@p::{t}).{f}", "(ARRAY[@p])[1].{f}", "CAST(@p AS {t}).{f}", ":p.{f}", "(SELECT g.{f} FROM unnest(ARRAY[@p]) g)"];

    /// <summary>All texts for a function with those arguments.</summary>
    /// <param name="function">The function.</param>
    /// <param name="arguments">As many as the function takes.</param>
    /// <param name="turn">Chooses the notations of attributes that stand in each place.</param>
    public IEnumerable<OracleText> All(OracleFunction function, OracleArgument[] arguments, int turn)
    {
        if (function.IsProcedure)
            return [Text("CALL", $"CALL {function.Schema}.{function.Name}({List(arguments)})"), Text("\"CALL\"", $"CALL \"{function.Name}\"({List(arguments)})")];
        var texts = new List<OracleText>();
        var call = $"{function.Name}({List(arguments)})";
        texts.AddRange(Calls.Select(form => form(function, arguments)).OfType<string>().Select(e => Text("call", $"SELECT {e}")));
        texts.Add(Text("database", $"SELECT {database}.{function.Schema}.{function.Name}({List(arguments)})"));
        texts.AddRange(Places.Select(place => Text($"call in {place}", Fill(place, call))));
        texts.AddRange(FromForms(function, call).Select(sql => Text("FROM", sql)));
        texts.Add(Text("never plain", Fill(OtherPlaces[turn % OtherPlaces.Length], call)));
        if (arguments is not [{ } argument])
            return texts;
        var attributes = Attributes.Select(form => form(function, arguments)).OfType<string>().ToArray();
        texts.AddRange(attributes.Select(e => Text("attribute", $"SELECT {e}")));
        texts.AddRange(Places.Select((place, i) => Text($"attribute in {place}", Fill(place, attributes[(turn + i) % attributes.Length]))));
        texts.AddRange(Parameters(argument, function));
        return texts;

        OracleText Text(string notation, string sql) => new(function.Name, notation, sql);
    }

    private static IEnumerable<string> FromForms(OracleFunction function, string call)
    {
        var alias = function.NeedsColumns ? "x (a text)" : "x";
        return
        [
            $"SELECT * FROM {call} AS {alias}", $"SELECT 1 FROM ROWS FROM ({call}{(function.NeedsColumns ? " AS (a text)" : "")}) x", $"SELECT * FROM t, LATERAL {call} {alias}",
            $"SELECT * FROM {call} WITH ORDINALITY {(function.NeedsColumns ? "" : "x")}", $"SELECT ({call}).*", $"SELECT x.* FROM t LEFT JOIN {call} AS {alias} ON true", $"COPY (SELECT * FROM {call} AS {alias}) TO '/dev/null'",
            $"EXPLAIN ANALYZE SELECT * FROM {call} AS {alias}", $"UPDATE t SET a = 'a' FROM {call} AS {alias}", $"DELETE FROM t USING {call} AS {alias} WHERE false", $"MERGE INTO t USING (SELECT * FROM {call} AS {alias}) s ON false WHEN MATCHED THEN DO NOTHING",
        ];
    }

    private static IEnumerable<OracleText> Parameters(OracleArgument argument, OracleFunction function)
    {
        object? value = (argument.Type, argument.Literal) switch
        {
            (_, null) => null,
            ("int4", { } text) => int.Parse(text),
            ("int8", { } text) => long.Parse(text),
            ("bool", { } text) => bool.Parse(text),
            ("text", { } text) => text,
            _ => null,
        };
        if (value is null)
            return [];
        return ParameterForms.Select(form => new OracleText(function.Name, "parameter", "SELECT " + form
            .Replace("{f}", function.Name, StringComparison.Ordinal).Replace("{u}", Unicode(function.Name, '\\'), StringComparison.Ordinal).Replace("{t}", argument.Type, StringComparison.Ordinal),
            new PgParameter("p", value) { DataTypeName = argument.Type }));
    }

    private static string Fill(string place, string e) =>
        place.Replace("{b}", $"({e} IS NULL)", StringComparison.Ordinal).Replace("{e}", e, StringComparison.Ordinal);

    private static string List(OracleArgument[] arguments) => string.Join(", ", arguments.Select(argument => argument.Sql));

    // The name with one letter written as its code.
    private static string Unicode(string name, char escape)
    {
        var at = Math.Max(0, name.IndexOf('_', StringComparison.Ordinal));
        return $"U&\"{name[..at]}{escape}{(int)name[at]:x4}{name[(at + 1)..]}\"";
    }
}
