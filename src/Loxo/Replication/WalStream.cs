using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Loxo.Commands;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Replication;

/// <summary>
/// What one START_REPLICATION sends. The program reads; timers tell the server how far it has come, whether it reads or not, and notice a
/// link that has gone dead.
/// </summary>
internal sealed class WalStream : IAsyncDisposable
{
    // 'w', the place where the data start, the end of the log and the server's clock.
    private const int DataHeader = 1 + (3 * sizeof(long));
    // 'k', the end of the log, the server's clock, and whether it wants a reply.
    private const int KeepAliveLength = 1 + (2 * sizeof(long)) + 1;

    private readonly ServerSession _session;
    private readonly WalExchange _exchange;
    private readonly ReplicationStatus _status;
    private readonly bool _isPhysical;
    private readonly TimeProvider _time;
    private readonly Turn _wait = new();
    private readonly ITimer _statusTimer;
    private readonly ITimer _silenceTimer;
    private TimeSpan _statusInterval;
    private TimeSpan _mostSilence;
    private int _dataStart;
    private int _dataEnd;
    // When the reader began to wait; 0 while it does not.
    private long _waitsSince;
    private bool _hasAsked;
    private bool _isSilent;
    private bool _isOver;

    private WalStream(ServerSession session, WalExchange exchange, ReplicationStatus status, bool isPhysical)
    {
        (_session, _exchange, _status, _isPhysical) = (session, exchange, status, isPhysical);
        _time = session.Context.Time;
        session.Wire.BeginSharing();
        // The timers live as long as the stream; they must not keep the caller's AsyncLocals alive with them.
        using AsyncFlowControl? suppressed = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        _statusTimer = _time.CreateTimer(
            static stream => ((WalStream)stream!).TrySendStatus(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _silenceTimer = _time.CreateTimer(
            static stream => ((WalStream)stream!).LookForSilence(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Whether the connection is closed when the stream has ended.</summary>
    public bool IsLast { get; init; }

    /// <summary>Called when a keepalive message has come, with the end of what the server has sent.</summary>
    public Action<PgLogSequenceNumber>? Idled { get; set; }

    /// <summary>Called for each message that nobody reads because the replication ends; null for nothing.</summary>
    public Action? Skipped { get; set; }

    /// <summary>The data of the message, up to the next read.</summary>
    public ReadOnlySpan<byte> Data => _session.Wire.Input.Buffer.AsSpan(_dataStart, _dataEnd - _dataStart);

    /// <summary>The same within the buffer.</summary>
    public ArraySegment<byte> DataSegment => new(_session.Wire.Input.Buffer, _dataStart, _dataEnd - _dataStart);

    /// <summary>Where the data of the message stand in the log, and when it was sent.</summary>
    public WalHead Head { get; private set; }

    /// <summary>Whether the server sends.</summary>
    public bool IsOpen => !_isOver && _exchange.IsStreaming;

    /// <summary>Sends START_REPLICATION and waits until the server begins.</summary>
    /// <exception cref="PgException">The server refuses.</exception>
    public static async Task<WalStream> StartAsync(
        ServerSession session, string command, ReplicationStatus status, bool isPhysical, bool isLast, int timeout,
        CancellationToken token)
    {
        var exchange = await session.BeginAsync(owner: null, static (session, command) => new WalExchange(session, command), command)
            .ConfigureAwait(false);
        await session.PumpAsync(exchange, timeout, token).ConfigureAwait(false);
        if (exchange.Error is { } error)
        {
            session.End();
            throw CommandRunner.ErrorOf(session, error, session.StopReason, token);
        }
        var stream = new WalStream(session, exchange, status, isPhysical) { IsLast = isLast };
        // There is nothing left of the timeline.
        if (!exchange.IsStreaming)
            stream.Over();
        return stream;
    }

    /// <summary>
    /// How often the server is told, and how long it may send nothing; <see cref="Timeout.InfiniteTimeSpan"/> or 0 for no limit.
    /// </summary>
    public void SetIntervals(TimeSpan status, TimeSpan silence)
    {
        (_statusInterval, _mostSilence) = (Unlimited(status), Unlimited(silence));
        _statusTimer.Change(_statusInterval, _statusInterval);
        _silenceTimer.Change(HalfOfSilence, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Reads the next message with data; false if the server has ended the stream.</summary>
    /// <exception cref="PgException">The connection is lost, or the server reports an error.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled; the stream can still be ended.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> ReadAsync(CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        if (_session.Wire.Input.Buffer.Length > MessageReader.LongRow)
            Shrink();
        while (true)
        {
            // What has arrived needs neither the lock nor the queue of flights: this exchange is the only one.
            if (_exchange.IsStreaming && !_isOver && _session.Wire.Input.TryTakeCopyData(out var start, out var end))
            {
                if (Take(start, end))
                    return true;
                continue;
            }
            var progress = _isOver ? Progress.Done : _session.Advance(_exchange);
            if (progress == Progress.NeedMore)
                progress = await WaitAsync(token).ConfigureAwait(false);
            switch (progress)
            {
                case Progress.Row when Take():
                    return true;
                case Progress.Row:
                    continue;
                case Progress.ResultEnd:
                    await EndAsync().ConfigureAwait(false);
                    return false;
                default:
                    Over();
                    return _exchange.Error is { } error ? throw SessionErrors.FromServer(error, _session.Context) : false;
            }
        }
    }

    /// <summary>Tells the server how far the program has come.</summary>
    /// <returns>False if the stream is over.</returns>
    /// <param name="asksForReply">Whether the server is to answer.</param>
    /// <param name="onlyNews">Whether a place that the server was told before is left out.</param>
    public bool TrySendStatus(bool asksForReply = false, bool onlyNews = false)
    {
        var wire = _session.Wire;
        // Sent under the gate, too: once the stream has ended, its caller writes the next command without it.
        lock (wire.Gate)
        {
            if (!IsOpen || _exchange.IsEnding || _session.State == SessionState.Broken)
                return false;
            _status.Write(_session.Output, _time, asksForReply, onlyNews);
            try
            {
                wire.Flush();
            }
            catch (ObjectDisposedException)
            {
                // The connection was closed at this moment.
            }
        }
        return true;
    }

    /// <summary>What has arrived makes no sense: the connection is over.</summary>
    /// <returns>The exception to throw.</returns>
    public Exception Failed(PgException error) => _session.Failed(error);

    /// <summary>
    /// Ends the stream; the session can be used then, unless the connection was lost. A message that another call awaits cannot be waited
    /// for, so the connection is closed.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        _statusTimer.Dispose();
        _silenceTimer.Dispose();
        if (_isOver)
            return;
        if (Volatile.Read(ref _waitsSince) != 0)
        {
            _session.Failed(SessionErrors.Closed());
            return;
        }
        try
        {
            if (_session.State != SessionState.Broken)
                await EndAsync().ConfigureAwait(false);
        }
        catch (Exception e) when (e is PgException or OperationCanceledException)
        {
            // The next use of the connection says so.
        }
        if (!_isOver)
        {
            _isOver = true;
            _session.Wire.EndSharing();
        }
    }

    private TimeSpan HalfOfSilence => _mostSilence == Timeout.InfiniteTimeSpan ? _mostSilence : _mostSilence / 2;

    private static TimeSpan Unlimited(TimeSpan time) => time == TimeSpan.Zero ? Timeout.InfiniteTimeSpan : time;

    private async ValueTask<Progress> WaitAsync(CancellationToken token)
    {
        _hasAsked = false;
        Volatile.Write(ref _waitsSince, _time.GetTimestamp());
        using var cancelled = token.UnsafeRegister(static wait => ((Turn)wait!).End(), _wait);
        try
        {
            var progress = await _session.Wire.PumpAsync(_exchange, Deadline.None, CancellationToken.None, _wait).ConfigureAwait(false);
            if (progress != Progress.NeedMore)
                return progress;
        }
        finally
        {
            Volatile.Write(ref _waitsSince, 0);
        }
        token.ThrowIfCancellationRequested();
        if (_isSilent)
            throw _session.Failed(ReplicationErrors.Silent(_mostSilence));
        throw _session.Failed(SessionErrors.Closed());
    }

    // The memory of a large message is not kept for the small ones behind it.
    private void Shrink()
    {
        lock (_session.Wire.Gate)
            _session.Wire.Shrink();
    }

    private bool Take() => _session.Wire.Input.TryTakeCopyData(out var start, out var end)
        ? Take(start, end)
        : throw new InvalidOperationException("CopyData was to be next.");

    // False for a keepalive message.
    private bool Take(int start, int stop)
    {
        var message = _session.Wire.Input.Buffer.AsSpan(start, stop - start);
        switch (message)
        {
            case [(byte)'w', ..] when message.Length >= DataHeader:
                var place = BinaryPrimitives.ReadUInt64BigEndian(message[1..]);
                var end = BinaryPrimitives.ReadUInt64BigEndian(message[9..]);
                Head = new(new(place), new(end), BinaryPrimitives.ReadInt64BigEndian(message[17..]));
                (_dataStart, _dataEnd) = (start + DataHeader, stop);
                // In a physical replication the end of the server's log may be far ahead of what it has sent.
                _status.Advance(_isPhysical ? place + (ulong)(stop - _dataStart) : Math.Max(place, end));
                return true;
            case [(byte)'k', ..] when message.Length >= KeepAliveLength:
                var sent = BinaryPrimitives.ReadUInt64BigEndian(message[1..]);
                _status.Advance(sent);
                Idled?.Invoke(new(sent));
                if (message[KeepAliveLength - 1] != 0)
                    TrySendStatus(onlyNews: !_isPhysical);
                return false;
            default:
                throw _session.Failed(ReplicationErrors.Malformed("a message of the stream has an unknown type or is too short"));
        }
    }

    // A server that has ended a logical replication by CopyDone ends the next one of the connection at once: StartLogicalReplication does
    // not reset the flags that WalSndLoop looks at (walsender.c, up to PostgreSQL 18). So it is cancelled where the connection may go on.
    private async ValueTask EndAsync()
    {
        var cancels = !_isPhysical && !IsLast && _exchange.IsStreaming;
        lock (_session.Wire.Gate)
        {
            if (_exchange.IsStreaming)
                _status.Write(_session.Output, _time, asksForReply: false);
            _exchange.IsEnding = true;
            _exchange.ShowsSkipped = cancels && Skipped is not null;
            if (!cancels)
                _session.Output.WriteCopyDone();
        }
        var timeout = (int)_session.Context.CancelWait.TotalMilliseconds;
        if (cancels)
        {
            _session.Wire.Flush();
            _session.Cancellation.Stop(_session.CommandNumber);
            while (await _session.PumpAsync(_exchange, timeout, CancellationToken.None).ConfigureAwait(false) == Progress.Row)
            {
                if (Take())
                    Skipped!();
            }
        }
        else
        {
            await _session.Cancellation.DrainAsync(_exchange, _exchange, timeout, mayStop: true).ConfigureAwait(false);
        }
        Over();
    }

    private void Over()
    {
        if (_isOver)
            return;
        _isOver = true;
        _session.Wire.EndSharing();
        _session.End();
    }

    // A reader that is busy elsewhere is no sign of a dead link.
    private void LookForSilence()
    {
        var half = HalfOfSilence;
        if (_isOver || half == Timeout.InfiniteTimeSpan)
            return;
        var since = Volatile.Read(ref _waitsSince);
        var waited = since == 0 ? TimeSpan.Zero : _time.GetElapsedTime(since);
        if (waited >= _mostSilence)
        {
            _isSilent = true;
            _wait.End();
            return;
        }
        if (waited >= half && !_hasAsked)
        {
            _hasAsked = true;
            TrySendStatus(asksForReply: true);
        }
        var next = (waited < half ? half : _mostSilence) - waited;
        try
        {
            _silenceTimer.Change(next, Timeout.InfiniteTimeSpan);
        }
        catch (ObjectDisposedException) { }
    }
}
