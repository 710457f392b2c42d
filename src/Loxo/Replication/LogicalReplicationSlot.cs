namespace Loxo;

/// <summary>A slot whose changes an output plugin decodes. Derive from it for a plugin of your own.</summary>
public class LogicalReplicationSlot : ReplicationSlot
{
    /// <param name="outputPlugin">The plugin's name.</param>
    /// <param name="replicationSlotOptions">What is known of the slot.</param>
    public LogicalReplicationSlot(string outputPlugin, ReplicationSlotOptions replicationSlotOptions)
        : base(replicationSlotOptions.SlotName)
    {
        ArgumentException.ThrowIfNullOrEmpty(outputPlugin);
        OutputPlugin = outputPlugin;
        SnapshotName = replicationSlotOptions.SnapshotName;
        ConsistentPoint = replicationSlotOptions.ConsistentPoint;
    }

    /// <inheritdoc cref="ReplicationSlotOptions.SnapshotName"/>
    public string? SnapshotName { get; }

    /// <summary>The plugin's name.</summary>
    public string OutputPlugin { get; }

    /// <inheritdoc cref="ReplicationSlotOptions.ConsistentPoint"/>
    public PgLogSequenceNumber ConsistentPoint { get; }

    internal ReplicationSlotOptions Options => new(Name, ConsistentPoint, SnapshotName);
}
