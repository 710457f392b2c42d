using System.Runtime.CompilerServices;
using Loxo.Replication;
using Loxo.Sql;

namespace Loxo;

/// <summary>A connection that reads the write-ahead log as it is.</summary>
public sealed class PhysicalReplicationConnection : ReplicationConnection
{
    private const string Mode = "true";

    /// <summary>A connection whose <see cref="ReplicationConnection.ConnectionString"/> is still to be set.</summary>
    public PhysicalReplicationConnection()
        : this((string?)null)
    {
    }

    /// <param name="connectionString">Keywords and values; null for none yet.</param>
    public PhysicalReplicationConnection(string? connectionString)
        : base(Mode, connectionString)
    {
    }

    /// <param name="dataSource">Whose settings and passwords it has.</param>
    public PhysicalReplicationConnection(PgDataSource dataSource)
        : base(Mode, dataSource)
    {
    }

    /// <summary>Makes a physical replication slot.</summary>
    /// <param name="slotName">Lower-case letters, digits and underscores, at most 63.</param>
    /// <param name="isTemporary">Whether it ends with this connection.</param>
    /// <param name="reserveWal">Whether the server keeps the log from now on, and not only from the first use on.</param>
    /// <param name="cancellationToken">Cancels the command.</param>
    /// <exception cref="PgException">The server refuses, or the connection is lost.</exception>
    public async Task<PhysicalReplicationSlot> CreateReplicationSlot(
        string slotName, bool isTemporary = false, bool reserveWal = false, CancellationToken cancellationToken = default)
    {
        var command = $"CREATE_REPLICATION_SLOT {SqlIdentifier.Quote(slotName)}{(isTemporary ? " TEMPORARY" : "")} PHYSICAL"
            + (reserveWal ? " RESERVE_WAL" : "");
        var row = await AskForRow(command, columns: 2, cancellationToken).ConfigureAwait(false);
        return new(row[0]!);
    }

    /// <summary>Asks for a physical replication slot; PostgreSQL 15 or later.</summary>
    /// <param name="slotName">Its name.</param>
    /// <param name="cancellationToken">Cancels the command.</param>
    /// <returns>Null if there is none of that name.</returns>
    /// <exception cref="PgException">The slot is a logical one, the server is too old, or the connection is lost.</exception>
    public async Task<PhysicalReplicationSlot?> ReadReplicationSlot(string slotName, CancellationToken cancellationToken = default)
    {
        if (PostgreSqlVersion.Major < 15)
            throw ReplicationErrors.NeedsServer("READ_REPLICATION_SLOT", 15);
        var command = "READ_REPLICATION_SLOT " + SqlIdentifier.Quote(slotName);
        return await AskForRow(command, columns: 3, cancellationToken).ConfigureAwait(false) switch
        {
            [null, ..] => null,
            var row => new(slotName, row[1] is null ? null : Place(row[1]), row[2] is null ? null : Number(row[2], command)),
        };
    }

    /// <summary>
    /// Reads the log from a place of a slot on, until the enumeration is ended or the server comes to the end of a timeline.
    /// </summary>
    /// <param name="slot">The slot; null for none: then the server may have removed the log already.</param>
    /// <param name="walLocation">Where to begin.</param>
    /// <param name="cancellationToken">
    /// Ends the enumeration with an <see cref="OperationCanceledException"/>; the connection stays usable.
    /// </param>
    /// <param name="timeline">Its timeline; 0 for the server's current one.</param>
    public IAsyncEnumerable<XLogDataMessage> StartReplication(
        PhysicalReplicationSlot? slot, PgLogSequenceNumber walLocation, CancellationToken cancellationToken, uint timeline = 0)
    {
        var inSlot = slot is null ? "" : $"SLOT {SqlIdentifier.Quote(slot.Name)} ";
        var onTimeline = timeline == 0 ? "" : string.Create(CultureInfo.InvariantCulture, $" TIMELINE {timeline}");
        return Read($"START_REPLICATION {inSlot}PHYSICAL {walLocation}{onTimeline}", cancellationToken);
    }

    /// <inheritdoc cref="StartReplication(PhysicalReplicationSlot?, PgLogSequenceNumber, CancellationToken, uint)"/>
    public IAsyncEnumerable<XLogDataMessage> StartReplication(
        PgLogSequenceNumber walLocation, CancellationToken cancellationToken, uint timeline = 0) =>
        StartReplication(null, walLocation, cancellationToken, timeline);

    /// <summary>Reads the log from where the slot stands.</summary>
    /// <param name="slot">As <see cref="ReadReplicationSlot"/> returns it.</param>
    /// <param name="cancellationToken">
    /// Ends the enumeration with an <see cref="OperationCanceledException"/>; the connection stays usable.
    /// </param>
    /// <exception cref="ArgumentException">The slot has no <see cref="PhysicalReplicationSlot.RestartLsn"/>.</exception>
    public IAsyncEnumerable<XLogDataMessage> StartReplication(PhysicalReplicationSlot slot, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(slot);
        return slot.RestartLsn is { } place
            ? StartReplication(slot, place, cancellationToken, slot.RestartTimeline ?? 0)
            : throw new ArgumentException(
                $"The slot '{slot.Name}' does not say where to begin: read it with ReadReplicationSlot, or name a place.", nameof(slot));
    }

    private async IAsyncEnumerable<XLogDataMessage> Read(string command, [EnumeratorCancellation] CancellationToken token)
    {
        var stream = await Start(command, isPhysical: true, isLast: false, token).ConfigureAwait(false);
        await using var ending = stream.ConfigureAwait(false);
        while (await stream.ReadAsync(token).ConfigureAwait(false))
        {
            var bytes = stream.DataSegment;
            using var data = new MemoryStream(bytes.Array!, bytes.Offset, bytes.Count, writable: false);
            yield return new XLogDataMessage
            {
                Head = stream.Head, Data = data,
            };
        }
    }
}
