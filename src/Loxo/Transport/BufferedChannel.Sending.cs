using System.Net.Sockets;
using Loxo.Protocol.Frontend;

namespace Loxo.Transport;

/// <content>
/// Sends: under the gate, by a call of <see cref="Flush"/> that does not hold it meanwhile, or in the background while the system takes no
/// more. There is one send at a time.
/// </content>
internal abstract partial class BufferedChannel
{
    // So many sends a caller makes: the first for itself, the others for what has been added meanwhile.
    private const int MostFlushes = 8;

    // What is being sent by one that does not hold the gate, which others may append to.
    private MessageWriter? _sendingFrom;
    private int _sendingCount;
    private long _sendingStart;
    private Task? _sending;
    private bool _isFlushing;
    private long _sentBeforeError;

    /// <summary>How often bytes have been sent.</summary>
    public long Sends { get; private set; }

    /// <summary>The number of bytes that have been written and not sent.</summary>
    public long Unsent
    {
        get
        {
            lock (Gate)
                return Output.Position - Output.SentPosition;
        }
    }

    /// <summary>The error of a send; the server's reason for it may still arrive.</summary>
    protected SocketException? SendError { get; private set; }

    /// <summary>The position in <see cref="Output"/> from which on nothing was sent.</summary>
    public long SentPosition => SendError is not null ? _sentBeforeError
        : IsSending && _sendingFrom == Output ? Output.SentPosition + _sendingCount : Output.SentPosition;

    private bool IsSending => _sending is not null || _isFlushing;

    /// <summary>
    /// Sends what fits without waiting, while another caller may be receiving. That caller does not see new output before more has arrived,
    /// so the rest is sent in the background. Does nothing unless callers share the channel: a single one may be writing.
    /// </summary>
    /// <remarks>
    /// The gate is free during the system call. On a shared processor the server may answer within it, and the caller that receives would
    /// have to wait for the gate.
    /// </remarks>
    public void Flush()
    {
        ReadOnlyMemory<byte> pending;
        lock (Gate)
            pending = BeginFlush();
        for (var flushes = 1; !pending.IsEmpty; flushes++)
        {
            var (count, error) = (0, default(SocketException));
            try
            {
                count = Channel.TrySend(pending.Span);
            }
            catch (SocketException e)
            {
                error = e;
            }
            catch
            {
                lock (Gate)
                    _isFlushing = false;
                throw;
            }
            lock (Gate)
                pending = EndFlush(count, error, isLast: flushes == MostFlushes);
        }
    }

    // What the caller sends; nothing if another one does, or if it has been sent under the gate.
    private ReadOnlyMemory<byte> BeginFlush()
    {
        if (_isFlushing || !IsShared)
            return default;
        if (_sending is not null || SendError is not null || Output.HasSources)
        {
            FlushUnderGate();
            return default;
        }
        if (_security is { Outgoing.MaySend: false } && !_security.Encrypt(Output))
            return default;
        var source = _security?.Outgoing ?? Output;
        if (!source.MaySend)
            return default;
        var pending = BeginSending(source);
        _isFlushing = true;
        return pending;
    }

    // What the caller sends next: more may have been added.
    private ReadOnlyMemory<byte> EndFlush(int count, SocketException? error, bool isLast)
    {
        _isFlushing = false;
        if (error is not null)
        {
            SendFailed(error);
            Drop();
            return default;
        }
        EndSending(count);
        if (count > 0 && !isLast)
            return BeginFlush();
        if (count > 0)
            FlushInPool();
        else
            FlushUnderGate();
        return default;
    }

    // The caller has work of its own.
    private void FlushInPool()
    {
        if (!Output.MaySend && _security is not { Outgoing.MaySend: true })
            return;
        ThreadPool.UnsafeQueueUserWorkItem(static channel => channel.GoOnSending(), this, preferLocal: false);
    }

    private void FlushUnderGate()
    {
        if (TrySend() || !IsInUse || _sending is not null)
            return;
        _sending = StartSending();
        _ = _sending.ContinueWith(static (_, channel) => ((BufferedChannel)channel!).GoOnSending(), this, TaskScheduler.Default);
    }

    // In the thread pool.
    private void GoOnSending()
    {
        try
        {
            Flush();
        }
        catch (ObjectDisposedException)
        {
            // The connection was closed.
        }
        catch (Exception e) when (e is PgException or IOException or InvalidOperationException or NotSupportedException)
        {
            // It could not be encrypted: whoever receives finds that the connection has ended.
            Shutdown();
        }
    }

    /// <summary>Sends what fits without waiting; false while something is left that no other caller is sending.</summary>
    /// <remarks>A send that fails is not reported here: the server may have said why before it closed, and that is read first.</remarks>
    public bool TrySend()
    {
        if (_isFlushing)
            return true;
        if (_sending is not null && !FinishedSending())
            return false;
        if (SendError is not null)
            return Drop();
        if (_security is null)
            return TrySend(Output);
        do
        {
            if (!TrySend(_security.Outgoing))
                return false;
        }
        while (_security.Encrypt(Output));
        return true;
    }

    /// <summary>Sends the pending output and TLS's close_notify, as far as they fit without waiting.</summary>
    public void SendClosing()
    {
        if (!TrySend() || _security is null || _isFlushing)
            return;
        _security.WriteClosing();
        TrySend();
    }

    private bool TrySend(MessageWriter source)
    {
        while (source.MaySend)
        {
            try
            {
                var count = source.IsStarved ? 0 : Channel.TrySend(source.Pending);
                if (count == 0)
                    return false;
                Sent(source, count);
            }
            catch (SocketException e)
            {
                SendFailed(e);
                return Drop();
            }
        }
        return true;
    }

    private void SendFailed(SocketException error)
    {
        _sentBeforeError = Output.SentPosition;
        SendError = error;
    }

    // The other end is gone: nothing is sent, and no stream is read for it.
    private bool Drop()
    {
        Output.Clear();
        _security?.Outgoing.Clear();
        return true;
    }

    private Task StartSending() =>
        Channel.SendAllAsync(BeginSending(_security is { Outgoing.IsEmpty: false } ? _security.Outgoing : Output));

    private bool FinishedSending()
    {
        if (!_sending!.IsCompleted)
            return false;
        var error = _sending.Exception?.InnerException;
        EndSending(_sendingCount);
        _sending = null;
        if (error is not null)
            SendFailed(error as SocketException ?? new SocketException((int)SocketError.ConnectionAborted));
        return true;
    }

    private ReadOnlyMemory<byte> BeginSending(MessageWriter source)
    {
        var pending = source.PendingMemory;
        (_sendingFrom, _sendingStart, _sendingCount) = (source, source.SentPosition, pending.Length);
        return pending;
    }

    // The position differs if the output was dropped meanwhile, because the connection is lost.
    private void EndSending(int count)
    {
        if (_sendingFrom!.SentPosition == _sendingStart)
            Sent(_sendingFrom, count);
    }

    private void Sent(MessageWriter source, int count)
    {
        source.Consume(count);
        Sends++;
        Traffic.Sent += count;
    }
}
