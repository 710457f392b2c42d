namespace Loxo.Copy;

/// <summary>The errors of bulk copies.</summary>
internal static class BulkErrors
{
    /// <summary>There is no such table.</summary>
    public static ArgumentException NoTable(string table) => new(
        $"There is no table '{table}' in the database, or the search path does not lead to it. The name is written as in SQL: "
        + "qualify it with its schema, and put a name with capitals in double quotes.");

    /// <summary>No table was named.</summary>
    public static InvalidOperationException NoTableName() => new("There is no table to copy into: set DestinationTableName.");

    /// <summary>A column of the source has none in the table.</summary>
    public static InvalidOperationException Unmatched(string table, IEnumerable<string> names, BulkTarget target) => new(
        $"Table {table} has no column for {string.Join(", ", names.Select(name => $"'{name}'"))} of the source. Its columns are "
        + $"{string.Join(", ", target.Columns.Where(column => !column.IsGenerated).Select(column => column.Name))}. "
        + "Names are compared without case and underscores; add ColumnMappings, or set SkipUnmatchedColumns.");

    /// <summary>Nothing of the source has a column in the table.</summary>
    public static InvalidOperationException NothingMatches(string table) => new(
        $"No column of the source has a column in table {table}, so there is nothing to copy.");

    /// <summary>A mapping names a column that the source lacks.</summary>
    public static InvalidOperationException NoSourceColumn(string name, IEnumerable<string> names) => new(
        $"ColumnMappings names column '{name}' of the source, which has {string.Join(", ", names)}.");

    /// <summary>A mapping names a column that the table lacks, or computes.</summary>
    public static InvalidOperationException NoTargetColumn(string name, string table, bool isGenerated) => new(isGenerated
        ? $"Column '{name}' of table {table} is generated: the server computes it, and nothing can be copied into it."
        : $"ColumnMappings names column '{name}' of table {table}, which has no such column.");

    /// <summary>Two columns of the source go into one of the table.</summary>
    public static InvalidOperationException MappedTwice(string name, string table) => new(
        $"Two columns of the source go into column '{name}' of table {table}: add ColumnMappings that say which one is meant.");

    /// <summary>There is no key by which conflicts can be told.</summary>
    public static InvalidOperationException NoKey(string table) => new(
        $"Table {table} has no primary key, so conflicts cannot be told by it: set KeyColumns to the columns of a unique constraint.");

    /// <summary>A column of the key is not copied.</summary>
    public static InvalidOperationException KeyNotCopied(string name, string table) => new(
        $"Column '{name}' belongs to the key of table {table} by which conflicts are told, but nothing is copied into it.");

    /// <summary>Arrays of one copy have different lengths.</summary>
    public static ArgumentException UnequalColumns(string first, int rows, string other, int otherRows) => new(string.Create(
        CultureInfo.InvariantCulture, $"Column '{first}' has {rows} values, but column '{other}' has {otherRows}."));

    /// <summary>A copy is used while it runs.</summary>
    public static InvalidOperationException InUse() => new("This bulk copy is running already.");

    /// <summary>The program has aborted the copy.</summary>
    public static OperationCanceledException Aborted() =>
        new("The bulk copy was aborted by a handler of RowsCopied. Rows of the batch in progress have not been copied.");

    /// <summary>A row cannot be copied; the cause names it.</summary>
    public static PgBulkCopyException BadRow(long row, Exception cause, int rejected) => new(
        cause.Message + (rejected == 0 ? "" : string.Create(CultureInfo.InvariantCulture, $" {rejected} rows have been rejected before."))
        + " Nothing of its batch was copied.", row, cause);
}
