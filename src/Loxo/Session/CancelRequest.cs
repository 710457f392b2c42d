using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// Asks the server to stop a session's running command: on a connection of its own, to the same address, encrypted as the session
/// is. If that is refused nothing is sent, because its key would travel in clear. It has ended when the server has
/// closed that connection, which it does after it has sent the signal. A server that has not begun to read the command ignores it, so it is
/// sent again as long as the command runs and somebody waits for it: otherwise its answer may have come.
/// F: [SSLRequest] CancelRequest / B: end of stream
/// </summary>
internal sealed class CancelRequest(ServerSession session) : IWireOwner
{
    // It is sent again after the first of these times, then after twice as long, up to the second.
    private static readonly TimeSpan _firstPause = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan _longestPause = TimeSpan.FromSeconds(10);

    private readonly Lock _lock = new();
    private TaskCompletionSource<bool> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isLast;
    private Wire? _wire;
    private AwaitEnd? _sent;
    private volatile bool _gaveUp;

    /// <summary>The command has come to its end: the request is not sent again.</summary>
    /// <returns>
    /// Completed, never faulted: true when the request has been delivered or was never sent; false when it was given up on its way,
    /// so that it may still arrive at any time.
    /// </returns>
    public Task<bool> End()
    {
        lock (_lock)
        {
            _isLast = true;
            return _ended.Task;
        }
    }

    /// <summary>
    /// Sends the request from the thread pool, once what the session had to do before the command is done; the caller's thread is not used
    /// for any of it.
    /// </summary>
    public void Start() => ThreadPool.UnsafeQueueUserWorkItem(static request => _ = request.RunAsync(), this, preferLocal: false);

    /// <summary>Sends the request on the caller's thread: for a blocking command whose time is over.</summary>
    public void Run(Deadline limit)
    {
        var context = session.Context;
        try
        {
            var channel = context.Dialer.Redial(session.Wire.Channel.Remote, context.Transport, limit);
            using var wire = _wire = new Wire(channel, this, context.Transport, context.Time);
            if (SessionEncryption.BeginLike(session, wire, limit))
                _gaveUp = wire.Pump(Write(wire), limit) == Progress.NeedMore;
        }
        catch (Exception e) when (IsExpected(e))
        {
            // The end of the stream is the answer; whatever else went wrong, the command's own limit decides.
        }
        finally
        {
            _ended.TrySetResult(IsSettled);
        }
    }

    private bool IsSettled => _sent is null || (_sent.HasEnded && !_gaveUp);

    void IWireOwner.WaitTimedOut()
    {
        _gaveUp = true;
        _wire?.Shutdown();
    }

    void IWireOwner.WaitCancelled() => _wire?.Shutdown();

    Exception IWireOwner.Failed(Exception cause) => cause;

    private static bool IsExpected(Exception e) => e is PgException or IOException or TimeoutException or ObjectDisposedException;

    private async Task RunAsync()
    {
        var limit = Deadline.In(session.Context.CancelWait, session.Context.Time);
        var pause = _firstPause;
        do
        {
            await SendAsync(limit).ConfigureAwait(false);
            do
            {
                var left = limit.Left;
                var wait = left == Timeout.InfiniteTimeSpan || pause < left ? pause : left;
                await Task.Delay(wait, session.Context.Time, CancellationToken.None).ConfigureAwait(false);
                pause = pause < _longestPause ? pause * 2 : _longestPause;
            }
            while (!session.Wire.IsInUse && !limit.HasExpired && session.Cancellation.IsStopping(this));
        }
        while (!limit.HasExpired && TryBeginAgain());
        if (limit.HasExpired)
            session.Cancellation.GiveUp(this);
    }

    private bool TryBeginAgain()
    {
        lock (_lock)
        {
            if (_isLast || !session.Cancellation.IsStopping(this))
                return false;
            _ended = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            return true;
        }
    }

    private async Task SendAsync(Deadline limit)
    {
        var context = session.Context;
        try
        {
            await session.Cancellation.AwaitDeferred().WaitAsync(limit.Left, context.Time).ConfigureAwait(false);
            var channel = await context.Dialer
                .RedialAsync(session.Wire.Channel.Remote, context.Transport, limit, CancellationToken.None).ConfigureAwait(false);
            using var wire = _wire = new Wire(channel, this, context.Transport, context.Time);
            if (await SessionEncryption.BeginLikeAsync(session, wire, limit, CancellationToken.None).ConfigureAwait(false))
                await wire.PumpAsync(Write(wire), limit, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception e) when (IsExpected(e))
        {
            // As above.
        }
        finally
        {
            _ended.TrySetResult(IsSettled);
        }
    }

    private AwaitEnd Write(Wire wire)
    {
        wire.Output.WriteCancelRequest(session.ProcessId, session.SecretKey);
        // An earlier one that was lost on its way may still arrive.
        _gaveUp |= _sent is { HasEnded: false };
        return _sent = new AwaitEnd();
    }

    // Nothing may come; the wire reports the end.
    private sealed class AwaitEnd() : MessageExchange(NullUnsolicitedMessages.Instance)
    {
        public bool HasEnded { get; private set; }

        public override PgException? OnEndOfStream()
        {
            HasEnded = true;
            return null;
        }

        protected override Progress On(BackendMessage message) => Progress.NeedMore;
    }
}
