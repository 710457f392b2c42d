using System.Data;

namespace Loxo.Schema;

/// <summary>
/// The collection DataTypes: all types of the database that a column can have, except those of the rows of tables. What a type is read
/// as is found out by describing a query for a NULL of each.
/// </summary>
internal static class DataTypes
{
    // A query has at most 1664 columns (manual, "PostgreSQL Limits").
    private const int MostColumns = 1600;

    private const string Sql = """
        SELECT t.oid, t.typtype::text, t.typlen::int, pg_catalog.format('NULL::%I.%I', n.nspname, t.typname),
            CASE WHEN n.nspname = 'pg_catalog' THEN pg_catalog.format_type(t.oid, NULL) ELSE n.nspname || '.' || coalesce(
                (SELECT e.typname || '[]' FROM pg_catalog.pg_type e WHERE e.typarray = t.oid), t.typname) END
        FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
        WHERE t.typtype IN ('b', 'c', 'd', 'e', 'm', 'r') AND n.nspname !~ '^pg_(toast|temp_)'
            AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_type e JOIN pg_catalog.pg_class c ON c.oid = e.typrelid AND c.relkind <> 'c'
                WHERE t.oid IN (e.oid, e.typarray))
        ORDER BY t.typelem <> 0 AND t.typlen = -1, t.typtype IN ('m', 'r'), t.typtype = 'd', t.oid
        """;

    private static readonly string[] ExactNumbers = ["smallint", "integer", "bigint", "numeric", "money"];
    private static readonly string[] OtherNumbers = ["real", "double precision"];
    private static readonly string[] Unsigned = ["oid", "xid", "xid8", "cid"];
    private static readonly string[] Texts = ["text", "character", "character varying", "name", "citext"];
    private static readonly string[] Sized = ["character", "character varying", "bit", "bit varying"];

    public static DataTable Read(PgConnection connection)
    {
        var types = new List<DataTypeRow>();
        using (var reader = Command(connection, Sql).ExecuteReader())
        {
            while (reader.Read())
                types.Add(new DataTypeRow(reader));
        }
        var table = New();
        foreach (var part in types.Chunk(MostColumns))
        {
            using var reader = Command(connection, Query(part)).ExecuteReader(CommandBehavior.SchemaOnly);
            AddRows(table, part, reader);
        }
        return table;
    }

    /// <inheritdoc cref="Read"/>
    public static async Task<DataTable> ReadAsync(PgConnection connection, CancellationToken token)
    {
        var types = new List<DataTypeRow>();
        var rows = await Command(connection, Sql).ExecuteReaderAsync(token).ConfigureAwait(false);
        await using (rows.ConfigureAwait(false))
        {
            while (await rows.ReadAsync(token).ConfigureAwait(false))
                types.Add(new DataTypeRow(rows));
        }
        var table = New();
        foreach (var part in types.Chunk(MostColumns))
        {
            var columns = await Command(connection, Query(part)).ExecuteReaderAsync(CommandBehavior.SchemaOnly, token)
                .ConfigureAwait(false);
            await using (columns.ConfigureAwait(false))
                AddRows(table, part, columns);
        }
        return table;
    }

    private static PgCommand Command(PgConnection connection, string sql) => new(sql, connection) { AutoPrepare = false };

    private static string Query(DataTypeRow[] types) => "SELECT " + string.Join(", ", types.Select(type => type.Expression));

    private static DataTable New() => SchemaTables.New("DataTypes",
        ("TypeName", typeof(string)), ("ColumnSize", typeof(long)), ("CreateFormat", typeof(string)), ("CreateParameters", typeof(string)),
        ("DataType", typeof(string)), ("IsAutoIncrementable", typeof(bool)), ("IsBestMatch", typeof(bool)),
        ("IsCaseSensitive", typeof(bool)), ("IsConcurrencyType", typeof(bool)), ("IsFixedLength", typeof(bool)),
        ("IsFixedPrecisionAndScale", typeof(bool)), ("IsLiteralSupported", typeof(bool)), ("IsLong", typeof(bool)),
        ("IsNullable", typeof(bool)), ("IsSearchable", typeof(bool)), ("IsSearchableWithLike", typeof(bool)), ("IsUnsigned", typeof(bool)),
        ("LiteralPrefix", typeof(string)), ("LiteralSuffix", typeof(string)), ("MaximumScale", typeof(short)),
        ("MinimumScale", typeof(short)), ("NativeDataType", typeof(string)), ("ProviderDbType", typeof(int)), ("OID", typeof(uint)));

    private static void AddRows(DataTable table, DataTypeRow[] types, PgDataReader reader)
    {
        foreach (var column in reader.GetColumnSchema())
            AddRow(table, types[column.ColumnOrdinal!.Value], column);
    }

    private static void AddRow(DataTable table, DataTypeRow type, PgDbColumn column)
    {
        // Of a domain, the description tells the type that it is based on.
        var name = type.IsDomain ? column.DataTypeName! : type.Name;
        var element = name.EndsWith("[]", StringComparison.Ordinal) ? name[..^2] : name;
        var suffix = name[element.Length..];
        var isNumber = ExactNumbers.Contains(name) || OtherNumbers.Contains(name);
        var hasQuotes = !isNumber && name != "boolean";
        var isScaled = element == "numeric";
        var row = table.NewRow();
        row["TypeName"] = type.Name;
        row["CreateFormat"] = element.ToUpperInvariant() + (isScaled ? "({0},{1})" : Sized.Contains(element) ? "({0})" : "") + suffix;
        row["CreateParameters"] = isScaled ? "precision, scale" : Sized.Contains(element) ? "size" : "";
        row["DataType"] = column.DataType?.ToString();
        row["IsAutoIncrementable"] = name is "smallint" or "integer" or "bigint";
        row["IsBestMatch"] = !type.IsDomain && element != "\"char\"";
        row["IsCaseSensitive"] = element is not ("citext" or "public.citext");
        row["IsConcurrencyType"] = name == "xid";
        row["IsFixedLength"] = type.Length > 0;
        row["IsFixedPrecisionAndScale"] = ExactNumbers.Contains(name) && name != "numeric";
        row["IsLiteralSupported"] = true;
        row["IsLong"] = name == "bytea";
        row["IsNullable"] = true;
        row["IsSearchable"] = true;
        row["IsSearchableWithLike"] = Texts.Contains(name);
        if (isNumber || Unsigned.Contains(name))
            row["IsUnsigned"] = !isNumber;
        if (hasQuotes)
            row["LiteralPrefix"] = row["LiteralSuffix"] = "'";
        if (name == "numeric")
            (row["MaximumScale"], row["MinimumScale"]) = ((short)16383, (short)0);
        row["ProviderDbType"] = (int?)column.PgDbType is { } dbType ? dbType : DBNull.Value;
        row["OID"] = type.Oid;
        table.Rows.Add(row);
    }

    private readonly struct DataTypeRow(PgDataReader reader)
    {
        public uint Oid { get; } = reader.GetFieldValue<uint>(0);

        public bool IsDomain { get; } = reader.GetString(1) == "d";

        public int Length { get; } = reader.GetInt32(2);

        public string Expression { get; } = reader.GetString(3);

        public string Name { get; } = reader.GetString(4);
    }
}
