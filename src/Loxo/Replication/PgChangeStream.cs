using System.Data;
using System.Runtime.CompilerServices;
using Loxo.Diagnostics;
using Loxo.Replication;
using Microsoft.Extensions.Logging;

namespace Loxo;

/// <summary>
/// The committed transactions of publications, each with its changes, one after the other. The server keeps what was not acknowledged in a
/// replication slot: also while the program does not run, so that it goes on where it has stopped. The stream opens its connection again
/// when it is lost.
/// </summary>
/// <remarks>
/// While it is enumerated each transaction comes once. Those that the program has not acknowledged when it leaves the enumeration, or
/// ends, come again with the next one: at least once, unless the program stores <see cref="PgChangeTransaction.EndLsn"/> together with
/// what it makes of the changes.
/// </remarks>
public sealed class PgChangeStream
{
    private static readonly TimeSpan _firstDelay = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan _longestDelay = TimeSpan.FromSeconds(30);

    private readonly PgDataSource _source;
    private readonly PgChangeStreamOptions _options;
    private readonly string[] _publications;
    private readonly ILogger _log;
    // Whoever acknowledges tells the connection of the moment; a connection that is opened meanwhile takes over what was acknowledged.
    private readonly Lock _telling = new();
    private LogicalReplicationConnection? _connection;
    private ulong _delivered;
    private ulong _acknowledged;
    // What the program has acknowledged itself, or the slot had when the reading began. The places that are advanced to while nothing is
    // published do not count: a standby that becomes the primary may not have come as far, and writes something else there.
    private ulong _done;
    private ulong _serverEnd;
    private uint _timeline;
    private int _isReading;

    internal PgChangeStream(PgDataSource source, string slot, IEnumerable<string> publications, PgChangeStreamOptions options, ILogger log)
    {
        ArgumentException.ThrowIfNullOrEmpty(slot);
        ArgumentNullException.ThrowIfNull(publications);
        (_source, SlotName, _options, _log) = (source, slot, options, log);
        _publications = [.. publications];
        if (_publications.Length == 0)
            throw new ArgumentException("There is no publication: name at least one.", nameof(publications));
    }

    /// <summary>The slot's name.</summary>
    public string SlotName { get; }

    /// <summary>
    /// Everything in front of this place was acknowledged, or holds no change of the publications; 0/0 before it is read.
    /// </summary>
    public PgLogSequenceNumber AcknowledgedLsn => new(Volatile.Read(ref _acknowledged));

    /// <summary>The end of the last transaction that was read; the place where the stream has begun before the first one.</summary>
    public PgLogSequenceNumber ReadLsn => new(Volatile.Read(ref _delivered));

    /// <summary>
    /// How many bytes of the server's write-ahead log, as of the last message that was read, were not acknowledged; 0 before the first
    /// message. It counts changes of other databases and tables, too, and nothing that was not read yet: see
    /// <see cref="GetBytesBehindAsync"/>. The instrument <c>loxo.replication.lag</c> shows it while the stream is read.
    /// </summary>
    public long BytesBehind =>
        (Volatile.Read(ref _serverEnd), Volatile.Read(ref _acknowledged)) is var (end, done) && end > done ? (long)(end - done) : 0;

    /// <summary>
    /// Reads transactions, from the first one that was not acknowledged, until the enumeration is ended. A connection that is lost is
    /// opened again, at once and then after 100 ms and up to 30 seconds.
    /// </summary>
    /// <param name="cancellationToken">Ends the enumeration with an <see cref="OperationCanceledException"/>.</param>
    /// <exception cref="PgException">
    /// The server cannot be reached at first, or refuses: the role needs the attribute REPLICATION, and the server
    /// <c>wal_level=logical</c>. Later only what trying again cannot help, such as a slot that is gone, and
    /// <see cref="PgErrorCode.ChangesLost"/>.
    /// </exception>
    /// <exception cref="InvalidOperationException">The stream is being read already.</exception>
    public async IAsyncEnumerable<PgChangeTransaction> ReadAsync([EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        if (Interlocked.Exchange(ref _isReading, 1) != 0)
            throw new InvalidOperationException("The stream of changes is being read already: it has one reader at a time.");
        ChangeReader? reader = null;
        try
        {
            reader = await OpenAsync(isFirst: true, cancellationToken).ConfigureAwait(false);
            _source.ChangeStreams[this] = (SlotName, () => BytesBehind);
            while (true)
            {
                var transaction = reader is null ? null : await TryReadAsync(reader, cancellationToken).ConfigureAwait(false);
                if (transaction is null)
                {
                    if (reader is not null)
                        await reader.DisposeAsync().ConfigureAwait(false);
                    reader = null;
                    reader = await OpenAgainAsync(cancellationToken).ConfigureAwait(false);
                    continue;
                }
                Volatile.Write(ref _delivered, transaction.EndLsn.Value);
                Volatile.Write(ref _serverEnd, reader!.ServerEnd.Value);
                yield return transaction;
            }
        }
        finally
        {
            _connection = null;
            _source.ChangeStreams.TryRemove(this, out _);
            if (reader is not null)
                await reader.DisposeAsync().ConfigureAwait(false);
            Volatile.Write(ref _isReading, 0);
        }
    }

    /// <summary>
    /// Asks the server how many bytes of its write-ahead log lie behind the place that was acknowledged, read or not. It knows that place
    /// as of the latest status (<see cref="PgChangeStreamOptions.StatusInterval"/>).
    /// </summary>
    /// <param name="cancellationToken">Cancels it.</param>
    /// <returns>0 or more; null if there is no such slot.</returns>
    /// <exception cref="PgException">The server cannot be reached.</exception>
    public async Task<long?> GetBytesBehindAsync(CancellationToken cancellationToken = default)
    {
        const string sql = "SELECT pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), confirmed_flush_lsn)::int8 "
            + "FROM pg_catalog.pg_replication_slots WHERE slot_name = $1";
        return await AskAsync(_source.OfPrimary(), sql, cancellationToken).ConfigureAwait(false) is long bytes ? Math.Max(0, bytes) : null;
    }

    /// <summary>The program is done with a transaction and with all before it: they do not come again.</summary>
    public void Acknowledge(PgChangeTransaction transaction)
    {
        ArgumentNullException.ThrowIfNull(transaction);
        Acknowledge(transaction.EndLsn);
    }

    /// <summary>
    /// The program is done with everything in front of that place. The server is told with the next status; it may then remove its log up
    /// to there. A place in front of <see cref="AcknowledgedLsn"/> changes nothing.
    /// </summary>
    public void Acknowledge(PgLogSequenceNumber place)
    {
        lock (_telling)
        {
            _done = Math.Max(_done, place.Value);
            Advance(place);
        }
    }

    private void Advance(PgLogSequenceNumber place)
    {
        lock (_telling)
        {
            if (place.Value > _acknowledged)
                Volatile.Write(ref _acknowledged, place.Value);
            _connection?.SetReplicationStatus(AcknowledgedLsn);
        }
    }

    // Null if the connection was lost.
    private async ValueTask<PgChangeTransaction?> TryReadAsync(ChangeReader reader, CancellationToken token)
    {
        try
        {
            return await reader.ReadAsync(token).ConfigureAwait(false);
        }
        catch (PgException e) when (e.IsTransient)
        {
            ReplicationLog.Lost(_log, SlotName, TimeSpan.Zero, e);
            return null;
        }
    }

    private async Task<ChangeReader> OpenAgainAsync(CancellationToken token)
    {
        var delay = _firstDelay;
        while (true)
        {
            try
            {
                return await OpenAsync(isFirst: false, token).ConfigureAwait(false);
            }
            catch (PgException e) when (e.IsTransient)
            {
                if (e.SqlState == SqlStates.ObjectNotInPrerequisiteState && await IsLostAsync(token).ConfigureAwait(false))
                    throw;
                ReplicationLog.Lost(_log, SlotName, delay, e);
            }
            // Programs that have lost the same server do not all come back at the same moment.
            await Task.Delay(delay * (0.75 + (Random.Shared.NextDouble() / 2)), _source.Context.Time, token).ConfigureAwait(false);
            delay = delay * 2 < _longestDelay ? delay * 2 : _longestDelay;
        }
    }

    private async Task<ChangeReader> OpenAsync(bool isFirst, CancellationToken token)
    {
        var connection = new LogicalReplicationConnection(_source.OfPrimary())
        {
            WalReceiverStatusInterval = _options.StatusInterval,
            WalReceiverTimeout = _options.ServerTimeout,
        };
        var reader = new ChangeReader(connection);
        try
        {
            await connection.Open(token).ConfigureAwait(false);
            await CheckTimelineAsync(connection, isFirst, token).ConfigureAwait(false);
            if (isFirst)
            {
                Acknowledge(await PlaceOfSlotAsync(connection, token).ConfigureAwait(false));
                // What an enumeration before has read, and nobody has acknowledged, comes again.
                Volatile.Write(ref _delivered, _done);
            }
            connection.SetReplicationStatus(AcknowledgedLsn);
            // The slot stands where it was acknowledged, or before that on a standby that has become the primary, which may not have heard
            // of it. What was read since then is not read again either.
            var place = new PgLogSequenceNumber(Math.Max(_done, ReadLsn.Value));
            await reader.StartAsync(SlotName, _publications, _options.IncludesMessages, place, Idled, token).ConfigureAwait(false);
            lock (_telling)
            {
                _connection = connection;
                connection.SetReplicationStatus(AcknowledgedLsn);
            }
            ReplicationLog.Reading(_log, SlotName, connection.ProcessID);
            return reader;
        }
        catch
        {
            await reader.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    // A standby that has become the primary goes on from the place that it had come to, and writes something else behind it.
    private async Task CheckTimelineAsync(LogicalReplicationConnection connection, bool isFirst, CancellationToken token)
    {
        var timeline = (await connection.IdentifySystem(token).ConfigureAwait(false)).Timeline;
        if (!isFirst && timeline != _timeline)
        {
            var history = await connection.TimelineHistory(timeline, token).ConfigureAwait(false);
            var end = history.EndOf(_timeline);
            lock (_telling)
            {
                var read = new PgLogSequenceNumber(Math.Max(_done, _delivered));
                if (read > end)
                    throw ReplicationErrors.Diverged(read, end);
                Volatile.Write(ref _acknowledged, Math.Min(_acknowledged, end.Value));
            }
        }
        // Not before: a connection that is lost in between leaves the question open.
        _timeline = timeline;
    }

    // A standby that is not promoted yet refuses the slot by the same error as a server that has removed the log which the slot needs.
    private async Task<bool> IsLostAsync(CancellationToken token)
    {
        try
        {
            const string isLost = "SELECT wal_status = 'lost' FROM pg_catalog.pg_replication_slots WHERE slot_name = $1";
            return await AskAsync(_source.OfPrimary(), isLost, token).ConfigureAwait(false) is true;
        }
        catch (PgException e) when (e.IsTransient)
        {
            return false;
        }
    }

    // Otherwise the server would have to keep its log for ever while no published table is changed.
    private void Idled(PgLogSequenceNumber sent)
    {
        Volatile.Write(ref _serverEnd, sent.Value);
        if (AcknowledgedLsn >= ReadLsn)
            Advance(sent);
    }

    // Where the slot stands, which is made if there is none.
    private async Task<PgLogSequenceNumber> PlaceOfSlotAsync(LogicalReplicationConnection connection, CancellationToken token)
    {
        const string Sql = "SELECT confirmed_flush_lsn FROM pg_catalog.pg_replication_slots WHERE slot_name = $1";
        return await AskAsync(connection.Host, Sql, token).ConfigureAwait(false) switch
        {
            PgLogSequenceNumber place => place,
            null when _options.CreatesSlot => await CreateSlotAsync(connection, token).ConfigureAwait(false),
            _ => default,
        };
    }

    private async Task<PgLogSequenceNumber> CreateSlotAsync(LogicalReplicationConnection connection, CancellationToken token)
    {
        // Before anything is made that would be left behind.
        if (_options.Failover)
            connection.RequireFailover();
        if (_options.InitialRead is not { } read)
        {
            var slot = await connection.CreateSlot(SlotName, PgOutputReplicationSlot.Plugin, isTemporary: false,
                LogicalSlotSnapshotInitMode.NoExport, twoPhase: false, _options.Failover, token).ConfigureAwait(false);
            return slot.ConsistentPoint;
        }
        // Until the tables have been read there is only a slot that ends with the connection, and with the program.
        var temporary = await connection.CreateSlot($"loxo_{Guid.NewGuid():N}", PgOutputReplicationSlot.Plugin, isTemporary: true,
            LogicalSlotSnapshotInitMode.Export, twoPhase: false, failover: false, token).ConfigureAwait(false);
        var reading = await connection.Host.OpenConnectionAsync(token).ConfigureAwait(false);
        await using var closing = reading.ConfigureAwait(false);
        var transaction = await reading.BeginTransactionAsync(IsolationLevel.RepeatableRead, token).ConfigureAwait(false);
        await using (transaction.ConfigureAwait(false))
        {
            var snapshot = ReplicationConnection.Quoted(temporary.SnapshotName!);
            await RunAsync(reading, "SET TRANSACTION SNAPSHOT " + snapshot, token).ConfigureAwait(false);
            await read(reading, token).ConfigureAwait(false);
            await transaction.CommitAsync(token).ConfigureAwait(false);
        }
        var (from, to) = (ReplicationConnection.Quoted(temporary.SlotName), ReplicationConnection.Quoted(SlotName));
        await RunAsync(reading, $"SELECT pg_catalog.pg_copy_logical_replication_slot({from}, {to}, false)", token).ConfigureAwait(false);
        await connection.DropReplicationSlot(temporary.SlotName, cancellationToken: token).ConfigureAwait(false);
        if (_options.Failover)
            await connection.AlterFailover(SlotName, token).ConfigureAwait(false);
        return temporary.ConsistentPoint;
    }

    private async Task<object?> AskAsync(PgDataSource source, string sql, CancellationToken token)
    {
        var command = source.CreateCommand(sql);
        await using var disposing = command.ConfigureAwait(false);
        command.Parameters.Add(new PgParameter<string> { TypedValue = SlotName });
        return await command.ExecuteScalarAsync(token).ConfigureAwait(false);
    }

    private static async Task RunAsync(PgConnection connection, string sql, CancellationToken token)
    {
        var command = new PgCommand(sql, connection);
        await using var disposing = command.ConfigureAwait(false);
        await command.ExecuteNonQueryAsync(token).ConfigureAwait(false);
    }
}
