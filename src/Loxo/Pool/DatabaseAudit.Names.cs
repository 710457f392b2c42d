namespace Loxo.Pool;

/// <summary>
/// The part of the question that finds the functions which may change the meaning of names, such as by a temporary table that stands nearer
/// in the search path than the one a prepared statement reads. docs/decisions/0010 says why.
/// </summary>
internal static partial class DatabaseAudit
{
    // Functions that run a text which is given to them.
    private const string TextRunners = "query_to_xml|cursor_to_xml|crosstab|ts_stat|ts_rewrite|connectby|xpath_table";

    private const string BuiltInNameChangers = $"^(?:set_config$|{TextRunners})";

    // A setting that is named and does not tell where names are looked up.
    private const string OtherSetting = """(?!(?:search_path|role|session_authorization)\M)[\w.]+""";

    // Statements that make, drop, alter or rename objects, set the search path or the role, or run code that is not in the source.
    private const string NameChangingStatements =
        $$"""{{AnyStart}}(?:create|alter|drop|import|discard|reset|load|do(?!\s+nothing)|grant|revoke|set(?!{{OtherSet}}))\M""";

    private const string OtherSet =
        $$"""\s+(?:constraints|transaction|time\s+zone)\M|\s+(?:(?:local|session)\s+)?{{OtherSetting}}\s*(?:=|to\M)""";

    // TREAT calls a function by the name of a type, and U& writes names that cannot be searched for.
    private const string NameChangingWords =
        $$"""(?:\m(?:execute|explain|pg_settings|(?:{{TextRunners}})\w*)\M|\mtreat\s*\(|u&"|{{OtherSetConfig}})""";

    private const string OtherSetConfig = $$"""\mset_config\M(?!\s*\(\s*'{{OtherSetting}}'\s*,)""";

    // A function is called by a word before a parenthesis or behind a dot, and comments may stand between them. Words are compared without
    // regard to case; a name that is no word is searched for in each source.
    private const string Word = """[^\s!-/:-@[-^`{-~]+""";

    // Words without which a function of a database that hides nothing changes no names: whatever else does is a finding.
    private const string NameChangingHints = """\m(?:alter|drop|search_path|schema|role|session_authorization|grant|revoke)\M""";

    /// <summary>
    /// Queries behind WITH. <c>name_changers</c> has the names of the functions whose own source may change the meaning of names or that
    /// reach such a function by its name, in an expression tree, by a trigger or a default. Those behind it tell where such a function runs
    /// unseen; an extension is taken to have none that does.
    /// </summary>
    private const string NameChangers =
        $$"""
        name_tree_pattern AS MATERIALIZED (
            SELECT $re$funcid (?:$re$ || string_agg(oid::text, '|') || $re$)\M|:relid $re$
                || 'pg_catalog.pg_settings'::regclass::oid || $re$\M$re$ AS pattern
            FROM harmful WHERE proname ~ '{{BuiltInNameChangers}}'
        ), changing AS MATERIALIZED (
            SELECT DISTINCT lower(proname::text COLLATE "C") AS name FROM routines
            WHERE (EXISTS (SELECT FROM first_finding)
                    OR EXISTS (SELECT FROM routines WHERE uncommented ~ $re$(?i){{NameChangingHints}}$re$))
                AND (prokind <> 'a' AND lanname NOT IN ('sql', 'plpgsql')
                    OR uncommented ~ $re$(?i){{NameChangingWords}}|{{NameChangingStatements}}$re$
                    OR {{IntoOfSql}} IS NOT NULL
                    OR concat(defaults, body) COLLATE "C" ~ (SELECT pattern FROM name_tree_pattern))
        ), callers AS MATERIALIZED (
            SELECT oid, lower(proname::text COLLATE "C") AS name, lower(uncommented) AS source, concat(defaults, body) AS tree
            FROM routines WHERE EXISTS (SELECT FROM changing)
        ), own AS MATERIALIZED (
            SELECT oid FROM callers EXCEPT SELECT objid FROM pg_catalog.pg_depend
            WHERE classid = 'pg_catalog.pg_proc'::regclass AND refclassid = 'pg_catalog.pg_extension'::regclass AND deptype = 'e'
        ), callees AS MATERIALIZED (
            SELECT DISTINCT name, name !~ $re$^{{Word}}$$re$ AS is_quoted FROM callers
        ), calls AS MATERIALIZED (
            SELECT DISTINCT c.name AS caller, w.words[1] AS callee
            FROM callers c
            CROSS JOIN LATERAL regexp_matches(c.source, $re$({{Word}})"?{{Blanks}}\($re$, 'g') w (words)
            WHERE w.words[1] IN (SELECT name FROM callees)
            UNION SELECT c.name, w.words[1]
            FROM callers c
            CROSS JOIN LATERAL regexp_matches(c.source, $re$\.{{Blanks}}"?({{Word}})$re$, 'g') w (words)
            WHERE w.words[1] IN (SELECT name FROM callees)
            UNION SELECT c.name, e.name FROM callers c JOIN callees e ON e.is_quoted AND position(e.name IN c.source) > 0
            UNION SELECT c.name, lower(p.proname::text COLLATE "C")
            FROM callers c
            CROSS JOIN LATERAL regexp_matches(c.tree COLLATE "C", '(?:funcid|fnoid) (\d{5,})', 'g') m
            JOIN pg_catalog.pg_proc p ON p.oid = m[1]::oid WHERE c.tree <> ''
            UNION SELECT c.name, lower(p.proname::text COLLATE "C")
            FROM callers c JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = c.oid
            JOIN pg_catalog.pg_proc p
                ON p.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn)
            -- A change of rows, which has no name, calls each trigger and default.
            UNION SELECT c.name, '' FROM callers c
            WHERE c.source ~ '\m(?:insert|update|delete|merge|copy|truncate)\M' OR c.tree COLLATE "C" ~ ':commandType [2-5]\M'
            UNION SELECT '', lower(p.proname::text COLLATE "C")
            FROM (
                SELECT tgfoid AS oid FROM pg_catalog.pg_trigger
                UNION ALL SELECT m[1]::oid
                FROM trees CROSS JOIN LATERAL regexp_matches(tree COLLATE "C", '(?:funcid|fnoid) (\d{5,})', 'g') m
                WHERE EXISTS (SELECT FROM changing)
                    AND tableoid IN ('pg_catalog.pg_attrdef'::regclass, 'pg_catalog.pg_trigger'::regclass)
            ) f JOIN pg_catalog.pg_proc p ON p.oid = f.oid WHERE p.oid IN (SELECT oid FROM own)
        ), reaching AS (
            SELECT name FROM changing
            UNION SELECT '' WHERE EXISTS (SELECT FROM first_finding) AND EXISTS (
                SELECT FROM trees WHERE tree COLLATE "C" ~ concat(':relid ', 'pg_catalog.pg_settings'::regclass::oid, '\M'))
            UNION SELECT c.caller FROM reaching r JOIN calls c ON c.callee = r.name
        ), name_changers AS (
            SELECT DISTINCT proname FROM routines WHERE lower(proname::text COLLATE "C") IN (SELECT name FROM reaching)
            UNION SELECT proname FROM harmful WHERE proname ~ '^(?:{{TextRunners}})' AND EXISTS (SELECT FROM changing)
        ), unseen AS MATERIALIZED (
            SELECT oid, name FROM callers WHERE name IN (SELECT name FROM reaching) AND oid IN (SELECT oid FROM own)
            UNION SELECT oid, NULL FROM harmful WHERE proname ~ '{{BuiltInNameChangers}}'
                AND (EXISTS (SELECT FROM first_finding) OR EXISTS (SELECT FROM changing))
        ), unseen_tree_pattern AS MATERIALIZED (
            SELECT $re$(?:funcid|fnoid) (?:$re$ || string_agg(oid::text, '|') || $re$)\M$re$ AS pattern
            FROM unseen
        ), unseen_trees AS (
            SELECT FROM trees
            WHERE tableoid NOT IN ('pg_catalog.pg_proc'::regclass, 'pg_catalog.pg_attrdef'::regclass, 'pg_catalog.pg_trigger'::regclass)
                AND tree COLLATE "C" ~ (SELECT pattern FROM unseen_tree_pattern)
        ), unseen_objects AS (
            SELECT FROM unseen u WHERE EXISTS (SELECT FROM pg_catalog.pg_operator WHERE oprcode = u.oid)
                OR EXISTS (SELECT FROM pg_catalog.pg_cast WHERE castfunc = u.oid)
                OR EXISTS (SELECT FROM pg_catalog.pg_amproc WHERE amproc = u.oid)
                OR EXISTS (SELECT FROM pg_catalog.pg_range WHERE u.oid IN (rngcanonical, rngsubdiff))
                OR EXISTS (SELECT FROM pg_catalog.pg_proc p WHERE p.oid < 16384 AND p.proname = u.name)
        )
        """;
}
