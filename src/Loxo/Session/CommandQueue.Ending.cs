using Loxo.Protocol;
using Loxo.Transport;

namespace Loxo.Session;

/// <content>How its commands are given up, and how it ends.</content>
internal sealed partial class CommandQueue
{
    /// <summary>
    /// The caller of a command wants no more of it. Its statements may run; their results are skipped. The server is asked to stop only
    /// when nobody waits for any other command, because the request would hit whatever it runs by then.
    /// </summary>
    /// <param name="exchange">Its rows must not be read meanwhile.</param>
    /// <param name="reason">Why.</param>
    public void GiveUp(CommandExchange exchange, StopReason reason)
    {
        lock (Wire.Gate)
        {
            if (!TryGiveUp(exchange, reason))
                return;
            CancelIfUnwanted();
        }
    }

    /// <summary>As the other overload, unless the exchange has been released.</summary>
    public void GiveUp(ref CommandExchange? exchange, StopReason reason)
    {
        lock (Wire.Gate)
        {
            if (exchange is not null)
                GiveUp(exchange, reason);
        }
    }

    /// <summary>Gives up the end of a group, and every command in front of it.</summary>
    /// <inheritdoc cref="GiveUp(CommandExchange, StopReason)"/>
    public void GiveUpTo(SyncExchange sync, StopReason reason)
    {
        lock (Wire.Gate)
        {
            // Everything that is queued by now is behind it.
            if (sync.IsOver)
                return;
            foreach (var exchange in Wire.Flights.Exchanges.TakeWhile(other => !ReferenceEquals(other, sync)).ToList())
            {
                if (exchange is CommandExchange command)
                    TryGiveUp(command, reason);
            }
            sync.GiveUp(reason);
            CancelIfUnwanted();
        }
    }

    /// <summary>The caller of a command wants no more of it, and the server goes on.</summary>
    /// <inheritdoc cref="GiveUp(CommandExchange, StopReason)"/>
    public void Abandon(CommandExchange exchange, StopReason reason)
    {
        lock (Wire.Gate)
            TryGiveUp(exchange, reason);
    }

    /// <summary>
    /// Blocks until everything has been answered, and frees the session. Results that have not been read are skipped. The server is asked
    /// to stop when the time is over.
    /// </summary>
    /// <param name="timeout">Milliseconds each wait may last; <see cref="Timeout.Infinite"/> for no limit.</param>
    public void End(int timeout)
    {
        if (BeginEnd() is { } last && Wire.Pump(last, Deadline.EachWait(timeout), new Turn()) == Progress.NeedMore)
            _session.Cancellation.PumpAfterTimeout(last, StopReason.Timeout, new Turn());
        Free();
    }

    /// <inheritdoc cref="End"/>
    public async ValueTask EndAsync(int timeout)
    {
        if (BeginEnd() is { } last)
            await Wire.PumpAsync(last, Deadline.EachWait(timeout), CancellationToken.None, new Turn()).ConfigureAwait(false);
        Free();
    }

    // What is no command goes on without its caller.
    private void Stop(Exchange exchange, Turn turn, StopReason reason)
    {
        if (exchange is CommandExchange command)
            GiveUp(command, reason);
        else
            turn.End();
    }

    private void Free()
    {
        Wire.EndSharing();
        _session.End();
    }

    // The Sync in the end also ends a group that was not ended.
    private SyncExchange? BeginEnd()
    {
        lock (Wire.Gate)
        {
            if (Wire.Flights.Count == 0 && (_session.Groups.IsEmpty || _session.State == SessionState.Broken))
                return null;
            foreach (var exchange in Wire.Flights.Exchanges.OfType<CommandExchange>().ToList())
                TryGiveUp(exchange, StopReason.Cancel);
            return _session.State == SessionState.Broken ? null
                : Wire.Flights.Exchanges.LastOrDefault() as SyncExchange ?? new SyncExchange(_session);
        }
    }

    private bool TryGiveUp(CommandExchange exchange, StopReason reason)
    {
        if (exchange.IsOver || exchange.GivenUpFor != StopReason.None)
            return false;
        exchange.GiveUp(reason);
        Wire.Leave(exchange);
        exchange.Turn!.Give();
        return true;
    }

    private void CancelIfUnwanted()
    {
        // The request itself waits for the answers to deferred statements.
        if (Wire.Flights.Exchanges.All(static other => other is CommandExchange { GivenUpFor: not StopReason.None }
            or SyncExchange { IsAwaited: false } or DeferredStatements))
            _session.Cancellation.Cancel(_session.CommandNumber);
    }
}
