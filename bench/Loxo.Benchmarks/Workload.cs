namespace Loxo.Benchmarks;

/// <summary>What the server is asked, and what is read of the answer.</summary>
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

    /// <summary>Twelve rows of a number and a text.</summary>
    TwelveRows,

    /// <summary>Four rows from five tables, with two parameters: cheap to run, dear to plan.</summary>
    Join,
}
