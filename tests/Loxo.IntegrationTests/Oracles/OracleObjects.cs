using Loxo.Pool;

namespace Loxo.IntegrationTests.Oracles;

/// <summary>An operator, a cast or an aggregate that a user has made over a function.</summary>
/// <param name="Function">What it calls.</param>
/// <param name="Kind">The way in which it calls the function.</param>
/// <param name="Make">The statement that makes it.</param>
/// <param name="Texts">Statements that reach the function by it.</param>
internal sealed record OracleObject(string Function, string Kind, string Make, string[] Texts);

/// <summary>The ways in which a user can put an operator, a cast or an aggregate in front of a function, so that plain texts reach it.</summary>
internal static class OracleObjects
{
    /// <summary>The function that the aggregates need for their states.</summary>
    public const string Schema = "CREATE FUNCTION oracle_last(anyelement, anyelement) RETURNS anyelement LANGUAGE sql IMMUTABLE AS 'SELECT $2'";

    private static readonly string[] Targets = ["bool", "int4", "int8", "text", "float4", "float8", "bytea", "name", "oid"];

    private static readonly char[] Signs = ['#', '%', '&', '~', '|'];

    /// <summary>Everything that can be made over one function, called with those arguments.</summary>
    /// <param name="function">Its name and the types of its arguments.</param>
    /// <param name="arguments">As many as it takes.</param>
    /// <param name="number">Makes the names unique.</param>
    public static IEnumerable<OracleObject> Over(OracleFunction function, OracleArgument[] arguments, int number)
    {
        var name = $"{function.Schema}.\"{function.Name}\"";
        var types = Array.ConvertAll(function.Types, OracleArguments.TypeName);
        var made = new List<OracleObject>();
        if (types.Length is 1 or 2)
            made.Add(Operator(function, name, types, arguments, OperatorName(number)));
        if (types.Length == 1)
            made.AddRange(Targets.Where(to => to != function.Types[0] && !IsOfTheAudit(function.Types[0], to)).Select(to => Cast(function, name, types[0], to, arguments[0])));
        if (types.Length > 0)
            made.AddRange(Aggregates(function, name, types, arguments, $"oracle_{number}"));
        return made;
    }

    // The audit and the questions for a session's state have such casts themselves: over a function that fails, they would fail with it, and Auto would be Always.
    private static bool IsOfTheAudit(string from, string to) => from is "oid" or "name" or "xml" or "regclass" || from == "text" && to == "int4";

    private static OracleObject Operator(OracleFunction function, string name, string[] types, OracleArgument[] a, string sign)
    {
        var sides = types.Length == 1 ? $"RIGHTARG = {types[0]}" : $"LEFTARG = {types[0]}, RIGHTARG = {types[1]}";
        var left = types.Length == 1 ? "" : a[0].Sql + " ";
        var right = a[^1].Sql;
        string[] texts =
        [
            $"SELECT {left}{sign} {right}", $"SELECT {left}OPERATOR(public.{sign}) {right}", $"SELECT {left}OPERATOR ( public . {sign} ) {right}", $"SELECT {left}OPERATOR(\"public\".{sign}) ({right})",
            $"SELECT 1 WHERE ({left}{sign} {right}) IS NULL", $"SELECT count(*) FILTER (WHERE ({left}{sign} {right}) IS NULL) FROM t", $"SELECT 1 FROM t ORDER BY ({left}{sign} {right})::text",
            $"INSERT INTO t (a) VALUES (({left}{sign} {right})::text)", $"UPDATE t SET a = ({left}OPERATOR(public.{sign}) {right})::text", $"EXPLAIN ANALYZE SELECT {left}{sign} {right}", $"COPY (SELECT {left}{sign} {right}) TO '/dev/null'",
            types.Length == 1 ? $"SELECT * FROM (SELECT {sign} {right}) x" : $"SELECT {a[0].Sql} {sign} ANY (ARRAY[{right}])",
        ];
        return new OracleObject(function.Name, types.Length == 1 ? "prefix operator" : "operator", $"CREATE OPERATOR public.{sign} (FUNCTION = {name}, {sides})", texts);
    }

    private static OracleObject Cast(OracleFunction function, string name, string from, string to, OracleArgument a) => new(
        function.Name, "cast", $"CREATE CAST ({from} AS {to}) WITH FUNCTION {name}({from}) AS ASSIGNMENT",
        [
            $"SELECT CAST({a.Sql} AS {to})", $"SELECT ({a.Sql})::{to}", $"SELECT x::{to} FROM (SELECT {a.Sql} AS x) g", $"SELECT 1 WHERE ({a.Sql})::{to} IS NULL", $"SELECT (ARRAY[{a.Sql}])::{to}[]",
            $"WITH x (v) AS (SELECT {a.Sql}) UPDATE t SET a = v::{to}::text FROM x",
        ]);

    private static IEnumerable<OracleObject> Aggregates(OracleFunction function, string name, string[] types, OracleArgument[] a, string made)
    {
        var rest = string.Join(", ", types.Skip(1));
        var values = string.Join(", ", a.Skip(1).Select(x => x.Sql));
        var initial = a[0].Literal is { } literal ? $", INITCOND = {OracleArguments.Quote(literal)}" : "";
        // Under the name of a built-in function, so that a call of it is plain.
        if (types.Length > 1)
        {
            yield return Aggregate("transition", "lower", rest, $"SFUNC = {name}, STYPE = {types[0]}{initial}", values);
            yield return Aggregate("moving aggregate's transition", "upper", rest,
                $"SFUNC = {name}, STYPE = {types[0]}{initial}, MSFUNC = {name}, MINVFUNC = {name}, MSTYPE = {types[0]}{initial.Replace("INITCOND", "MINITCOND", StringComparison.Ordinal)}", values);
            yield return new OracleObject(function.Name, "final function of an ordered set",
                $"CREATE AGGREGATE public.initcap({rest} ORDER BY {types[0]}) (SFUNC = oracle_last, STYPE = {types[0]}, FINALFUNC = {name})",
                [$"SELECT initcap({values}) WITHIN GROUP (ORDER BY {a[0].Sql}) FROM t", $"SELECT initcap({values}) WITHIN GROUP (ORDER BY {a[0].Sql}) FILTER (WHERE id > 0) FROM t"]);
        }
        else
        {
            yield return Aggregate("final function", "reverse", types[0], $"SFUNC = oracle_last, STYPE = {types[0]}, FINALFUNC = {name}", a[0].Sql);
            yield return Aggregate("moving aggregate's final function", "btrim", types[0],
                $"SFUNC = oracle_last, STYPE = {types[0]}, MSFUNC = oracle_last, MINVFUNC = oracle_last, MSTYPE = {types[0]}, MFINALFUNC = {name}", a[0].Sql);
        }
        yield return new OracleObject(function.Name, "aggregate of its own name", $"CREATE AGGREGATE public.{made}({types[0]}) (SFUNC = oracle_last, STYPE = {types[0]}, FINALFUNC = {name})", [$"SELECT {made}({a[0].Sql}) FROM t"]);

        OracleObject Aggregate(string kind, string aggregate, string arguments, string definition, string call) => new(
            function.Name, kind, $"CREATE AGGREGATE public.{aggregate}({arguments}) ({definition})",
            [
                $"SELECT {aggregate}({call}) FROM t", $"SELECT {aggregate}({call}) FILTER (WHERE id > 0) FROM t", $"SELECT {aggregate}({call} ORDER BY id) FROM t", $"SELECT {aggregate}(DISTINCT {call}) FROM t",
                $"SELECT {aggregate}({call}) OVER () FROM t", $"SELECT {aggregate}({call}) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t", $"SELECT {aggregate}({call}) OVER w FROM t WINDOW w AS (PARTITION BY a)",
                $"SELECT {aggregate}(ALL {call}) FROM t GROUP BY a HAVING {aggregate}({call}) IS NULL", $"SELECT public.{aggregate}({call}) FROM t",
            ]);
    }

    // In a notation of five digits. No comment begins in it, and it does not end in + or -.
    private static string OperatorName(int number)
    {
        var name = "#";
        for (var rest = number + 1; rest > 0; rest /= Signs.Length)
            name += Signs[rest % Signs.Length];
        return name;
    }

    /// <summary>The name of what the audit finds in the database, to go on behind DROP; null if it finds nothing.</summary>
    public static string? Found(PgConnection connection)
    {
        using var command = new PgCommand(DatabaseAudit.Query, connection);
        return command.ExecuteScalar() as string;
    }
}
