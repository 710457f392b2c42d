using System.Runtime.CompilerServices;

namespace Loxo;

/// <summary>Replication by the plugin pgoutput, which sends the changes of publications.</summary>
public static class PgOutputConnectionExtensions
{
    /// <summary>Makes a slot.</summary>
    /// <param name="connection">An open connection.</param>
    /// <param name="slotName">Lower-case letters, digits and underscores, at most 63.</param>
    /// <param name="temporarySlot">Whether the slot ends with the connection.</param>
    /// <param name="slotSnapshotInitMode">The snapshot that goes with it; null for the server's default, which exports one.</param>
    /// <param name="twoPhase">Whether prepared transactions are decoded when they are prepared; PostgreSQL 15 or later.</param>
    /// <param name="cancellationToken">Cancels the command.</param>
    /// <exception cref="PgException">The server refuses, or the connection is lost.</exception>
    public static async Task<PgOutputReplicationSlot> CreatePgOutputReplicationSlot(
        this LogicalReplicationConnection connection, string slotName, bool temporarySlot = false,
        LogicalSlotSnapshotInitMode? slotSnapshotInitMode = null, bool twoPhase = false, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(connection);
        return new(await connection.CreateSlot(slotName, PgOutputReplicationSlot.Plugin, temporarySlot, slotSnapshotInitMode, twoPhase,
            failover: false, cancellationToken).ConfigureAwait(false));
    }

    /// <summary>
    /// Reads changes until the enumeration is ended. Confirm what is stored with
    /// <see cref="ReplicationConnection.SetReplicationStatus"/>, or the server keeps its log and sends it again to the next reader.
    /// </summary>
    /// <param name="connection">An open connection.</param>
    /// <param name="slot">The slot.</param>
    /// <param name="options">The publications, and what is sent of them.</param>
    /// <param name="cancellationToken">
    /// Ends the enumeration with an <see cref="OperationCanceledException"/>; the connection stays usable.
    /// </param>
    /// <param name="walLocation">Where to begin; null, or a place that the slot has passed, for where the slot stands.</param>
    public static IAsyncEnumerable<PgOutputReplicationMessage> StartReplication(
        this LogicalReplicationConnection connection, PgOutputReplicationSlot slot, PgOutputReplicationOptions options,
        CancellationToken cancellationToken, PgLogSequenceNumber? walLocation = null)
    {
        ArgumentNullException.ThrowIfNull(connection);
        ArgumentNullException.ThrowIfNull(slot);
        ArgumentNullException.ThrowIfNull(options);
        return Read(connection, slot.Name, options, walLocation, cancellationToken);
    }

    private static async IAsyncEnumerable<PgOutputReplicationMessage> Read(
        LogicalReplicationConnection connection, string slot, PgOutputReplicationOptions options, PgLogSequenceNumber? place,
        [EnumeratorCancellation] CancellationToken token)
    {
        var stream = await connection.StartLogical(slot, place, options.Pairs(), token).ConfigureAwait(false);
        await using var ending = stream.ConfigureAwait(false);
        var decoder = connection.Decoder;
        decoder.Begin();
        stream.Skipped = () => decoder.Decode(stream);
        while (await stream.ReadAsync(token).ConfigureAwait(false))
        {
            var message = decoder.Decode(stream);
            if (message is BeginMessage or BeginPrepareMessage or StreamStartMessage)
                await decoder.RefreshAsync(connection, token).ConfigureAwait(false);
            yield return message is RelationMessage relation
                ? await decoder.LookUpAsync(relation, connection, token).ConfigureAwait(false)
                : message;
        }
    }
}
