using Loxo.Session;

namespace Loxo.Pool;

/// <summary>
/// Asks a database for what a plain statement could reach without naming it and that could leave something in the session: triggers,
/// defaults, views, rules, policies, checks, operators, casts, overloads and <c>row.function</c> all run functions that the text does not
/// show. docs/session-reset.md says what it finds and what it cannot find.
/// </summary>
/// <remarks>
/// Source text is searched for words, not parsed, so it errs by finding too much: a word may stand in a string. Where something is left out
/// of the search (comments, <c>UPDATE t SET</c>), a comment says why nothing can hide there. The regular expressions are PostgreSQL's, with
/// the collation C, since I and i are two letters to some others.
/// </remarks>
internal static partial class DatabaseAudit
{
    // Extensions whose functions leave nothing in a session unless a statement names them: their operators, casts, types and triggers are
    // harmless. Of those that a function may name, HarmfulFunctions has the harmful ones. The languages are here for their handlers;
    // functions written in them are found. postgis_topology and postgis_tiger_geocoder are not: they change search_path.
    private const string KnownExtensions =
        "adminpack, amcheck, autoinc, bloom, btree_gin, btree_gist, citext, cube, dblink, dict_int, dict_xsyn, earthdistance, file_fdw, "
        + "fuzzystrmatch, hstore, insert_username, intagg, intarray, isn, lo, ltree, moddatetime, old_snapshot, pageinspect, "
        + "pg_buffercache, pg_freespacemap, pg_logicalinspect, pg_prewarm, pg_stat_statements, pg_surgery, pg_trgm, pg_visibility, "
        + "pg_walinspect, pgcrypto, pgrowlocks, pgstattuple, postgres_fdw, refint, seg, sslinfo, tablefunc, tcn, tsm_system_rows, "
        + "tsm_system_time, unaccent, uuid-ossp, xml2, "
        + "plpgsql, plperl, plperlu, plpython3u, pltcl, pltclu, bool_plperl, bool_plperlu, hstore_plperl, hstore_plperlu, "
        + "hstore_plpython3u, jsonb_plperl, jsonb_plperlu, jsonb_plpython3u, ltree_plpython3u, "
        + "address_standardizer, address_standardizer_data_us, postgis, postgis_raster, postgis_sfcgal, vector";

    // Built-in functions and those of known extensions that change the session, or that run a text which is given to them. Not nextval and
    // setval: what they leave is lastval, which no INSERT with a sequence is reset for.
    private const string HarmfulFunctions =
        "set_config|setseed|pg_advisory_lock|pg_advisory_lock_shared|pg_try_advisory_lock|pg_try_advisory_lock_shared|pg_advisory_unlock"
        + "|pg_advisory_unlock_shared|pg_advisory_unlock_all|query_to_xml|query_to_xmlschema|query_to_xml_and_xmlschema|cursor_to_xml"
        + "|cursor_to_xmlschema|ts_stat|ts_rewrite|pg_create_physical_replication_slot|pg_create_logical_replication_slot"
        + "|pg_copy_physical_replication_slot|pg_copy_logical_replication_slot|pg_start_backup|pg_stop_backup|pg_backup_start"
        + "|pg_backup_stop|connectby|xpath_table|set_limit|isn_weak|addauth";

    private const string HarmfulFamilies = "dblink|crosstab|binary_upgrade_|pg_replication_origin_";

    // A comment without quotes, dollars or another comment's marks can be left out wherever it stands: were it not a comment but part of a
    // string or of another comment, all of it would be. The others stay, and their words count.
    // After a * the mark is the end of a comment and an operator.
    private const string Comments = """--[^'"$*/\n\r]*(?=[\n\r]|$)|(?<!\*)/\*[^'"$*/\n\r-]*\*/""";

    // One that may have others in it, which have none.
    private const string BlockComment =
        """/\*(?:[^*/]|\*+[^*/]|/+[^*/]|/\*(?:[^*/]|\*+[^*/]|/+[^*/])*\*+/)*\*+/""";

    // What may stand between two words.
    private const string Blanks = $$"""(?:\s|--[^\n\r]*[\n\r]|{{BlockComment}})*""";

    // The value is made of whole literals, without a quote or a backslash in them, and of what is neither a literal nor a call.
    private const string LocalSetting =
        """\mset_config\s*\(\s*'[\w.]+'\s*,(?:'[^'\\]*'|\$\d+|[^'"$(),;/\\-])*,\s*true\s*\)""";

    // Matched in front of it and kept, so that no setting begins in one of them and ends behind it.
    private const string Quoted =
        $$"""\me'(?:[^'\\]|\\.|'')*'|'[^']*'|"[^"]*"|--[^\n\r]*|{{BlockComment}}""";

    // In a grouping set the word true may be NULL, and the setting stays: see SqlQueryScanner.
    private const string GroupingSets = """(?i)\m(?:grouping|rollup|cube)\M""";

    // What stands before a statement: another one, a keyword of PL/pgSQL or a comment; a label only before BEGIN and loops. UPDATE t SET
    // has a name there. FOR r IN, RETURN QUERY and OPEN c FOR stand before any statement that returns rows. Before PostgreSQL 15 a number
    // may stand before a keyword without a blank.
    private const string AnyStart =
        """(?:^|;|\*/|(?:\m|\d)(?:begin|then|else|loop|atomic|in|query|for)\M|--[^\n\r]*[\n\r])\s*""";

    // The server makes them for each range type, in the language internal (12), which is looked up by prosrc alone, whatever the name.
    // They call the type's functions, which are looked into.
    private const string Constructors = "^(?:range_constructor[23]|multirange_constructor[012])$";

    private const string HarmfulStatements =
        AnyStart
        + """(set\M(?!\s+(?:local|constraints|transaction)\s+["\w])|reset\M|listen\M|unlisten\M|prepare\M|deallocate\M|discard\M|load\M"""
        + """|do\M|create\M|import\M)""";

    // EXECUTE runs any text, EXPLAIN ANALYZE any statement, and U& writes names that cannot be searched for.
    private const string HarmfulWords =
        $$"""(\m(?:execute|explain|pg_temp\w*|pg_settings|{{HarmfulFunctions}}|(?:{{HarmfulFamilies}})\w*)\M"""
        + """|\mcursor(?:\s|--[^\n\r]*[\n\r]|/\*.*\*/)+with(?:\s|--[^\n\r]*[\n\r]|/\*.*\*/)+hold\M|u&")""";

    // What changes how the server reads the texts behind it, even until the end of the transaction only: the classifier reads them
    // otherwise.
    private const string ReadingSettings = """\m(?:client_encoding|standard_conforming_strings|set\s+(?:local\s+|session\s+)?names)\M""";

    // What can make or forget prepared statements; looked for only where something was found above.
    private const string StatementsTouched =
        $$"""\m(?:execute|xpath_table)\M|u&"|{{AnyStart}}(?:prepare|deallocate|discard|load|do|create(?!{{TableOrIndex}}))\M""";

    private const string TableOrIndex =
        """(?:\s+(?:global|local|temp|temporary|unlogged|unique|materialized))*\s+(?:table|index|view|sequence)\M""";

    // What changes something in a function, or may, since it runs any text; in trees, commandType 2 to 5 are UPDATE, INSERT, DELETE and
    // MERGE. A trigger's own function runs for one of these statements only.
    private const string ChangingWords =
        $$"""\m(?:{{OutsideFunctions}}|{{ChangingFunctions}}|insert|update|delete|merge|copy|truncate|notify|execute|create|alter|drop"""
        + """|grant|revoke|refresh|import|reassign|comment\s+on|security\s+label)\M""";

    // Built-in functions that change something which a rollback takes back, and those of sequences.
    private const string ChangingFunctions = "nextval|setval|pg_notify|lo_\\w+|lowrite";

    // COPY in a function is from or to a file or a program.
    private const string OutsideWords = $$"""\m(?:{{OutsideFunctions}}|copy|execute)\M""";

    // What a function may leave until the end of the transaction: settings, and cursors, whose names are taken. Only what the search for
    // findings lets pass. The constraints that are checked at once from then on, and a transaction that only reads, are settings too.
    private const string TransactionWords = """\m(?:set_config|set\s+(?:local|constraints|transaction)|(?:ref)?cursor)\M""";

    // Built-in functions and those of known extensions that act outside of the transaction: no rollback takes back what they did.
    private const string OutsideFunctions =
        "pg_logical_emit_message|lo_export|pg_file_\\w+|pg_create_restore_point|pg_switch_wal|pg_reload_conf"
        + "|pg_rotate_logfile\\w*|pg_promote|pg_terminate_backend|pg_cancel_backend|pg_log_\\w+|pg_wal_replay_\\w+|pg_stat_\\w*reset\\w*"
        + "|pg_drop_replication_slot|pg_replication_slot_advance|pg_logical_slot_get_\\w+|pg_sync_replication_slots|autoprewarm_\\w+";

    // What a read-only transaction does not refuse: NOTIFY and, before version 16, large objects.
    private const string UnrefusedFunctions = "pg_notify|lo_\\w+|lowrite";

    // A function that has these goes on where the server has refused it a change: read_only_sql_transaction is 25006.
    private const string Handler = $$"""\mexception\M{{Blanks}}when\M""";
    private const string HandledConditions = """\m(?:others|read_only_sql_transaction|invalid_transaction_state|sqlstate)\M""";

    // In a function of the language sql, INTO of a SELECT makes a table, which is a temporary one if search_path says so. What follows the
    // table tells it from INSERT and MERGE, which are names elsewhere: SELECT 1 AS insert INTO t.
    private const string InsertInto =
        $$"""\m(?:insert|merge)\s+into\M(?={{Blanks}}(?!(?:table|temp|temporary|unlogged)\M{{Blanks}}(?:table|values|overriding)\M)"""
        + $$"""(?:only\M{{Blanks}})?{{Name}}{{Blanks}}(?:\.{{Blanks}}{{Name}}{{Blanks}})*"""
        + $$"""(?:\(|\m(?:as|values|select|default|table|with|overriding|using|{{Word}}{{Blanks}}using)\M))""";

    private const string Name = $$"""(?:"[^"]*"|{{Word}}(?!{{Word}}))""";

    private const string IntoOfSql =
        $$"""
        CASE WHEN lanname = 'sql' THEN substring(regexp_replace(source, $re${{InsertInto}}$re$, ' ', 'gi') FROM $re$(?i)\minto\M$re$) END
        """;

    /// <summary>
    /// One SELECT for PostgreSQL 12 and later that returns one row, to be given to <see cref="DatabaseAuditVerdict.Of"/>: what was found,
    /// qualified, and why it counts, or nulls; whether functions may make or forget prepared statements; the names of functions that
    /// attribute notation reaches, apart by newlines, or null; the names of functions that may change the meaning of names, in the same
    /// form; whether a query may change something unseen; whether a statement may do unseen what no rollback takes back, other than
    /// advance a sequence, or leave something in its transaction; the value of <see cref="UnseenNameChanges"/>; and whether a query may do
    /// unseen what a read-only transaction does not prevent. It reads only what every role may read.
    /// </summary>
    /// <remarks>
    /// Temporary objects do not count: nobody else's can be reached, and making one's own is no plain statement. prosqlbody and stxexprs,
    /// which PostgreSQL 12 and 13 do not have, are read by way of JSON. Expressions are stored as trees in which functions are numbers, so
    /// nothing can hide there. The names are those of known extensions, whose functions are not looked into; the built-in ones are on
    /// BuiltInNames's list, which was made from PostgreSQL 15 and 18.
    /// </remarks>
    public const string Query =
        $$"""
        WITH RECURSIVE harmful AS MATERIALIZED (
            SELECT oid, proname FROM pg_catalog.pg_proc
            WHERE proname = ANY (string_to_array('{{HarmfulFunctions}}', '|')) OR proname ~ '^(?:{{HarmfulFamilies}})'
        ), known AS MATERIALIZED (
            SELECT d.objid FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
            WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.deptype = 'e'
                AND e.extname = ANY (string_to_array('{{KnownExtensions}}', ', '))
        ), routines AS (
            SELECT p.tableoid, p.oid, p.proname, l.lanname, p.prokind, p.proargdefaults AS defaults, p.prorettype,
                to_jsonb(p) ->> 'prosqlbody' AS body, t.uncommented,
                CASE WHEN t.uncommented ~ $re${{GroupingSets}}$re$ THEN t.uncommented
                    ELSE regexp_replace(t.uncommented, $re$({{Quoted}})|{{LocalSetting}}$re$, '\1 ', 'gi') END AS source
            FROM pg_catalog.pg_proc p
            JOIN pg_catalog.pg_language l ON l.oid = p.prolang
            JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
            CROSS JOIN LATERAL (SELECT regexp_replace(p.prosrc COLLATE "C", $re${{Comments}}$re$, ' ', 'g') AS uncommented OFFSET 0) t
            WHERE p.oid >= 16384 AND n.nspname !~ '^pg_temp_' AND p.oid NOT IN (SELECT objid FROM known)
                AND NOT (p.prolang = 12 AND p.prosrc ~ '{{Constructors}}')
        ), trees AS (
            SELECT tableoid, oid, concat(defaults, body) AS tree FROM routines
            UNION ALL SELECT tableoid, oid, typdefaultbin::text FROM pg_catalog.pg_type WHERE typdefaultbin IS NOT NULL AND oid >= 16384
            UNION ALL SELECT t.tableoid, t.oid, t.tree
            FROM (
                SELECT 'pg_catalog.pg_class'::regclass AS tableoid, indexrelid AS oid, indrelid AS relation,
                    concat(indexprs, indpred) AS tree
                FROM pg_catalog.pg_index WHERE indexprs IS NOT NULL OR indpred IS NOT NULL
                UNION ALL SELECT 'pg_catalog.pg_class'::regclass, partrelid, partrelid, partexprs::text
                FROM pg_catalog.pg_partitioned_table WHERE partexprs IS NOT NULL
                UNION ALL SELECT tableoid, oid, stxrelid, to_jsonb(s) ->> 'stxexprs' FROM pg_catalog.pg_statistic_ext s
                UNION ALL SELECT tableoid, oid, adrelid, adbin::text FROM pg_catalog.pg_attrdef
                UNION ALL SELECT tableoid, oid, conrelid, conbin::text FROM pg_catalog.pg_constraint WHERE conbin IS NOT NULL
                UNION ALL SELECT tableoid, oid, ev_class, ev_action::text || ev_qual::text FROM pg_catalog.pg_rewrite
                UNION ALL SELECT tableoid, oid, polrelid, concat(polqual, polwithcheck) FROM pg_catalog.pg_policy
                UNION ALL SELECT tableoid, oid, tgrelid, tgqual::text FROM pg_catalog.pg_trigger WHERE tgqual IS NOT NULL
            ) t
            WHERE t.oid >= 16384 AND NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = t.relation AND c.relpersistence = 't')
        ), attributes AS (
            SELECT DISTINCT proname FROM pg_catalog.pg_proc p
            WHERE pronargs >= 1 AND pronargs - pronargdefaults <= 1 AND proargtypes[0] <> 'internal'::regtype AND CASE
                WHEN oid < 16384 THEN provolatile = 'v' AND current_setting('server_version_num')::int / 10000 NOT IN (15, 18)
                ELSE (provolatile = 'v' OR oid IN (SELECT oid FROM harmful)) AND oid IN (SELECT objid FROM known) END
        ), tree_pattern AS MATERIALIZED (
            SELECT $re$funcid (?:$re$ || string_agg(oid::text, '|') || $re$)\M|:relid $re$
                || 'pg_catalog.pg_settings'::regclass::oid || $re$\M$re$ AS pattern
            FROM harmful
        ), findings AS (
            SELECT tableoid, oid, CASE
                WHEN prokind <> 'a' AND lanname NOT IN ('sql', 'plpgsql') THEN 'is written in ' || lanname || ', which is not looked into'
                ELSE 'contains ' || coalesce(
                    substring(source FROM $re$(?i){{HarmfulWords}}$re$),
                    substring(uncommented FROM $re$(?i){{ReadingSettings}}$re$),
                    substring(source FROM $re$(?i){{HarmfulStatements}}$re$),
                    {{IntoOfSql}})
                END AS reason
            FROM routines
            UNION ALL SELECT t.tableoid, t.oid, 'calls ' || coalesce((SELECT h.proname::text FROM harmful h
                    WHERE h.oid::text = substring(t.tree COLLATE "C" FROM $re$\d+$$re$)), 'set_config by way of pg_settings')
            FROM (SELECT tableoid, oid, substring(tree COLLATE "C" FROM (SELECT pattern FROM tree_pattern)) AS tree FROM trees) t
            WHERE t.tree IS NOT NULL
            UNION ALL SELECT o.tableoid, o.oid, 'calls ' || h.proname FROM pg_catalog.pg_operator o
            JOIN harmful h ON h.oid = o.oprcode WHERE o.oid >= 16384
            UNION ALL SELECT c.tableoid, c.oid, 'calls ' || h.proname FROM pg_catalog.pg_cast c
            JOIN harmful h ON h.oid = c.castfunc WHERE c.oid >= 16384
            UNION ALL SELECT a.tableoid, a.oid, 'calls ' || h.proname FROM pg_catalog.pg_amproc a
            JOIN harmful h ON h.oid = a.amproc WHERE a.oid >= 16384
            UNION ALL SELECT 'pg_catalog.pg_proc'::regclass, a.aggfnoid, 'calls ' || h.proname FROM pg_catalog.pg_aggregate a
            JOIN harmful h ON h.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn)
            WHERE a.aggfnoid >= 16384
        ), acting AS MATERIALIZED (
            SELECT oid, proname ~ $re$^(?:{{OutsideFunctions}})$$re$ AS is_outside,
                proname ~ $re$^(?:{{UnrefusedFunctions}})$$re$ AS is_unrefused
            FROM pg_catalog.pg_proc WHERE proname ~ $re$^(?:{{OutsideFunctions}}|{{ChangingFunctions}})$$re$
        ), acting_tree_patterns AS MATERIALIZED (
            SELECT $re$funcid (?:$re$ || string_agg(oid::text, '|') || $re$)\M|:commandType [2-5]\M$re$ AS changing,
                $re$funcid (?:$re$ || string_agg(oid::text, '|') FILTER (WHERE is_outside) || $re$)\M$re$ AS outside,
                $re$funcid (?:$re$ || string_agg(oid::text, '|') FILTER (WHERE is_unrefused) || $re$)\M$re$ AS unrefused
            FROM acting
        ), acting_trees AS MATERIALIZED (
            SELECT tableoid, tree COLLATE "C" ~ p.outside AS is_outside, tree COLLATE "C" ~ p.unrefused AS is_unrefused
            FROM trees CROSS JOIN acting_tree_patterns p WHERE tree COLLATE "C" ~ p.changing
        ), acting_objects AS (
            SELECT is_outside, is_unrefused FROM acting a WHERE EXISTS (SELECT FROM pg_catalog.pg_operator WHERE oprcode = a.oid)
                OR EXISTS (SELECT FROM pg_catalog.pg_cast WHERE castfunc = a.oid)
                OR EXISTS (SELECT FROM pg_catalog.pg_aggregate WHERE a.oid IN (aggtransfn, aggfinalfn, aggmfinalfn))
        ), first_finding AS MATERIALIZED (
            SELECT * FROM findings WHERE reason IS NOT NULL LIMIT 1
        ), in_queries AS (
            SELECT prokind <> 'a' AND lanname NOT IN ('sql', 'plpgsql') AS is_foreign, source FROM routines
            WHERE prorettype <> 'pg_catalog.trigger'::regtype
        ), hidden_changes AS MATERIALIZED (
            SELECT EXISTS (SELECT FROM in_queries WHERE is_foreign OR source ~ $re$(?i){{ChangingWords}}$re$)
                OR EXISTS (SELECT FROM acting_trees
                    WHERE tableoid NOT IN ('pg_catalog.pg_attrdef'::regclass, 'pg_catalog.pg_trigger'::regclass))
                OR EXISTS (SELECT FROM acting_objects) AS is_found
        ), {{NameChangers}}
        SELECT pg_catalog.pg_describe_object(f.tableoid, f.oid, 0), f.reason,
            CASE WHEN f.reason IS NULL THEN false ELSE EXISTS (
                SELECT FROM routines
                WHERE prokind <> 'a' AND lanname NOT IN ('sql', 'plpgsql') OR source ~ $re$(?i){{StatementsTouched}}$re$) END,
            (SELECT string_agg(proname, E'\n' ORDER BY proname) FROM attributes),
            (SELECT string_agg(proname, E'\n' ORDER BY proname) FROM name_changers),
            (SELECT is_found FROM hidden_changes),
            EXISTS (SELECT FROM routines
                    WHERE prokind <> 'a' AND lanname NOT IN ('sql', 'plpgsql')
                        OR uncommented ~ $re$(?i){{OutsideWords}}|{{TransactionWords}}$re$)
                OR EXISTS (SELECT FROM acting_trees WHERE is_outside)
                OR EXISTS (SELECT FROM acting_objects WHERE is_outside),
            CASE WHEN EXISTS (SELECT FROM unseen_trees) OR EXISTS (SELECT FROM unseen_objects) THEN '{{nameof(UnseenNameChanges.ByAny)}}'
                WHEN EXISTS (SELECT FROM reaching WHERE name = '') THEN '{{nameof(UnseenNameChanges.ByChange)}}'
                ELSE '{{nameof(UnseenNameChanges.None)}}' END,
            (SELECT is_found FROM hidden_changes) AND (
                EXISTS (SELECT FROM in_queries WHERE is_foreign OR source ~ $re$(?i)\m(?:notify|{{UnrefusedFunctions}})\M$re$
                    OR source ~ $re$(?i){{Handler}}$re$ AND source ~ $re$(?i){{HandledConditions}}$re$)
                OR EXISTS (SELECT FROM acting_trees
                    WHERE is_unrefused AND tableoid NOT IN ('pg_catalog.pg_attrdef'::regclass, 'pg_catalog.pg_trigger'::regclass))
                OR EXISTS (SELECT FROM acting_objects WHERE is_unrefused))
        FROM (SELECT) one LEFT JOIN first_finding f ON true
        """;

    public static string AliveAmong(IEnumerable<int> processes) =>
        $"SELECT EXISTS (SELECT FROM pg_catalog.pg_stat_activity WHERE pid IN ({string.Join(", ", processes.Prepend(0))}))";
}
