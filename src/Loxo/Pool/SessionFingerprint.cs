namespace Loxo.Pool;

/// <summary>The state of a session that a query can show. docs/session-reset.md lists the rest, such as the random seed.</summary>
internal static class SessionFingerprint
{
    // A custom setting stays in the session, as an empty text, after SET LOCAL and after RESET: an empty one counts as absent.
    // pg_settings does not list custom settings at all, so that only those whose names are known can be asked for.
    private const string CustomSettings =
        """
        (SELECT pg_catalog.string_agg(
                n || ' = ' || pg_catalog.replace(pg_catalog.current_setting(n, true), pg_catalog.chr(10), ' '),
                pg_catalog.chr(10) ORDER BY n)
            FROM pg_catalog.unnest('{names}'::pg_catalog.text[]) n WHERE pg_catalog.current_setting(n, true) <> '')
        """;

    // A predicate lock (SIReadLock) belongs to a transaction, and stays behind it until the serializable transactions that overlapped it
    // have ended.
    //
    // The functions of the replication origin and of dblink are called by way of query_to_xml: the server checks the right to call a
    // function before it evaluates CASE or WHERE (ExecInitFunc in execExpr.c), and a function that does not exist cannot be named.
    // PostgreSQL 12 and 13 refuse the replication origin to all but superusers, whatever they are granted.
    private const string Template =
        $$"""
        SELECT
            (SELECT pg_catalog.string_agg(
                    name || ' = ' || pg_catalog.replace(setting, pg_catalog.chr(10), ' ') || ' by ' || source,
                    pg_catalog.chr(10) ORDER BY name)
                FROM pg_catalog.pg_settings
                WHERE (source IN ('session', 'interactive') OR (setting <> reset_val AND source NOT IN ('default', 'override')))
                    AND name NOT IN ('transaction_isolation', 'transaction_read_only', 'transaction_deferrable')),
            'session ' || session_user || ', current ' || current_user,
            (SELECT pg_catalog.string_agg(
                    pg_catalog.concat_ws(' ', mode, locktype, relation::pg_catalog.regclass, classid, objid, objsubid), pg_catalog.chr(10)
                    ORDER BY locktype, relation, classid, objid, objsubid, mode)
                FROM pg_catalog.pg_locks
                WHERE pid = pg_catalog.pg_backend_pid() AND granted AND mode <> 'SIReadLock'
                    AND locktype NOT IN ('virtualxid', 'transactionid') AND (locktype <> 'relation' OR mode <> 'AccessShareLock')),
            (SELECT pg_catalog.string_agg(o.description, pg_catalog.chr(10) ORDER BY o.description)
                FROM (
                    SELECT pg_catalog.replace(pg_catalog.pg_describe_object(classid, objid, objsubid), pg_catalog.chr(10), ' ')
                        AS description
                    FROM pg_catalog.pg_depend
                    WHERE refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass AND refobjid = pg_catalog.pg_my_temp_schema()) o),
            (SELECT pg_catalog.string_agg(c, pg_catalog.chr(10) ORDER BY c) FROM pg_catalog.pg_listening_channels() c),
            (SELECT pg_catalog.string_agg(
                    pg_catalog.replace(name || ': ' || pg_catalog.left(statement, 200), pg_catalog.chr(10), ' '),
                    pg_catalog.chr(10) ORDER BY name)
                FROM pg_catalog.pg_cursors WHERE is_holdable),
            (SELECT pg_catalog.string_agg(
                    pg_catalog.replace(name || ': ' || pg_catalog.left(statement, 200), pg_catalog.chr(10), ' '),
                    pg_catalog.chr(10) ORDER BY name)
                FROM pg_catalog.pg_prepared_statements WHERE from_sql OR name !~ '^loxo_[0-9a-f]{30}(_[0-9a-f]{16})?$'),
            (SELECT pg_catalog.string_agg(slot_name, pg_catalog.chr(10) ORDER BY slot_name)
                FROM pg_catalog.pg_replication_slots WHERE temporary AND active_pid = pg_catalog.pg_backend_pid()),
            (SELECT pg_catalog.substring(pg_catalog.query_to_xml(
                    'SELECT pg_catalog.pg_replication_origin_session_is_setup() AS is_setup', true, true, '')::pg_catalog.text,
                    '<is_setup>(true)')
                WHERE pg_catalog.has_function_privilege('pg_catalog.pg_replication_origin_session_is_setup()', 'EXECUTE')
                    AND (pg_catalog.current_setting('server_version_num')::pg_catalog.int4 >= 140000
                        OR (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user))),
            (SELECT pg_catalog.string_agg(m.name[1], pg_catalog.chr(10) ORDER BY m.name[1])
                FROM pg_catalog.pg_proc p
                JOIN pg_catalog.pg_depend d ON d.classid = p.tableoid AND d.objid = p.oid AND d.deptype = 'e'
                JOIN pg_catalog.pg_extension e ON e.tableoid = d.refclassid AND e.oid = d.refobjid AND e.extname = 'dblink'
                JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace,
                LATERAL pg_catalog.regexp_matches(pg_catalog.query_to_xml(
                    pg_catalog.format('SELECT pg_catalog.unnest(%I.dblink_get_connections()) AS name', n.nspname),
                    true, true, '')::pg_catalog.text,
                    '<name>([^<]*)', 'g') AS m (name)
                WHERE p.proname = 'dblink_get_connections'
                    AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE') AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')),
            (SELECT pg_catalog.string_agg(name, pg_catalog.chr(10) ORDER BY name)
                FROM pg_catalog.pg_prepared_statements WHERE NOT from_sql AND name ~ '^loxo_[0-9a-f]{30}(_[0-9a-f]{16})?$'),
            {{CustomSettings}}
        """;

    private static readonly string[] Kinds =
    [
        "setting", "roles", "lock", "temporary object", "listening channel", "cursor", "prepared statement", "temporary replication slot",
        "replication origin is set up", "dblink connection", "driver's prepared statement", "custom setting",
    ];

    private static readonly int DriverStatements = Array.IndexOf(Kinds, "driver's prepared statement");
    private static readonly int Custom = Array.IndexOf(Kinds, "custom setting");

    /// <summary>One SELECT for PostgreSQL 12 and later and every role, which uses no name outside of pg_catalog.</summary>
    public static string Query(IReadOnlyCollection<string> customSettings) =>
        Template.Replace("{names}", $"{{{string.Join(',', customSettings)}}}", StringComparison.Ordinal);

    public static IEnumerable<string> Differences(ReadOnlySpan<string?> before, ReadOnlySpan<string?> after)
    {
        var differences = new List<string>();
        for (var i = 0; i < DriverStatements; i++)
            differences.AddRange(Compare(Kinds[i], before[i], after[i]));
        return differences;
    }

    /// <summary>Each custom setting that a reset has changed; before the statements, the names of the settings were not known.</summary>
    public static IEnumerable<string> CustomDifferences(ReadOnlySpan<string?> after, ReadOnlySpan<string?> reset) =>
        Compare(Kinds[Custom], reset[Custom], after[Custom]);

    public static IEnumerable<string> Forgotten(IEnumerable<string> expected, ReadOnlySpan<string?> answer)
    {
        var known = Lines(answer[DriverStatements]);
        return [.. expected.Where(name => !known.Contains(name)).Select(name => $"no more {Kinds[DriverStatements]}: {name}")];
    }

    private static IEnumerable<string> Compare(string kind, string? before, string? after)
    {
        if (before == after)
            return [];
        var (former, present) = (Lines(before), Lines(after));
        return present.Except(former).Select(line => $"{kind}: {line}")
            .Concat(former.Except(present).Select(line => $"no more {kind}: {line}"));
    }

    private static HashSet<string> Lines(string? text) => text is null ? [] : new(text.Split('\n'), StringComparer.Ordinal);
}
