using System.Runtime.CompilerServices;
using System.Text;

namespace Loxo;

/// <summary>Replication by the plugin test_decoding, which shows changes as text.</summary>
public static class TestDecodingConnectionExtensions
{
    /// <summary>Makes a slot.</summary>
    /// <param name="connection">An open connection.</param>
    /// <param name="slotName">Lower-case letters, digits and underscores, at most 63.</param>
    /// <param name="temporarySlot">Whether the slot ends with the connection.</param>
    /// <param name="slotSnapshotInitMode">The snapshot that goes with it; null for the server's default, which exports one.</param>
    /// <param name="twoPhase">Whether prepared transactions are decoded when they are prepared; PostgreSQL 15 or later.</param>
    /// <param name="cancellationToken">Cancels the command.</param>
    /// <exception cref="PgException">The server refuses, or the connection is lost.</exception>
    public static async Task<TestDecodingReplicationSlot> CreateTestDecodingReplicationSlot(
        this LogicalReplicationConnection connection, string slotName, bool temporarySlot = false,
        LogicalSlotSnapshotInitMode? slotSnapshotInitMode = null, bool twoPhase = false, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(connection);
        return new(await connection.CreateSlot(slotName, TestDecodingReplicationSlot.Plugin, temporarySlot, slotSnapshotInitMode, twoPhase,
            failover: false, cancellationToken).ConfigureAwait(false));
    }

    /// <summary>Reads changes until the enumeration is ended.</summary>
    /// <param name="connection">An open connection.</param>
    /// <param name="slot">The slot.</param>
    /// <param name="cancellationToken">
    /// Ends the enumeration with an <see cref="OperationCanceledException"/>; the connection stays usable.
    /// </param>
    /// <param name="options">Options of the plugin; null for its defaults.</param>
    /// <param name="walLocation">Where to begin; null, or a place that the slot has passed, for where the slot stands.</param>
    public static IAsyncEnumerable<TestDecodingData> StartReplication(
        this LogicalReplicationConnection connection, TestDecodingReplicationSlot slot, CancellationToken cancellationToken,
        TestDecodingOptions? options = null, PgLogSequenceNumber? walLocation = null)
    {
        ArgumentNullException.ThrowIfNull(connection);
        ArgumentNullException.ThrowIfNull(slot);
        return Read(connection, slot.Name, options, walLocation, cancellationToken);
    }

    private static async IAsyncEnumerable<TestDecodingData> Read(
        LogicalReplicationConnection connection, string slot, TestDecodingOptions? options, PgLogSequenceNumber? place,
        [EnumeratorCancellation] CancellationToken token)
    {
        var stream = await connection.StartLogical(slot, place, options?.Pairs() ?? [], token).ConfigureAwait(false);
        await using var ending = stream.ConfigureAwait(false);
        while (await stream.ReadAsync(token).ConfigureAwait(false))
        {
            yield return new TestDecodingData
            {
                Head = stream.Head,
                Data = Encoding.UTF8.GetString(stream.Data),
            };
        }
    }
}
