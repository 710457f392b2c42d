namespace Loxo.Schema;

/// <summary>What the catalogue knows of a column of a table or view: see pg_attribute in the manual.</summary>
internal sealed class ColumnFacts
{
    /// <summary>Reads the facts of the columns whose tables and numbers are the parameters.</summary>
    public const string Sql = """
        SELECT a.attrelid, a.attnum, n.nspname::text, c.relname::text, a.attname::text, a.attnotnull OR t.typnotnull,
            a.attidentity::text, a.attgenerated <> '', pg_catalog.pg_get_expr(d.adbin, d.adrelid),
            pg_catalog.pg_column_is_updatable(c.oid, a.attnum, false),
            EXISTS (
                SELECT FROM pg_catalog.pg_index i
                WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indnkeyatts = 1
                    AND i.indkey[0] = a.attnum),
            ARRAY(
                SELECT k.attnum FROM pg_catalog.pg_index i CROSS JOIN unnest(i.indkey) WITH ORDINALITY AS k (attnum, position)
                WHERE i.indrelid = c.oid AND i.indisprimary AND i.indisvalid AND k.position <= i.indnkeyatts)
        FROM unnest($1, $2) AS wanted (relation, number)
            JOIN pg_catalog.pg_attribute a ON a.attrelid = wanted.relation AND a.attnum = wanted.number AND NOT a.attisdropped
            JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
            LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        """;

    public ColumnFacts(PgDataReader row)
    {
        (Table, Number) = (row.GetFieldValue<uint>(0), row.GetInt16(1));
        (SchemaName, TableName, ColumnName) = (row.GetString(2), row.GetString(3), row.GetString(4));
        IsNotNull = row.GetBoolean(5);
        var identity = row.GetString(6);
        var isGenerated = row.GetBoolean(7);
        IsIdentity = identity.Length > 0;
        DefaultValue = isGenerated || row.IsDBNull(8) ? null : row.GetString(8);
        IsAutoIncrement = IsIdentity
            || (DefaultValue is not null && (DefaultValue.StartsWith("nextval(", StringComparison.Ordinal)
                || DefaultValue.StartsWith("pg_catalog.nextval(", StringComparison.Ordinal)));
        // The server refuses values for columns that are generated always.
        IsReadOnly = isGenerated || identity == "a" || !row.GetBoolean(9);
        IsUnique = row.GetBoolean(10);
        KeyColumns = row.GetFieldValue<short[]>(11);
    }

    public uint Table { get; }

    public short Number { get; }

    public string SchemaName { get; }

    public string TableName { get; }

    public string ColumnName { get; }

    /// <summary>The column or its domain is NOT NULL.</summary>
    public bool IsNotNull { get; }

    public bool IsIdentity { get; }

    public bool IsAutoIncrement { get; }

    public bool IsReadOnly { get; }

    /// <summary>A unique index that is neither partial nor over more than this column exists.</summary>
    public bool IsUnique { get; }

    /// <summary>The expression of the column's default; null for none, and for a generated column.</summary>
    public string? DefaultValue { get; }

    /// <summary>The numbers of the columns of the table's primary key; empty for none.</summary>
    public short[] KeyColumns { get; }
}
