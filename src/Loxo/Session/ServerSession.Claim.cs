using Loxo.Protocol;

namespace Loxo.Session;

// Who may write, and what becomes of the session when writing fails.
internal sealed partial class ServerSession
{
    /// <summary>
    /// Claims the session and writes, blocking while an earlier cancel request may still arrive. If writing fails, nothing is sent and the session
    /// is free again.
    /// </summary>
    /// <param name="write">Writes the messages; it gets <paramref name="state"/>, so that it needs no closure.</param>
    /// <param name="state">The argument of <paramref name="write"/>.</param>
    /// <exception cref="PgException">A command is running, or the session is broken.</exception>
    public T Begin<TState, T>(Func<ServerSession, TState, T> write, TState state)
    {
        Claim();
        return Write(write, state);
    }

    /// <inheritdoc cref="Begin"/>
    public async ValueTask<T> BeginAsync<TState, T>(Func<ServerSession, TState, T> write, TState state)
    {
        await ClaimAsync().ConfigureAwait(false);
        return Write(write, state);
    }

    /// <summary>
    /// Claims the session for one command, as <see cref="Begin"/> does, but leaves it to the caller to call <see cref="GiveBack"/> when writing
    /// fails. An architecture test lists the callers.
    /// </summary>
    /// <exception cref="PgException">A command is running, or the session is broken.</exception>
    public void Claim()
    {
        if (TryClaim())
            Settle();
    }

    /// <inheritdoc cref="Claim"/>
    public ValueTask ClaimAsync() => TryClaim() ? SettleAsync() : default;

    /// <summary>Takes back the bytes written since <paramref name="position"/> that were not sent, and frees the session unless it is broken.</summary>
    public void GiveBack(long position)
    {
        if (State == SessionState.Broken)
            return;
        Output.TakeBack(position);
        End();
    }

    /// <summary>Sends ROLLBACK without waiting for the answer.</summary>
    public void Rollback() => Begin(DeferRollback, "ROLLBACK");

    /// <inheritdoc cref="Rollback"/>
    public async ValueTask RollbackAsync() => await BeginAsync(DeferRollback, "ROLLBACK").ConfigureAwait(false);

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

    // True when a cancel request of the command before must be waited for.
    private bool TryClaim()
    {
        var word = Volatile.Read(ref _word);
        var found = (SessionState)(byte)word;
        if (found is not (SessionState.Idle or SessionState.Unsettled)
            || Interlocked.CompareExchange(ref _word, (((word >> 8) + 1) << 8) | (long)SessionState.Busy, word) != word)
            throw SessionErrors.NotIdle(State, _breakCause);
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
