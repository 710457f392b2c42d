namespace Loxo.Schema;

/// <summary>
/// The queries behind <see cref="PgConnection.GetSchema(string, string?[])"/>. Programs rely on the names of the columns.
/// </summary>
internal static class SchemaSql
{
    /// <summary>The words that need quotes as the name of a column, or as that of a function or type.</summary>
    public const string ReservedWords = """
        SELECT upper(word) AS "ReservedWord" FROM pg_catalog.pg_get_keywords() WHERE catcode IN ('R', 'T') ORDER BY 1
        """;

    public const string Databases = """
        SELECT datname::text AS database_name, pg_catalog.pg_get_userbyid(datdba)::text AS owner,
            pg_catalog.pg_encoding_to_char(encoding)::text AS encoding
        FROM pg_catalog.pg_database
        """;

    public const string Schemata = """
        SELECT catalog_name::text, schema_name::text, schema_owner::text FROM information_schema.schemata
        """;

    public const string Tables = """
        SELECT table_catalog::text, table_schema::text, table_name::text, table_type::text
        FROM information_schema.tables
        WHERE table_type <> 'VIEW' AND table_schema NOT IN ('pg_catalog', 'information_schema')
        """;

    /// <summary>Columns of a domain have the type that the domain is based on.</summary>
    public const string Columns = """
        SELECT table_catalog::text, table_schema::text, table_name::text, column_name::text, ordinal_position::int, column_default::text,
            is_nullable::text, pg_catalog.format_type(t.oid, NULL)::text AS data_type, character_maximum_length::int,
            character_octet_length::int, numeric_precision::int, numeric_precision_radix::int, numeric_scale::int,
            datetime_precision::int, character_set_catalog::text, character_set_schema::text, character_set_name::text,
            collation_catalog::text
        FROM information_schema.columns
            JOIN pg_catalog.pg_namespace n ON n.nspname = udt_schema
            JOIN pg_catalog.pg_type t ON t.typnamespace = n.oid AND t.typname = udt_name
        """;

    public const string Views = """
        SELECT table_catalog::text, table_schema::text, table_name::text, check_option::text, is_updatable::text
        FROM information_schema.views
        WHERE table_schema NOT IN ('pg_catalog', 'information_schema')
        """;

    public const string MaterializedViews = """
        SELECT pg_catalog.current_database()::text AS table_catalog, schemaname::text AS table_schema, matviewname::text AS table_name,
            matviewowner::text AS table_owner, hasindexes AS has_indexes, ispopulated AS is_populated
        FROM pg_catalog.pg_matviews
        """;

    public const string Users = """
        SELECT usename::text AS user_name, usesysid AS user_sysid FROM pg_catalog.pg_user
        """;

    public const string Indexes = $"""
        SELECT pg_catalog.current_database()::text AS table_catalog, n.nspname::text AS table_schema, t.relname::text AS table_name,
            i.relname::text AS index_name, ''::text AS type_desc
        {FromIndexes}
        """;

    /// <summary>Includes the columns that an index only carries along (INCLUDE). Expressions are not columns.</summary>
    public const string IndexColumns = $"""
        SELECT pg_catalog.current_database()::text AS constraint_catalog, n.nspname::text AS constraint_schema,
            i.relname::text AS constraint_name, pg_catalog.current_database()::text AS table_catalog, n.nspname::text AS table_schema,
            t.relname::text AS table_name, a.attname::text AS column_name, i.relname::text AS index_name
        {FromIndexes}
            JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (x.indkey)
        """;

    public const string ConstraintColumns = $"""
        SELECT pg_catalog.current_database()::text AS constraint_catalog, n.nspname::text AS constraint_schema,
            c.conname::text AS constraint_name, pg_catalog.current_database()::text AS table_catalog, tn.nspname::text AS table_schema,
            t.relname::text AS table_name, a.attname::text AS column_name, a.attnum::int AS ordinal_number,
            {ConstraintType} AS constraint_type
        {FromConstraints}
            JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (c.conkey)
        WHERE c.contype IN ('p', 'u', 'f') AND tn.nspname NOT IN ('pg_catalog', 'pg_toast')
        ORDER BY tn.nspname, t.relname, c.conname, pg_catalog.array_position(c.conkey, a.attnum)
        """;

    private const string FromIndexes = """
        FROM pg_catalog.pg_index x
            JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
            JOIN pg_catalog.pg_class t ON t.oid = x.indrelid AND t.relkind IN ('r', 'p', 'm')
            JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace AND n.nspname NOT IN ('pg_catalog', 'pg_toast')
        """;

    private const string FromConstraints = """
        FROM pg_catalog.pg_constraint c
            JOIN pg_catalog.pg_namespace n ON n.oid = c.connamespace
            JOIN pg_catalog.pg_class t ON t.oid = c.conrelid
            JOIN pg_catalog.pg_namespace tn ON tn.oid = t.relnamespace
        """;

    private const string ConstraintType =
        "CASE c.contype WHEN 'p' THEN 'PRIMARY KEY' WHEN 'u' THEN 'UNIQUE KEY' ELSE 'FOREIGN KEY' END";

    /// <summary>The constraints of the given kinds.</summary>
    /// <param name="kinds">Values of <c>pg_constraint.contype</c>, comma-separated and quoted.</param>
    public static string Constraints(string kinds) => $"""
        SELECT pg_catalog.current_database()::text AS "CONSTRAINT_CATALOG", n.nspname::text AS "CONSTRAINT_SCHEMA",
            c.conname::text AS "CONSTRAINT_NAME", pg_catalog.current_database()::text AS "TABLE_CATALOG",
            tn.nspname::text AS "TABLE_SCHEMA", t.relname::text AS "TABLE_NAME", {ConstraintType} AS "CONSTRAINT_TYPE",
            c.condeferrable AS "IS_DEFERRABLE", c.condeferred AS "INITIALLY_DEFERRED"
        {FromConstraints}
        WHERE c.contype IN ({kinds})
        """;
}
