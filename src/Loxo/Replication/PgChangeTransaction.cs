namespace Loxo;

/// <summary>A committed transaction with its changes, in their order. It may be kept.</summary>
public sealed class PgChangeTransaction
{
    internal PgChangeTransaction(
        uint xid, PgLogSequenceNumber commitLsn, PgLogSequenceNumber endLsn, DateTime committedAt, string? origin,
        IReadOnlyList<TransactionalMessage> changes) =>
        (Xid, CommitLsn, EndLsn, CommittedAt, Origin, Changes) = (xid, commitLsn, endLsn, committedAt, origin, changes);

    /// <summary>Its id; 0 for a message outside of a transaction.</summary>
    public uint Xid { get; }

    /// <summary>The place of its commit in the write-ahead log.</summary>
    public PgLogSequenceNumber CommitLsn { get; }

    /// <summary>Its end: the place to acknowledge.</summary>
    public PgLogSequenceNumber EndLsn { get; }

    /// <summary>When it was committed, in UTC; the moment of its arrival for a message outside of a transaction.</summary>
    public DateTime CommittedAt { get; }

    /// <summary>The replication origin, if it comes from another server; null otherwise.</summary>
    public string? Origin { get; }

    /// <summary>
    /// An <see cref="InsertMessage"/>, <see cref="UpdateMessage"/>, <see cref="DeleteMessage"/>, <see cref="TruncateMessage"/> or
    /// <see cref="LogicalDecodingMessage"/> for each change of a published table.
    /// </summary>
    public IReadOnlyList<TransactionalMessage> Changes { get; }
}
