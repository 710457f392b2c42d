using Loxo.Sql;

namespace Loxo.IntegrationTests.Oracles;

/// <summary>A function of the server.</summary>
/// <param name="Schema">The schema.</param>
/// <param name="Name">The name, without quotes.</param>
/// <param name="IsProcedure">Whether CALL is the way to run it.</param>
/// <param name="IsVariadic">Whether the last argument is VARIADIC.</param>
/// <param name="NeedsColumns">Whether it returns records whose columns the query has to name.</param>
/// <param name="Types">The types of the arguments, by their names in pg_type.</param>
/// <param name="ArgumentNames">The names of the arguments; empty if they have none.</param>
internal sealed record OracleFunction(
    string Schema, string Name, bool IsProcedure, bool IsVariadic, bool NeedsColumns, string[] Types, string[] ArgumentNames)
{
    // Handlers, triggers and functions of planner and executor: they take or return what SQL cannot write.
    private const string Query =
        """
        SELECT n.nspname, p.proname, p.prokind = 'p', p.provariadic <> 0, p.prorettype = 'record'::regtype AND p.proargmodes IS NULL,
            ARRAY(SELECT t.typname::text FROM unnest(p.proargtypes) WITH ORDINALITY a (oid, place) JOIN pg_type t ON t.oid = a.oid ORDER BY place),
            CASE WHEN p.proargmodes IS NULL THEN coalesce(p.proargnames, '{}') ELSE '{}' END,
            p.provolatile = 'v' OR p.proparallel <> 's',
            EXISTS (SELECT FROM unnest(p.proargtypes || p.prorettype) t (oid) WHERE t.oid = ANY (ARRAY['internal', 'trigger', 'event_trigger', 'language_handler',
                'fdw_handler', 'index_am_handler', 'table_am_handler', 'tsm_handler']::regtype[]))
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE p.prokind IN ('f', 'p') AND n.nspname <> 'information_schema'
        ORDER BY p.proname, p.proargtypes::text
        """;

    /// <summary>
    /// Reads all functions that may do something: those that are volatile or not safe in a parallel worker, and those that the driver does not
    /// know to be harmless. <paramref name="notRun"/> says of the others why they are not run.
    /// </summary>
    public static List<OracleFunction> All(PgConnection connection, SortedDictionary<string, string> notRun)
    {
        var functions = new List<OracleFunction>();
        using var command = new PgCommand(Query, connection);
        using var reader = command.ExecuteReader();
        while (reader.Read())
        {
            var function = new OracleFunction(reader.GetString(0), reader.GetString(1), reader.GetBoolean(2), reader.GetBoolean(3), reader.GetBoolean(4),
                reader.GetFieldValue<string[]>(5), reader.GetFieldValue<string[]>(6));
            if (!reader.GetBoolean(7) && !BuiltInNames.IsOtherFunction(function.Name))
                continue;
            if (reader.GetBoolean(8))
                notRun[function.Name] = "takes or returns a type that SQL cannot write: the server calls it, as a trigger or handler";
            else if (OracleExclusions.Reason(function.Name) is { } reason)
                notRun[function.Name] = reason;
            else
                functions.Add(function);
        }
        return functions;
    }
}
