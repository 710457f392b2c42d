namespace Loxo;

/// <summary>For authors of extensions that read an output plugin of their own; others use the extensions of their plugin.</summary>
public static class LogicalReplicationConnectionExtensions
{
    /// <summary>Makes a logical replication slot.</summary>
    /// <param name="connection">An open connection.</param>
    /// <param name="slotName">Lower-case letters, digits and underscores, at most 63.</param>
    /// <param name="outputPlugin">The plugin's name.</param>
    /// <param name="isTemporary">Whether the slot ends with the connection.</param>
    /// <param name="slotSnapshotInitMode">The snapshot that goes with it; null for the server's default, which exports one.</param>
    /// <param name="twoPhase">Whether prepared transactions are decoded when they are prepared; PostgreSQL 15 or later.</param>
    /// <param name="cancellationToken">Cancels the command.</param>
    /// <exception cref="PgException">The server refuses, or the connection is lost.</exception>
    public static Task<ReplicationSlotOptions> CreateLogicalReplicationSlot(
        this LogicalReplicationConnection connection, string slotName, string outputPlugin, bool isTemporary = false,
        LogicalSlotSnapshotInitMode? slotSnapshotInitMode = null, bool twoPhase = false, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(connection);
        return connection.CreateSlot(
            slotName, outputPlugin, isTemporary, slotSnapshotInitMode, twoPhase, failover: false, cancellationToken);
    }

    /// <summary>Reads what the plugin makes of the changes, until the enumeration is ended.</summary>
    /// <param name="connection">An open connection.</param>
    /// <param name="slot">The slot.</param>
    /// <param name="cancellationToken">
    /// Ends the enumeration with an <see cref="OperationCanceledException"/>; the connection stays usable.
    /// </param>
    /// <param name="walLocation">Where to begin; null, or a place that the slot has passed, for where the slot stands.</param>
    /// <param name="options">Options of the plugin; null for none.</param>
    /// <param name="bypassingStream">No difference is made: the data are always read in place.</param>
    public static IAsyncEnumerable<XLogDataMessage> StartLogicalReplication(
        this LogicalReplicationConnection connection, LogicalReplicationSlot slot, CancellationToken cancellationToken,
        PgLogSequenceNumber? walLocation = null, IEnumerable<KeyValuePair<string, string?>>? options = null, bool bypassingStream = false)
    {
        ArgumentNullException.ThrowIfNull(connection);
        ArgumentNullException.ThrowIfNull(slot);
        return connection.Read(slot.Name, walLocation, options ?? [], cancellationToken);
    }
}
