using Loxo.Sql;

namespace Loxo.Copy;

/// <summary>Which columns of a source go where, and the statements of a bulk copy.</summary>
internal sealed class BulkPlan
{
    private BulkPlan(int[] ordinals, string copy) => (Ordinals, Copy) = (ordinals, copy);

    /// <summary>The columns of the source that are copied.</summary>
    public int[] Ordinals { get; }

    /// <summary>Copies into the table, or into the staging table.</summary>
    public string Copy { get; }

    /// <summary>Makes the staging table; null where there is none.</summary>
    public string? CreateStaging { get; private init; }

    /// <summary>Moves the rows of the staging table into the table, and returns the numbers of new and of replaced rows.</summary>
    public string? Merge { get; private init; }

    /// <summary>Empties the staging table for the next batch.</summary>
    public string? Empty { get; private init; }

    /// <summary>Removes the staging table.</summary>
    public string? DropStaging { get; private init; }

    /// <summary>Makes the plan.</summary>
    /// <exception cref="InvalidOperationException">Source and table do not go together.</exception>
    public static BulkPlan Make(PgBulkCopy options, IReadOnlyList<string> names, BulkTarget target)
    {
        var key = KeyOf(options, target);
        var mapped = options.ColumnMappings.Count > 0 ? Explicit(options, names, target) : ByName(options, names, target, key);
        if (mapped.Count == 0)
            throw BulkErrors.NothingMatches(target.Table);
        if (mapped.GroupBy(pair => pair.Column.Name).FirstOrDefault(group => group.Count() > 1) is { } twice)
            throw BulkErrors.MappedTwice(twice.Key, target.Table);
        int[] ordinals = [.. mapped.Select(pair => pair.Ordinal)];
        var columns = string.Join(", ", mapped.Select(pair => pair.Column.Quoted));
        if (options.Conflict == PgBulkCopyConflict.Error)
            return new BulkPlan(ordinals, CopyInto(target.Table, columns));
        foreach (var name in key)
        {
            if (!mapped.Exists(pair => pair.Column.Name == name))
                throw BulkErrors.KeyNotCopied(name, target.Table);
        }
        var staging = SqlIdentifier.Quote("loxo_bulk_" + Guid.NewGuid().ToString("N"));
        return new BulkPlan(ordinals, CopyInto("pg_temp." + staging, columns))
        {
            // Neither constraints nor defaults: the rows meet those of the table when they are moved there.
            CreateStaging = $"CREATE TEMP TABLE {staging} ON COMMIT DROP AS SELECT {columns} FROM {target.Table} WITH NO DATA",
            Merge = MergeOf(options.Conflict, "pg_temp." + staging, target, [.. mapped.Select(pair => pair.Column)], key),
            Empty = $"TRUNCATE pg_temp.{staging}",
            DropStaging = $"DROP TABLE pg_temp.{staging}",
        };
    }

    private static string CopyInto(string table, string columns) => $"COPY {table} ({columns}) FROM STDIN (FORMAT binary)";

    private static IReadOnlyList<string> KeyOf(PgBulkCopy options, BulkTarget target)
    {
        if (options.Conflict == PgBulkCopyConflict.Error)
            return [];
        if (options.KeyColumns.Count == 0)
            return target.PrimaryKey.Count > 0 ? target.PrimaryKey : throw BulkErrors.NoKey(target.Table);
        return [.. options.KeyColumns.Select(name => target.Match(name)?.Name
            ?? throw BulkErrors.NoTargetColumn(name, target.Table, isGenerated: false))];
    }

    private static List<(int Ordinal, BulkTargetColumn Column)> Explicit(PgBulkCopy options, IReadOnlyList<string> names, BulkTarget target)
    {
        var mapped = new List<(int, BulkTargetColumn)>();
        foreach (var (source, destination) in options.ColumnMappings)
        {
            var ordinal = OrdinalOf(names, source);
            if (ordinal < 0)
                throw BulkErrors.NoSourceColumn(source, names);
            if (target.Find(destination) is not { IsGenerated: false } column)
                throw BulkErrors.NoTargetColumn(destination, target.Table, target.Find(destination) is not null);
            mapped.Add((ordinal, column));
        }
        return mapped;
    }

    // An identity column is left to the server, unless the caller wants the values or conflicts are told by them.
    private static List<(int Ordinal, BulkTargetColumn Column)> ByName(
        PgBulkCopy options, IReadOnlyList<string> names, BulkTarget target, IReadOnlyList<string> key)
    {
        var mapped = new List<(int, BulkTargetColumn)>();
        var unmatched = new List<string>();
        for (var i = 0; i < names.Count; i++)
        {
            if (target.Match(names[i]) is not { } column)
                unmatched.Add(names[i]);
            else if (!column.IsGenerated && (!column.IsIdentity || options.KeepIdentity || key.Contains(column.Name)))
                mapped.Add((i, column));
        }
        return unmatched.Count == 0 || options.SkipUnmatchedColumns
            ? mapped
            : throw BulkErrors.Unmatched(target.Table, unmatched, target);
    }

    private static int OrdinalOf(IReadOnlyList<string> names, string name)
    {
        for (var i = 0; i < names.Count; i++)
        {
            if (names[i] == name)
                return i;
        }
        return -1;
    }

    // xmax is 0 for a row that was inserted, and the number of the transaction that has locked it for one that was there. A partitioned
    // table returns no xmax: the rows that are there are counted before, and one that another session adds meanwhile counts as inserted.
    private static string MergeOf(
        PgBulkCopyConflict conflict, string staging, BulkTarget target, BulkTargetColumn[] columns, IReadOnlyList<string> key)
    {
        var names = string.Join(", ", columns.Select(column => column.Quoted));
        var keys = string.Join(", ", key.Select(SqlIdentifier.Quote));
        string[] others = [.. columns.Where(column => !key.Contains(column.Name))
            .Select(column => $"{column.Quoted} = EXCLUDED.{column.Quoted}")];
        var overriding = Array.Exists(columns, column => column.IsIdentity) ? " OVERRIDING SYSTEM VALUE" : "";
        var updates = conflict == PgBulkCopyConflict.Update && others.Length > 0;
        var rows = updates
            ? $"SELECT DISTINCT ON ({keys}) {names} FROM {staging} ORDER BY {keys}, ctid DESC"
            : $"SELECT {names} FROM {staging} ORDER BY ctid";
        var action = updates ? $"DO UPDATE SET {string.Join(", ", others)}" : "DO NOTHING";
        var merge = $"INSERT INTO {target.Table} ({names}){overriding} {rows} ON CONFLICT ({keys}) {action} RETURNING ";
        if (!updates)
            return $"WITH merged AS ({merge}1) SELECT count(*), 0::bigint FROM merged";
        if (!target.IsPartitioned)
        {
            return $"WITH merged AS ({merge}xmax = 0 AS is_new) "
                + "SELECT count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new) FROM merged";
        }
        var same = string.Join(" AND ", key.Select(SqlIdentifier.Quote).Select(name => $"s.{name} = t.{name}"));
        return $"WITH old AS (SELECT count(*) AS n FROM {target.Table} t WHERE EXISTS (SELECT FROM {staging} s WHERE {same})), "
            + $"merged AS ({merge}1) SELECT count(*) - (SELECT n FROM old), (SELECT n FROM old) FROM merged";
    }
}
