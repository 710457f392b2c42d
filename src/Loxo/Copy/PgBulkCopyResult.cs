namespace Loxo;

/// <summary>What a <see cref="PgBulkCopy"/> did.</summary>
public sealed class PgBulkCopyResult
{
    internal PgBulkCopyResult()
    {
    }

    /// <summary>Rows that were sent to the server and accepted: those that were inserted, updated or ignored.</summary>
    public long RowsCopied { get; internal set; }

    /// <summary>Rows that are new in the table.</summary>
    public long RowsInserted { get; internal set; }

    /// <summary>Rows of the table that were replaced: with <see cref="PgBulkCopyConflict.Update"/>.</summary>
    public long RowsUpdated { get; internal set; }

    /// <summary>
    /// Rows without effect, because the table or the source had a row of the same key: with <see cref="PgBulkCopyConflict.Ignore"/> and
    /// <see cref="PgBulkCopyConflict.Update"/>.
    /// </summary>
    public long RowsIgnored => RowsCopied - RowsInserted - RowsUpdated;

    /// <summary>How many batches there were.</summary>
    public int Batches { get; internal set; }

    /// <summary>The time from the call to its end.</summary>
    public TimeSpan Duration { get; internal set; }

    /// <summary>The part of <see cref="Duration"/> that was spent waiting for the ends of the batches.</summary>
    public TimeSpan CompletionDuration { get; internal set; }

    /// <summary>The rows that could not be copied, with <see cref="PgBulkCopy.MaxRejectedRows"/>; else empty.</summary>
    public IReadOnlyList<PgRejectedRow> RejectedRows => Rejected;

    internal List<PgRejectedRow> Rejected { get; } = [];

    /// <summary>The numbers of rows, which go back when a batch is undone.</summary>
    internal (long Copied, long Inserted, long Updated) Counts
    {
        get => (RowsCopied, RowsInserted, RowsUpdated);
        set => (RowsCopied, RowsInserted, RowsUpdated) = value;
    }

    /// <summary>The place in the source of a row of a batch, by the number of rows of the batch before it that were sent.</summary>
    /// <param name="sent">That number.</param>
    /// <param name="start">The place of the batch's first row.</param>
    internal long PlaceOf(long sent, long start)
    {
        var place = start + sent;
        foreach (var rejected in Rejected)
        {
            if (rejected.Index >= start && rejected.Index <= place)
                place++;
        }
        return place;
    }
}

/// <summary>A row of the source that a <see cref="PgBulkCopy"/> has left out.</summary>
/// <param name="Index">The row's place in the source, counted from 0.</param>
/// <param name="Error">Why it cannot be copied.</param>
public sealed record PgRejectedRow(long Index, Exception Error);

/// <summary>A row of the source cannot be copied. An error of the server is a <see cref="PostgresException"/> instead.</summary>
public sealed class PgBulkCopyException : PgException
{
    internal PgBulkCopyException(string message, long rowIndex, Exception innerException)
        : base(message, PgErrorCode.ConversionFailed, innerException) => RowIndex = rowIndex;

    /// <summary>The row's place in the source, counted from 0.</summary>
    public long RowIndex { get; }
}

/// <summary>What becomes of rows whose key is in the table already.</summary>
public enum PgBulkCopyConflict
{
    /// <summary>They are an error of the server: nothing of the batch is copied. The default, and the fastest.</summary>
    Error,

    /// <summary>They are left out. Of several rows of the source with one key, the first is copied.</summary>
    Ignore,

    /// <summary>They replace the table's rows. Of several rows of the source with one key, the last one counts.</summary>
    Update,
}

/// <summary>Says how far a <see cref="PgBulkCopy"/> has come.</summary>
/// <param name="rowsCopied">The rows sent so far.</param>
public sealed class PgRowsCopiedEventArgs(long rowsCopied) : EventArgs
{
    /// <summary>The rows sent so far. They are in the table when their batch has ended.</summary>
    public long RowsCopied { get; } = rowsCopied;

    /// <summary>Set it to end the copy with an <see cref="OperationCanceledException"/>. Nothing of the batch in progress is
    /// copied.</summary>
    public bool Abort { get; set; }
}

/// <summary>A column of the source and its column in the table.</summary>
/// <param name="Source">The name in the source: of a column, a property, a field.</param>
/// <param name="Destination">The name in the table, as the catalogue has it, without quotes.</param>
public sealed record PgBulkCopyColumnMapping(string Source, string Destination);
