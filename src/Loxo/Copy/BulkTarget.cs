using Loxo.Sql;

namespace Loxo.Copy;

/// <summary>A table as a bulk copy sees it: its columns and its primary key.</summary>
internal sealed class BulkTarget
{
    private readonly List<BulkTargetColumn> _columns = [];

    private BulkTarget(string table, bool isPartitioned) => (Table, IsPartitioned) = (table, isPartitioned);

    /// <summary>The table's name, qualified and quoted.</summary>
    public string Table { get; }

    /// <summary>Whether its rows are kept by partitions.</summary>
    public bool IsPartitioned { get; }

    /// <summary>Its columns, in order.</summary>
    public IReadOnlyList<BulkTargetColumn> Columns => _columns;

    /// <summary>The columns of its primary key; empty without one.</summary>
    public IReadOnlyList<string> PrimaryKey { get; private set; } = [];

    // The order of the key's columns does not matter to ON CONFLICT.
    private const string Query =
        """
        SELECT pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname), a.attname::text,
          a.attgenerated <> '', a.attidentity <> '', coalesce(a.attnum = ANY (i.indkey::int2[]), false),
          c.relkind = 'p'
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
          LEFT JOIN pg_catalog.pg_index i ON i.indrelid = c.oid AND i.indisprimary
        WHERE c.oid = pg_catalog.to_regclass($1) ORDER BY a.attnum
        """;

    /// <summary>Asks the catalogue for a table. Blocks.</summary>
    /// <exception cref="ArgumentException">There is no such table.</exception>
    public static BulkTarget Load(PgConnection connection, string table)
    {
        using var command = Command(connection, table);
        using var reader = command.ExecuteReader();
        BulkTarget? target = null;
        while (reader.Read())
            Add(ref target, reader);
        return target?.WithKey() ?? throw BulkErrors.NoTable(table);
    }

    /// <inheritdoc cref="Load"/>
    public static async Task<BulkTarget> LoadAsync(PgConnection connection, string table, CancellationToken token)
    {
        using var command = Command(connection, table);
        var reader = await command.ExecuteReaderAsync(token).ConfigureAwait(false);
        BulkTarget? target = null;
        await using (reader.ConfigureAwait(false))
        {
            while (await reader.ReadAsync(token).ConfigureAwait(false))
                Add(ref target, reader);
        }
        return target?.WithKey() ?? throw BulkErrors.NoTable(table);
    }

    /// <summary>The column of that name, as the catalogue has it; null if there is none.</summary>
    public BulkTargetColumn? Find(string name) => _columns.Find(column => column.Name == name);

    /// <summary>
    /// The column that a source's name means: the same name, or else the only one that differs in case and underscores alone.
    /// </summary>
    public BulkTargetColumn? Match(string name)
    {
        if (Find(name) is { } same)
            return same;
        var similar = _columns.FindAll(column => ColumnName.IsSimilar(column.Name, name));
        return similar.Count == 1 ? similar[0] : null;
    }

    private static PgCommand Command(PgConnection connection, string table)
    {
        var command = new PgCommand(Query, connection);
        command.Parameters.Add(new PgParameter<string>(table));
        return command;
    }

    private static void Add(ref BulkTarget? target, PgDataReader reader)
    {
        target ??= new BulkTarget(reader.GetString(0), reader.GetBoolean(5));
        target._columns.Add(new BulkTargetColumn(reader.GetString(1), reader.GetBoolean(2), reader.GetBoolean(3), reader.GetBoolean(4)));
    }

    private BulkTarget WithKey()
    {
        PrimaryKey = [.. _columns.Where(column => column.IsKey).Select(column => column.Name)];
        return this;
    }
}

/// <summary>A column of the target.</summary>
/// <param name="Name">As the catalogue has it.</param>
/// <param name="IsGenerated">The server computes it.</param>
/// <param name="IsIdentity">It is an identity column.</param>
/// <param name="IsKey">It belongs to the primary key.</param>
internal sealed record BulkTargetColumn(string Name, bool IsGenerated, bool IsIdentity, bool IsKey)
{
    /// <summary>The name in double quotes.</summary>
    public string Quoted => SqlIdentifier.Quote(Name);
}
