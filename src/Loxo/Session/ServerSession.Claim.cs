using Loxo.Protocol;

namespace Loxo.Session;

// Who may write, and what becomes of the session when writing fails.
internal sealed partial class ServerSession
{
    /// <summary>
    /// Claims the session and writes, blocking while an earlier cancel request may still arrive. If writing fails, nothing is sent and the
    /// session is free again.
    /// </summary>
    /// <param name="owner">The connection that has the session; null for the pool.</param>
    /// <param name="write">Writes the messages; it gets <paramref name="state"/>, so that it needs no closure.</param>
    /// <param name="state">The argument of <paramref name="write"/>.</param>
    /// <exception cref="PgException">A command is running, the session is broken, or the owner has given it back.</exception>
    public T Begin<TState, T>(ISessionListener? owner, Func<ServerSession, TState, T> write, TState state)
    {
        Claim(owner);
        return Write(write, state);
    }

    /// <inheritdoc cref="Begin"/>
    public async ValueTask<T> BeginAsync<TState, T>(ISessionListener? owner, Func<ServerSession, TState, T> write, TState state)
    {
        await ClaimAsync(owner).ConfigureAwait(false);
        return Write(write, state);
    }

    /// <summary>
    /// Claims the session for one command, as <see cref="Begin"/> does, but leaves it to the caller to call <see cref="GiveBack"/> when
    /// writing fails. An architecture test lists the callers.
    /// </summary>
    /// <param name="owner">The connection that has the session; null for the pool.</param>
    /// <exception cref="PgException">A command is running, the session is broken, or the owner has given it back.</exception>
    public void Claim(ISessionListener? owner)
    {
        if (TryClaim(owner))
            Settle();
    }

    /// <inheritdoc cref="Claim"/>
    public ValueTask ClaimAsync(ISessionListener? owner) => TryClaim(owner) ? SettleAsync() : default;

    /// <summary>
    /// Takes the session from the connection that had it. False if a command runs, be it one that another thread has begun just now: then it cannot be handed on.
    /// </summary>
    /// <remarks>
    /// The owner goes before the number of the command changes, and <see cref="TryTake"/> looks at the owner between reading that number and changing it. So a
    /// thread that still believes to have the session either was first, and is seen here, or fails.
    /// </remarks>
    public bool TakeBack()
    {
        Volatile.Write(ref _isHandedOver, false);
        _listener.SetTarget(null);
        var word = Volatile.Read(ref _word);
        return (SessionState)(byte)word is SessionState.Idle or SessionState.Unsettled
            && Interlocked.CompareExchange(ref _word, word + (1 << 8), word) == word;
    }

    /// <summary>Replaces the BEGIN that goes out in front of the next command.</summary>
    /// <param name="owner">The connection that has the session.</param>
    /// <param name="begin">The one that is due from now on; null for none.</param>
    /// <returns>The one that was due.</returns>
    /// <exception cref="PgException">A command is running, the session is broken, or the owner has given it back.</exception>
    public string? ExchangeBegin(ISessionListener owner, string? begin)
    {
        var found = TryTake(owner);
        var former = PendingBegin;
        PendingBegin = begin;
        TryChange(SessionState.Busy, found);
        return former;
    }

    /// <summary>
    /// Takes back the bytes written since <paramref name="position"/> that were not sent, and frees the session unless it is broken.
    /// </summary>
    public void GiveBack(long position)
    {
        if (State == SessionState.Broken)
            return;
        Output.TakeBack(position);
        End();
    }

    /// <summary>Sends ROLLBACK without waiting for the answer.</summary>
    /// <param name="owner">The connection that has the session.</param>
    public void Rollback(ISessionListener owner) => Begin(owner, DeferRollback, "ROLLBACK");

    /// <inheritdoc cref="Rollback"/>
    public async ValueTask RollbackAsync(ISessionListener owner) => await BeginAsync(owner, DeferRollback, "ROLLBACK").ConfigureAwait(false);

    private static bool DeferRollback(ServerSession session, string sql)
    {
        session.Defer(sql);
        var isSent = session.EndDeferred();
        session.TransactionStatus = TransactionStatus.Idle;
        return isSent;
    }

    private T Write<TState, T>(Func<ServerSession, TState, T> write, TState state)
    {
        var position = Output.Position;
        try
        {
            return write(this, state);
        }
        catch
        {
            GiveBack(position);
            throw;
        }
    }

    // The state in which the session was; it is Busy from here on.
    private SessionState TryTake(ISessionListener? owner)
    {
        var word = Volatile.Read(ref _word);
        var found = (SessionState)(byte)word;
        if (found is SessionState.Idle or SessionState.Unsettled)
        {
            // Between the two steps; TakeBack says why.
            _listener.TryGetTarget(out var target);
            if (!ReferenceEquals(target, owner))
                throw SessionErrors.GivenBack();
            if (Interlocked.CompareExchange(ref _word, (((word >> 8) + 1) << 8) | (long)SessionState.Busy, word) == word)
                return found;
        }
        throw SessionErrors.NotIdle(State, _breakCause);
    }

    // True when a cancel request of the command before must be waited for.
    private bool TryClaim(ISessionListener? owner)
    {
        var found = TryTake(owner);
        if (_wire.Input.Buffered > 0)
            ReadLeftovers();
        if (found == SessionState.Unsettled)
            return true;
        _stopReason = StopReason.None;
        return false;
    }

    // A reply that nobody waits for would be taken for the reply to the command that begins now.
    private void ReadLeftovers()
    {
        try
        {
            if (!_deferred.IsDue)
                SessionUpkeep.Read(this);
        }
        catch (PgException e)
        {
            throw Failed(e);
        }
        if (State == SessionState.Broken)
            throw _breakCause!;
    }
}
