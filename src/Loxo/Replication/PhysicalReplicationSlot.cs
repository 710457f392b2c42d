namespace Loxo;

/// <summary>A slot whose reader gets the write-ahead log as it is.</summary>
/// <param name="slotName">Its name.</param>
/// <param name="restartLsn">The oldest place that the server keeps for it; null if it keeps none yet, or for an unknown one.</param>
/// <param name="restartTimeline">The timeline of that place; null likewise.</param>
public sealed class PhysicalReplicationSlot(string slotName, PgLogSequenceNumber? restartLsn = null, uint? restartTimeline = null)
    : ReplicationSlot(slotName)
{
    /// <summary>The oldest place that the server keeps for it; null if it keeps none yet.</summary>
    public PgLogSequenceNumber? RestartLsn { get; } = restartLsn;

    /// <summary>The timeline of that place; null if there is none.</summary>
    public uint? RestartTimeline { get; } = restartTimeline;
}
