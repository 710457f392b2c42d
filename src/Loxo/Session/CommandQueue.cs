using Loxo.Diagnostics;
using Loxo.Protocol;
using Loxo.Protocol.Frontend;
using Loxo.Transport;
using Loxo.Types;

namespace Loxo.Session;

/// <summary>
/// Pipelines several commands on one session, which has been claimed for all of them. Any thread may add a command and any may
/// wait for one; the server answers them in the order in which they were added.
/// F: the flights of all commands, one behind the other, and Sync or Flush where asked for
/// B: their answers in the same order
/// </summary>
internal sealed partial class CommandQueue
{
    private readonly ServerSession _session;

    /// <summary>Begins.</summary>
    /// <param name="session">Claimed until <see cref="End"/>.</param>
    /// <param name="keepsOrder">
    /// Whether a command may depend on those before it: then it is not sent again behind later ones, whatever its error.
    /// </param>
    public CommandQueue(ServerSession session, bool keepsOrder)
    {
        _session = session;
        KeepsOrder = keepsOrder;
        session.Wire.BeginSharing();
    }

    /// <summary>Whether a command may depend on those before it.</summary>
    public bool KeepsOrder { get; }

    /// <summary>The number of bytes of rows that a command collects ahead of its reader. 1 MiB by default.</summary>
    public int MostCollected { get; init; } = 1024 * 1024;

    /// <summary>Whether a command whose rows nobody has begun to read collects all of them, so it never holds up another one.</summary>
    public bool KeepsUnread { get; init; }

    /// <summary>Called under the gate of the wire with each Sync that is no command's own; null for nobody.</summary>
    public Action<SyncExchange>? SyncAdded { get; init; }

    /// <summary>Whether what the server has undone because of a deadlock is sent again: groups of commands lock more rows.</summary>
    public bool OutlastsDeadlocks { get; init; }

    /// <summary>Whether it does so now: not where the first run may have acted outside of its transaction.</summary>
    public bool MayOutlastDeadlocks => OutlastsDeadlocks && _session.Context.Database.Reachable?.Invoke() is not { ActsOutside: true };

    /// <summary>The types that have to be looked up before the command that was refused last can be added.</summary>
    public IReadOnlyCollection<TypeName> UnknownTypes { get; private set; } = [];

    private Wire Wire => _session.Wire;

    /// <summary>
    /// Writes a command behind those that are queued. It is sent by <see cref="Send"/>, or by the next caller that waits. Null if something
    /// has to be looked up first and the order, or the group, does not allow it: wait for the others, then add it again.
    /// </summary>
    /// <param name="source">The statements.</param>
    /// <param name="mode">How the results are treated.</param>
    /// <param name="endsGroup">
    /// Whether a Sync follows. Without it, an error skips the commands up to the next Sync, and the answers come after that or after
    /// <see cref="RequestAnswers"/>.
    /// </param>
    /// <exception cref="PgException">The session is broken, or a cancel request is under way; or a value cannot be written.</exception>
    public CommandExchange? TryAdd(IStatementSource source, ResultMode mode, bool endsGroup = true)
    {
        lock (Wire.Gate)
        {
            CheckRuns();
            var exchange = _session.Spares.Take();
            if (TryStart(exchange, source, mode, endsGroup))
                return exchange;
            _session.Spares.Add(exchange);
            return null;
        }
    }

    /// <summary>As the other overload, with an exchange that has run an earlier command.</summary>
    /// <param name="exchange">Runs the command. An earlier command that it has run is over, and nobody reads its rows.</param>
    /// <param name="source">The statements.</param>
    /// <param name="mode">How the results are treated.</param>
    /// <param name="endsGroup">Whether a Sync follows.</param>
    /// <returns>The exchange, or null.</returns>
    public CommandExchange? TryAdd(CommandExchange exchange, IStatementSource source, ResultMode mode, bool endsGroup = true)
    {
        lock (Wire.Gate)
        {
            CheckRuns();
            return TryStart(exchange, source, mode, endsGroup) ? exchange : null;
        }
    }

    /// <summary>
    /// Queues a lookup of types, which ends its group. Null inside a group and inside a transaction: another session has to look them up.
    /// </summary>
    public TypeLookup? TryAddLookup(IReadOnlyCollection<TypeName> names)
    {
        lock (Wire.Gate)
        {
            CheckRuns();
            if (!_session.Groups.IsEmpty || _session.PendingBegin is not null
                || Wire.Flights.Count > 0 || _session.TransactionStatus != TransactionStatus.Idle)
                return null;
            var lookup = new TypeLookup(_session, TransactionStatus.Idle, [], names);
            Wire.Enqueue(lookup);
            return lookup;
        }
    }

    /// <summary>Ends a group of commands with a Sync. Its error is that of the commit of the implicit transaction.</summary>
    public SyncExchange AddSync() => TryAddSync() ?? throw SessionErrors.NotIdle(_session);

    /// <summary>As <see cref="AddSync"/>; null if the session is broken, or a cancel request is under way.</summary>
    public SyncExchange? TryAddSync()
    {
        lock (Wire.Gate)
        {
            if (_session.State != SessionState.Busy)
                return null;
            var sync = new SyncExchange(_session);
            SyncAdded?.Invoke(sync);
            return sync;
        }
    }

    /// <summary>The command is over, and its caller has all that it wanted of the exchange, which may run a later command.</summary>
    public void Release(ref CommandExchange? exchange)
    {
        lock (Wire.Gate)
        {
            _session.Spares.Add(exchange!);
            exchange = null;
        }
    }

    /// <summary>Asks for the answers to the commands so far although no Sync follows them.</summary>
    public void RequestAnswers()
    {
        lock (Wire.Gate)
            _session.Output.WriteFlush();
    }

    /// <summary>Sends what was written, without waiting.</summary>
    public void Send() => Wire.Flush();

    /// <summary>Blocks until the command stops.</summary>
    /// <param name="exchange">From <see cref="TryAdd(IStatementSource, ResultMode, bool)"/>.</param>
    /// <param name="timeout">Milliseconds each wait may last; <see cref="Timeout.Infinite"/> for no limit.</param>
    /// <exception cref="PgException">The time is over, or the connection is lost.</exception>
    public Progress Pump(CommandExchange exchange, int timeout)
    {
        _session.Owner.CheckNotHandling();
        try
        {
            var progress = _session.Advance(exchange);
            if (progress == Progress.NeedMore)
            {
                // In a lane it is one limit for all waits: others may go on receiving for long meanwhile.
                progress = Receive(exchange, exchange.Turn!, exchange.Operation is null ? Deadline.EachWait(timeout)
                    : Deadline.In(TimeSpan.FromMilliseconds(timeout), _session.Context.Time));
            }
            if (progress == Progress.NeedMore)
            {
                GiveUp(exchange, StopReason.Timeout);
                progress = _session.Advance(exchange);
            }
            return Checked(exchange, progress, CancellationToken.None);
        }
        catch (PgException e) when (exchange.MayHaveRun is { } mayHaveRun)
        {
            throw OperationTrace.End(exchange.Trace, SessionErrors.LostInQueue(e, mayHaveRun));
        }
    }

    /// <inheritdoc cref="Pump"/>
    /// <exception cref="OperationCanceledException">The token was cancelled: the command may run, and its results are skipped.</exception>
    public async ValueTask<Progress> PumpAsync(CommandExchange exchange, int timeout, CancellationToken token)
    {
        _session.Owner.CheckNotHandling();
        try
        {
            // What has arrived needs neither a timer nor the token.
            var progress = _session.Advance(exchange);
            if (progress == Progress.NeedMore)
                progress = await ReceiveAsync(exchange, exchange.Turn!, timeout, token).ConfigureAwait(false);
            return Checked(exchange, progress, token);
        }
        catch (PgException e) when (exchange.MayHaveRun is { } mayHaveRun)
        {
            throw OperationTrace.End(exchange.Trace, SessionErrors.LostInQueue(e, mayHaveRun));
        }
    }

    /// <summary>
    /// Blocks until the exchange is over, which is no command. False when the time is over, or the exchange was given up.
    /// </summary>
    /// <param name="exchange">It has been queued.</param>
    /// <param name="timeout">Milliseconds each wait may last; <see cref="Timeout.Infinite"/> for no limit.</param>
    /// <param name="isOwn">Whether the commands in front of a Sync are given up with it.</param>
    public bool Await(Exchange exchange, int timeout, bool isOwn = true)
    {
        var turn = BeginAwait(exchange, isOwn);
        if (_session.Advance(exchange) == Progress.Done || Receive(exchange, turn, Deadline.EachWait(timeout)) == Progress.Done)
            return true;
        EndAwait(exchange, StopReason.Timeout, isOwn);
        return false;
    }

    /// <inheritdoc cref="Await"/>
    /// <param name="exchange">It has been queued.</param>
    /// <param name="timeout">Milliseconds each wait may last; <see cref="Timeout.Infinite"/> for no limit.</param>
    /// <param name="token">Ends the wait, as the timeout does.</param>
    /// <param name="isOwn">Whether the commands in front of a Sync are given up with it.</param>
    public async ValueTask<bool> AwaitAsync(Exchange exchange, int timeout, CancellationToken token, bool isOwn = true)
    {
        var turn = BeginAwait(exchange, isOwn);
        if (_session.Advance(exchange) == Progress.Done
            || await ReceiveAsync(exchange, turn, timeout, token).ConfigureAwait(false) == Progress.Done)
            return true;
        EndAwait(exchange, token.IsCancellationRequested ? StopReason.Cancel : StopReason.Timeout, isOwn);
        return false;
    }

    private bool TryStart(CommandExchange exchange, IStatementSource source, ResultMode mode, bool endsGroup)
    {
        if (exchange.TryStart(this, source, mode, endsGroup))
            return true;
        UnknownTypes = [.. _session.Types.NamesToLookUp];
        _session.Types.CommandWritten();
        return false;
    }

    private Progress Receive(Exchange exchange, Turn turn, Deadline limit)
    {
        Wire.BeginSharing();
        try
        {
            return Wire.Pump(exchange, limit, turn);
        }
        finally
        {
            Wire.EndSharing();
        }
    }

    private async ValueTask<Progress> ReceiveAsync(Exchange exchange, Turn turn, int timeout, CancellationToken token)
    {
        Wire.BeginSharing();
        using var limit = LimitOf(timeout);
        using var timedOut = limit?.Token.UnsafeRegister(_ => Stop(exchange, turn, StopReason.Timeout), null) ?? default;
        using var cancelled = token.UnsafeRegister(_ => Stop(exchange, turn, StopReason.Cancel), null);
        try
        {
            return await Wire.PumpAsync(exchange, Deadline.None, CancellationToken.None, turn).ConfigureAwait(false);
        }
        finally
        {
            Wire.EndSharing();
        }
    }

    private Turn BeginAwait(Exchange exchange, bool isOwn)
    {
        var turn = new Turn();
        if (!isOwn || exchange is not SyncExchange sync)
            return turn;
        lock (Wire.Gate)
        {
            if (sync.GivenUpFor == StopReason.None)
                (sync.IsAwaited, sync.Turn) = (true, turn);
            else
                turn.End();
        }
        return turn;
    }

    private void EndAwait(Exchange exchange, StopReason reason, bool isOwn)
    {
        if (isOwn && exchange is SyncExchange sync)
            GiveUpTo(sync, reason);
    }

    private CancellationTokenSource? LimitOf(int timeout) =>
        timeout == Timeout.Infinite ? null : new CancellationTokenSource(TimeSpan.FromMilliseconds(timeout), _session.Context.Time);

    private static Progress Checked(CommandExchange exchange, Progress stop, CancellationToken token) =>
        exchange.GivenUpFor == StopReason.None ? stop : throw OperationTrace.End(exchange.Trace, SessionErrors.GivenUp(exchange, token));

    private void CheckRuns()
    {
        if (_session.State != SessionState.Busy)
            throw SessionErrors.NotIdle(_session);
    }
}
