namespace Loxo.Benchmarks;

/// <summary>What a peer is asked to do.</summary>
internal enum Workload
{
    /// <summary>One row by its key: a prepared statement, run again and again by the same command.</summary>
    Lookup,

    /// <summary>1,000 rows of five columns, two of them text: a prepared statement, run again by the same command; all values are read.</summary>
    ReadRows,

    /// <summary>SELECT 1, not prepared, by the same command.</summary>
    SelectOne,

    /// <summary>One row by its key, not prepared, by a new command and parameter each time.</summary>
    NewCommand,
}

/// <summary>One row of the table.</summary>
/// <param name="Id">Its name on the command line.</param>
/// <param name="Title">Its name in the table.</param>
/// <param name="Workload">What is done.</param>
/// <param name="IsAsync">Whether it is awaited.</param>
/// <param name="Batch">How many executions are measured together.</param>
/// <param name="UnitsPerExecution">How many operations of the table one execution counts for: a result of 1,000 rows is 1,000.</param>
internal sealed record Row(string Id, string Title, Workload Workload, bool IsAsync, int Batch, int UnitsPerExecution = 1)
{
    public static readonly Row[] All =
    [
        new("lookup", "prepared lookup by key", Workload.Lookup, IsAsync: false, 10_000),
        new("lookup-async", "prepared lookup by key, async", Workload.Lookup, IsAsync: true, 10_000),
        new("rows", "1,000 rows of 5 columns, per row", Workload.ReadRows, IsAsync: false, 150, TestData.RowsRead),
        new("rows-async", "1,000 rows of 5 columns, per row, async", Workload.ReadRows, IsAsync: true, 150, TestData.RowsRead),
        new("select1", "SELECT 1, not prepared", Workload.SelectOne, IsAsync: false, 6_000),
        new("select1-async", "SELECT 1, not prepared, async", Workload.SelectOne, IsAsync: true, 6_000),
        new("new", "lookup, not prepared, new command", Workload.NewCommand, IsAsync: false, 5_000),
        new("new-async", "lookup, not prepared, new command, async", Workload.NewCommand, IsAsync: true, 5_000),
    ];

    /// <summary>The rows of those names, separated by commas; all when there are none.</summary>
    public static Row[] Choose(string names) => names.Length == 0
        ? All
        : [.. names.Split(',').Select(name => Array.Find(All, row => row.Id == name)
            ?? throw new ArgumentException($"There is no row '{name}'. Rows: {string.Join(", ", All.Select(row => row.Id))}"))];
}
