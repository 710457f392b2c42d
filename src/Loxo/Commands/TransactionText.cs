using System.Data;

namespace Loxo.Commands;

/// <summary>The BEGIN of a transaction, and the error of a COMMIT that did not commit.</summary>
internal static class TransactionText
{
    public static string Begin(IsolationLevel level, PgTransactionOptions options)
    {
        var begin = level switch
        {
            IsolationLevel.Unspecified => "BEGIN",
            IsolationLevel.ReadCommitted => "BEGIN ISOLATION LEVEL READ COMMITTED",
            IsolationLevel.ReadUncommitted => "BEGIN ISOLATION LEVEL READ UNCOMMITTED",
            IsolationLevel.RepeatableRead or IsolationLevel.Snapshot => "BEGIN ISOLATION LEVEL REPEATABLE READ",
            IsolationLevel.Serializable => "BEGIN ISOLATION LEVEL SERIALIZABLE",
            IsolationLevel.Chaos => throw new NotSupportedException(
                "PostgreSQL does not know Chaos, only ReadCommitted, ReadUncommitted, RepeatableRead (also as Snapshot) and Serializable."),
            _ => throw new ArgumentOutOfRangeException(nameof(level), level,
                "PostgreSQL knows ReadCommitted, ReadUncommitted, RepeatableRead (also as Snapshot) and Serializable."),
        };
        if ((options & PgTransactionOptions.ReadOnly) != 0)
            begin += " READ ONLY";
        return (options & PgTransactionOptions.Deferrable) != 0 ? begin + " DEFERRABLE" : begin;
    }

    /// <summary>COMMIT, or the end of a group, was sent, and the connection has ended before its answer.</summary>
    public static Exception OutcomeUnknown(Exception cause, string end = "COMMIT")
    {
        var message = $"It is not known whether the transaction has been committed: its {end} was not answered. {cause.Message} "
            + "Look in the database before the work is repeated.";
        return cause is OperationCanceledException cancelled
            ? new OperationCanceledException(message, cause, cancelled.CancellationToken)
            : new PgException(message, PgErrorCode.CommitOutcomeUnknown, cause);
    }

    public static PgException NotCommitted() => new(
        "The transaction was not committed: one of its statements had failed, so the server has rolled it back. The connection can be "
        + "used.",
        PgErrorCode.TransactionRolledBack);
}
