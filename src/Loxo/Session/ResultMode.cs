namespace Loxo.Session;

/// <summary>How a command treats its results.</summary>
[Flags]
internal enum ResultMode : byte
{
    /// <summary>It stops at each row and at the end of each result.</summary>
    Rows = 0,

    /// <summary>It skips rows and results.</summary>
    Skip = 1,

    /// <summary>It stops at a long row before that has arrived whole, so that the row is read in pieces.</summary>
    RowsInPieces = 2,

    /// <summary>It describes the statements without executing them.</summary>
    Describe = 4,

    /// <summary>It prepares the statements without executing them.</summary>
    Prepare = 8 | Skip,

    /// <summary>
    /// It copies its rows, as many as a <see cref="CommandQueue"/> allows, so that the commands behind it need not wait for its reader.
    /// </summary>
    Collect = 16,

    /// <summary>With <see cref="Collect"/>: it skips all but the first row, or the end of the first result.</summary>
    FirstRow = 32,
}
