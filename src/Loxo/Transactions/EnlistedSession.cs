using System.Transactions;
using Loxo.Commands;
using Loxo.Pool;
using Loxo.Pooling;
using Loxo.Session;
using TransactionStatus = Loxo.Protocol.TransactionStatus;

namespace Loxo.Transactions;

/// <summary>
/// A session that takes part in a transaction of System.Transactions. It outlives its connection: a connection that is closed within the
/// transaction leaves it here, and the next one that is opened takes it up. At the end it goes back to its connection, or to the pool.
/// </summary>
/// <remarks>
/// The end may come on any thread, at any moment: a time limit rolls back on a timer's. From then on the session belongs to nobody but
/// this object (<see cref="ServerSession.TakeBack"/>); while a command runs the end waits for it, after it has asked the server to stop it.
/// No notification throws: an exception would end the timer's thread, or keep the end from the transaction's other participants.
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

        /// <summary>As <see cref="Ending"/>; the server keeps what was done until it hears the outcome.</summary>
        Prepared,

        /// <summary>The session was lost before the end.</summary>
        Lost,

        Ended,
    }

    private readonly Lock _gate = new();
    private volatile Phase _phase;
    private PgConnection? _connection = connection;
    private Rental<PooledSession> _rental;
    private PreparedTransaction? _prepared;

    /// <summary>As it was given; it tells whether the program has disposed it.</summary>
    public Transaction Transaction => transaction;

    /// <summary>Whether the transaction has not begun to end.</summary>
    public bool IsActive => _phase == Phase.Active;

    /// <summary>Whether a command may run on the connection; an end that the program knows of is forgotten.</summary>
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
            case Phase.Ending or Phase.Prepared:
                throw EnlistmentErrors.IsEnding();
            case Phase.Ended or Phase.Lost when IsDisposed:
                user.Enlisted = null;
                return;
            default:
                throw EnlistmentErrors.RolledBack();
        }
    }

    /// <summary>Gives the session to a connection if no other has it. What the former one may have changed is due to be reset.</summary>
    public bool TryResume(PgConnection next)
    {
        lock (_gate)
        {
            if (_phase != Phase.Active || _connection is not null)
                return false;
            _connection = next;
            next.Resume(this, session, _rental);
            return true;
        }
    }

    /// <summary>Whether statements of the former connection may have changed the session, so that the next one would see it.</summary>
    public bool MustReset => session is { TransactionStatus: TransactionStatus.InTransaction, PendingBegin: null }
        && source.Settings.Pool.Reset switch
        {
            SessionReset.Never => false,
            SessionReset.Always or SessionReset.Verify => true,
            _ => (session.Effects.Changes & ~SessionChanges.Names) != 0 || session.Context.HidesNothing?.Invoke(session) != true,
        };

    /// <summary>Writes the reset that a running transaction allows; its answer is read with that of the next command.</summary>
    public static bool WriteReset(ServerSession session, string sql)
    {
        session.Defer(sql);
        return session.EndDeferred();
    }

    /// <summary>The connection is closed. Keeps its session until the transaction ends; false if there is nothing to keep.</summary>
    public bool TryKeep(Rental<PooledSession> rental)
    {
        lock (_gate)
        {
            if (_phase is Phase.Ended or Phase.Lost)
                return false;
            if (_phase is Phase.Active or Phase.Waiting && (session.State == SessionState.Broken || !session.TakeBack()))
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

    /// <summary>A command on the session has ended: the time for a rollback that has waited for it.</summary>
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

    // Another participant does not know its outcome: whoever finds it out has to decide about the prepared transaction, too.
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

    // A transaction cannot be asked whether it has been disposed, but its members throw then.
    private bool IsDisposed
    {
        get
        {
            try
            {
                return transaction.TransactionInformation is null;
            }
            catch (ObjectDisposedException)
            {
                return true;
            }
        }
    }

    // The statements end here: the session is taken from its connection.
    private bool TryBeginEnd([NotNullWhen(false)] out Exception? error)
    {
        lock (_gate)
        {
            error = _phase == Phase.Lost || session.State == SessionState.Broken ? EnlistmentErrors.Lost(session.BreakCause)
                : _phase != Phase.Active ? EnlistmentErrors.RolledBack()
                : !TryTakeBack() ? SessionErrors.NotIdle(session.State, session.BreakCause)
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

    // While a command runs, its connection keeps the session: if both are forgotten, the pool finds it.
    private bool TryTakeBack()
    {
        if (session.TakeBack())
            return true;
        if (_connection is not null && session.State != SessionState.Broken)
            session.HandOver(_connection, goesOn: true);
        return false;
    }

    private void Commit(SinglePhaseEnlistment enlistment)
    {
        var wasSent = false;
        try
        {
            if (EndingCommand.Run(session, "COMMIT", source.Settings.Session.CommandTimeout, ref wasSent) != "COMMIT")
                throw TransactionText.NotCommitted();
        }
        catch (Exception e) when (e is PgException or OperationCanceledException)
        {
            RollBackOnServer();
            if (wasSent && session.State == SessionState.Broken)
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
            found = _phase;
            if (found == Phase.Active)
                _phase = TryTakeBack() ? Phase.Ending : Phase.Waiting;
            if (_phase == Phase.Waiting)
                found = Phase.Waiting;
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
        // From here on only the connection has this object, and with it the session; see TryTakeBack.
        source.Enlisted.Remove(this);
        session.Cancellation.Stop(session.CommandNumber, StopReason.RolledBack);
        // It may have ended before its end was looked for.
        CommandEnded();
    }

    // Sent without waiting for the answer: a timer's thread may have others to roll back.
    private void RollBackOnServer()
    {
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
        lock (_gate)
        {
            if (_phase == Phase.Ended)
                return;
            _phase = Phase.Ended;
            session.PendingBegin = null;
            if (_connection is { } user)
            {
                session.HandOver(user, goesOn: true);
                _connection = null;
                if (isCommitted)
                    user.Enlisted = null;
                return;
            }
            rental = _rental;
            _rental = default;
        }
        if (source.Pool is { } pool)
            pool.Return(rental);
        else
            session.Dispose();
    }
}
