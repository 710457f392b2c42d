namespace Loxo;

/// <summary>What a server says of itself.</summary>
public sealed class ReplicationSystemIdentification
{
    internal ReplicationSystemIdentification(string systemId, uint timeline, PgLogSequenceNumber xLogPos, string? dbName) =>
        (SystemId, Timeline, XLogPos, DbName) = (systemId, timeline, xLogPos, dbName);

    /// <summary>The number of the cluster, the same on its standbys.</summary>
    public string SystemId { get; }

    /// <summary>The current timeline.</summary>
    public uint Timeline { get; }

    /// <summary>The end of the write-ahead log that has been flushed to disk.</summary>
    public PgLogSequenceNumber XLogPos { get; }

    /// <summary>The database of the connection; null for a physical one.</summary>
    public string? DbName { get; }
}
