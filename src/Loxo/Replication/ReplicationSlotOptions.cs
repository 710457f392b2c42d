namespace Loxo;

/// <summary>What the server says of a logical slot that it has made.</summary>
/// <exception cref="ArgumentException">A constructor: the name is empty.</exception>
/// <exception cref="FormatException">A constructor: the place is not one.</exception>
public readonly record struct ReplicationSlotOptions
{
    /// <param name="slotName">The slot's name.</param>
    /// <param name="consistentPoint">The place from which on its changes are complete, as text; null for an unknown one.</param>
    public ReplicationSlotOptions(string slotName, string? consistentPoint = null)
        : this(slotName, consistentPoint is null ? default : PgLogSequenceNumber.Parse(consistentPoint))
    {
    }

    /// <param name="slotName">The slot's name.</param>
    /// <param name="consistentPoint">The place from which on its changes are complete.</param>
    public ReplicationSlotOptions(string slotName, PgLogSequenceNumber consistentPoint)
        : this(slotName, consistentPoint, snapshotName: null)
    {
    }

    internal ReplicationSlotOptions(string slotName, PgLogSequenceNumber consistentPoint, string? snapshotName)
    {
        ArgumentException.ThrowIfNullOrEmpty(slotName);
        (SlotName, ConsistentPoint, SnapshotName) = (slotName, consistentPoint, snapshotName);
    }

    /// <summary>The slot's name.</summary>
    public string SlotName { get; }

    /// <summary>The place from which on its changes are complete; 0/0 for an unknown one.</summary>
    public PgLogSequenceNumber ConsistentPoint { get; }

    /// <summary>
    /// The snapshot that shows the database just before that place, for <c>SET TRANSACTION SNAPSHOT</c> on other connections; null if none
    /// was exported. It ends with the next command of the replication connection.
    /// </summary>
    public string? SnapshotName { get; }
}
