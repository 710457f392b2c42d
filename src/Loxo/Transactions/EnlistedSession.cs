using System.Transactions;
using Loxo.Commands;
using Loxo.Pool;
using Loxo.Pooling;
using Loxo.Session;
using TransactionStatus = Loxo.Protocol.TransactionStatus;

namespace Loxo.Transactions;

/// <summary>
/// Lets a session take part in a transaction of System.Transactions. A connection that is closed within the transaction leaves its session
/// here, and the next connection takes it up. When the transaction ends, the session goes back to its connection, or to the pool.
/// </summary>
/// <remarks>
/// The transaction may end on any thread and at any moment: a timeout rolls back on a timer's thread. This object takes the session from
/// its connection then (<see cref="SessionOwner.TakeBack"/>). If a command runs, the server is asked to stop it, and ROLLBACK follows when
/// the command has ended. Notifications never throw: an exception on the timer's thread would end the process, and the other participants
/// would not learn how the transaction has ended.
/// </remarks>
internal sealed class EnlistedSession(PgDataSource source, Transaction transaction, ServerSession session, PgConnection connection)
    : ISinglePhaseNotification
{
    private enum Phase
    {
        /// <summary>Statements may run.</summary>
        Active,

        /// <summary>Rolled back as soon as the running command has ended.</summary>
        Waiting,

        /// <summary>Nobody but this object uses the session.</summary>
        Ending,

        /// <summary>As <see cref="Ending"/>, after the first phase of a two-phase commit.</summary>
        Prepared,

        /// <summary>The session was lost before the end.</summary>
        Lost,

        Ended,
    }

    private readonly Lock _gate = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile Phase _phase;
    private PgConnection? _connection = connection;
    private Rental<PooledSession> _rental;
    private PreparedTransaction? _prepared;
    private volatile bool _isRolledBack;

    /// <summary>The transaction, as the program has given it: no clone, which would not tell whether the program has disposed it.</summary>
    public Transaction Transaction => transaction;

    /// <summary>Whether the transaction has not begun to end.</summary>
    public bool IsActive => _phase == Phase.Active;

    /// <summary>Checks that a command may run. Detaches the connection if the program has disposed the transaction.</summary>
    /// <exception cref="PgException">The transaction has been rolled back, which the program may not know yet.</exception>
    /// <exception cref="InvalidOperationException">The transaction is being committed, or SQL has ended it.</exception>
    public void Check(PgConnection user)
    {
        switch (_phase)
        {
            case Phase.Active when IsEndedBySql:
                throw EnlistmentErrors.EndedBySql();
            case Phase.Active:
                return;
            case Phase.Ending or Phase.Prepared when !_isRolledBack:
                throw EnlistmentErrors.IsEnding();
            case var _ when !Enlisting.IsDisposed(transaction):
                throw EnlistmentErrors.RolledBack();
            case Phase.Ending:
                // Asynchronous calls have awaited it.
                _ended.Task.Wait();
                break;
        }
        if (_phase == Phase.Ended)
            user.Enlisted = null;
    }

    /// <summary>Completes when a rollback that is under way has ended; null if none is.</summary>
    public Task? Rollback => _isRolledBack && _phase == Phase.Ending ? _ended.Task : null;

    /// <summary>Gives the session to a connection, unless another one has it. See <see cref="MustReset"/>.</summary>
    public bool TryResume(PgConnection next)
    {
        lock (_gate)
        {
            if (_phase != Phase.Active || _connection is not null || next.Source!.Hosts?.MayServe(source) == false)
                return false;
            if (next.Source.Hosts is not null)
                next.BelongTo(source);
            _connection = next;
            next.Resume(this, session, _rental);
            return true;
        }
    }

    /// <summary>Whether the former connection may have changed the session's state.</summary>
    public bool MustReset => session is { TransactionStatus: TransactionStatus.InTransaction, PendingBegin: null }
        && source.Settings.Pool.Reset switch
        {
            SessionReset.Never => false,
            SessionReset.Always or SessionReset.Verify => true,
            _ => (session.Effects.Changes & ~SessionChanges.Names) != 0 || session.Context.Database.HidesNothing?.Invoke(session) != true,
        };

    /// <summary>Writes the reset that a running transaction allows; its answer is read with that of the next command.</summary>
    public static bool WriteReset(ServerSession session, string sql)
    {
        session.Deferred.Write(sql);
        return session.Deferred.Send();
    }

    /// <summary>Keeps the session of a connection that is closed. False if the transaction does not need the session any more.</summary>
    public bool TryKeep(Rental<PooledSession> rental)
    {
        lock (_gate)
        {
            if (_phase is Phase.Ended or Phase.Lost)
                return false;
            if (_phase is Phase.Active or Phase.Waiting && (session.State == SessionState.Broken || !session.Owner.TakeBack()))
            {
                _phase = _phase == Phase.Waiting ? Phase.Ended : Phase.Lost;
                _connection = null;
                return false;
            }
            _connection = null;
            _rental = rental;
        }
        CommandEnded();
        return true;
    }

    /// <summary>Rolls back, if a rollback has waited for the end of a command.</summary>
    public void CommandEnded()
    {
        if (_phase != Phase.Waiting)
            return;
        lock (_gate)
        {
            if (_phase != Phase.Waiting || !TryTakeBack())
                return;
            _phase = Phase.Ending;
        }
        RollBackOnServer();
    }

    void ISinglePhaseNotification.SinglePhaseCommit(SinglePhaseEnlistment enlistment)
    {
        if (!TryBeginEnd(out var error))
        {
            RollBack();
            enlistment.Aborted(error);
        }
        else if (IsUnsent)
        {
            End(isCommitted: true);
            enlistment.Committed();
        }
        else
            Commit(enlistment);
    }

    void IEnlistmentNotification.Prepare(PreparingEnlistment enlistment)
    {
        if (!TryBeginEnd(out var error))
        {
            RollBack();
            enlistment.ForceRollback(error);
        }
        else if (IsUnsent)
        {
            End(isCommitted: true);
            enlistment.Done();
        }
        else if (TryPrepare() is { } refused)
        {
            RollBackOnServer();
            enlistment.ForceRollback(refused);
        }
        else
            enlistment.Prepared();
    }

    void IEnlistmentNotification.Commit(Enlistment enlistment)
    {
        _prepared?.Commit(session);
        End(isCommitted: true);
        enlistment.Done();
    }

    void IEnlistmentNotification.Rollback(Enlistment enlistment)
    {
        RollBack();
        enlistment.Done();
    }

    // The outcome depends on another participant that does not know it. Only the program's operators can find it out.
    void IEnlistmentNotification.InDoubt(Enlistment enlistment)
    {
        _prepared?.Leave();
        End(isCommitted: false);
        enlistment.Done();
    }

    private bool IsEndedBySql => session is
    {
        State: SessionState.Idle or SessionState.Unsettled,
        PendingBegin: null,
        TransactionStatus: TransactionStatus.Idle,
    };

    private bool IsUnsent => session.PendingBegin is not null;

    // Takes the session from its connection, so that no statement can follow.
    private bool TryBeginEnd([NotNullWhen(false)] out Exception? error)
    {
        lock (_gate)
        {
            error = _phase == Phase.Lost || session.State == SessionState.Broken ? EnlistmentErrors.Lost(session.BreakCause)
                : _phase != Phase.Active ? EnlistmentErrors.RolledBack()
                : !TryTakeBack() ? SessionErrors.NotIdle(session)
                : null;
            if (error is null)
                _phase = Phase.Ending;
        }
        if (error is null && IsEndedBySql)
            error = EnlistmentErrors.EndedBySql();
        // One system call, for the difference between an outcome that is known and one that is not.
        else if (error is null && !IsUnsent && session.State == SessionState.Idle && !SessionDrain.IsAlive(session))
            error = EnlistmentErrors.Lost(session.BreakCause);
        else
            return error is null;
        End(isCommitted: false);
        return false;
    }

    // While a command runs, the connection keeps the session, so that the pool can recover the session of a forgotten connection.
    private bool TryTakeBack()
    {
        if (session.Owner.TakeBack())
            return true;
        if (_connection is not null && session.State != SessionState.Broken)
            session.Owner.HandOver(_connection, goesOn: true);
        return false;
    }

    private void Commit(SinglePhaseEnlistment enlistment)
    {
        var wasSent = false;
        try
        {
            var tag = EndingCommand.Run(session, "COMMIT", source.Settings.Session.CommandTimeout, ref wasSent);
            if (tag != "COMMIT" && !session.Context.Settings.IsLikeNpgsql)
                throw TransactionText.NotCommitted();
        }
        catch (Exception e) when (e is PgException or OperationCanceledException)
        {
            RollBackOnServer();
            if (wasSent && OwnCommand.IsOutcomeUnknown(session, e))
                enlistment.InDoubt(TransactionText.OutcomeUnknown(e));
            else
                enlistment.Aborted(e);
            return;
        }
        End(isCommitted: true);
        enlistment.Committed();
    }

    private Exception? TryPrepare()
    {
        var prepared = new PreparedTransaction(source, transaction.TransactionInformation.LocalIdentifier, session);
        try
        {
            if (!prepared.Prepare(session))
                return TransactionText.NotCommitted();
        }
        catch (Exception e) when (e is PgException or OperationCanceledException)
        {
            return e;
        }
        _prepared = prepared;
        _phase = Phase.Prepared;
        return null;
    }

    private void RollBack()
    {
        Phase found;
        lock (_gate)
        {
            _isRolledBack = true;
            found = _phase;
            if (found == Phase.Active && !TryTakeBack())
                found = Phase.Waiting;
            if (found is Phase.Active or Phase.Prepared)
                _phase = Phase.Ending;
            else if (found == Phase.Waiting)
                _phase = Phase.Waiting;
        }
        switch (found)
        {
            case Phase.Active:
                RollBackOnServer();
                break;
            case Phase.Waiting:
                StopCommand();
                break;
            case Phase.Prepared:
                _prepared!.RollBack(session);
                End(isCommitted: false);
                break;
            default:
                source.Enlisted.Remove(this);
                break;
        }
    }

    private void StopCommand()
    {
        // Only the connection refers to this object from here on, so that a forgotten connection can be collected; see TryTakeBack.
        source.Enlisted.Remove(this);
        session.Cancellation.Stop(session.CommandNumber, StopReason.RolledBack);
        // The command may have ended before the phase was Waiting.
        CommandEnded();
    }

    // Sent without waiting for the answer: a timer's thread may have others to roll back.
    private void RollBackOnServer()
    {
        _isRolledBack = true;
        if (IsUnsent || session.TransactionStatus == TransactionStatus.Idle)
        {
            End(isCommitted: false);
            return;
        }
        if (session.State == SessionState.Unsettled)
        {
            _ = RollBackWhenSettledAsync();
            return;
        }
        try
        {
            // A dead connection is noticed now and not by the pool's next renter.
            if (SessionDrain.IsAlive(session))
                session.Begin(owner: null, DeferredStatements.Rollback, "ROLLBACK");
        }
        catch (PgException)
        {
            // The session is broken, and with it the server's transaction.
        }
        End(isCommitted: false);
    }

    private async Task RollBackWhenSettledAsync()
    {
        try
        {
            await session.BeginAsync(owner: null, DeferredStatements.Rollback, "ROLLBACK").ConfigureAwait(false);
        }
        catch (Exception e) when (e is PgException or OperationCanceledException)
        {
            // As above.
        }
        End(isCommitted: false);
    }

    // Gives the session back to its connection, or to the pool.
    private void End(bool isCommitted)
    {
        source.Enlisted.Remove(this);
        Rental<PooledSession> rental;
        PgConnection? user;
        lock (_gate)
        {
            if (_phase == Phase.Ended)
                return;
            session.PendingBegin = null;
            (rental, _rental) = (_rental, default);
            (user, _connection) = (_connection, null);
            if (user is not null)
                session.Owner.HandOver(user, goesOn: true);
            if (isCommitted)
                user?.Enlisted = null;
            _isRolledBack = !isCommitted;
            _phase = Phase.Ended;
        }
        _ended.SetResult();
        if (user is not null)
            return;
        if (source.Pool is { } pool)
            pool.Return(rental);
        else
            session.Dispose();
    }
}
