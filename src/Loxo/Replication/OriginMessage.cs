namespace Loxo;

/// <summary>The transaction comes from another server.</summary>
public sealed class OriginMessage : PgOutputReplicationMessage
{
    internal OriginMessage()
    {
    }

    /// <summary>The place of its commit there.</summary>
    public PgLogSequenceNumber OriginCommitLsn { get; internal init; }

    /// <summary>The name of the replication origin.</summary>
    public string OriginName { get; internal init; } = "";
}
