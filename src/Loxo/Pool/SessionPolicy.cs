using Loxo.Diagnostics;
using Loxo.Pooling;
using Loxo.Protocol;
using Loxo.Session;
using Loxo.Transport;
using Microsoft.Extensions.Logging;

namespace Loxo.Pool;

/// <summary>How the pool opens, checks, resets and closes sessions. Nobody waits for a reset: the next renter reads its reply.</summary>
internal sealed class SessionPolicy(SessionContext context, PoolSettings settings, ILogger log, Action<PgSessionLeakEventArgs>? leaked)
    : ResourcePolicy<PooledSession>
{
    // The maintenance reads messages that no renter has read: the reply to a reset, or the server's last error.
    private const int AttentionMilliseconds = 1000;

    private readonly AuditSchedule _audit = new(context, settings.Reset, log);
    private readonly ResetTrial _trial = new(log, context.Transport.Host.ToString());
    private readonly SessionVerifier? _verifier = settings.Reset == SessionReset.Verify ? new(context, log, leaked) : null;

    /// <summary>What is told of connections that are not given back.</summary>
    public LeakSettings Leaks { get; init; } = new();

    /// <summary>Called with each session that its pool keeps, after its reset was sent. Null outside of tests.</summary>
    public static Action<ServerSession>? GivenBack { get; set; }

    public override PooledSession Open(TimeSpan timeLeft) => Begun(SessionOpener.Open(context, timeLeft));

    public override async ValueTask<PooledSession> OpenAsync(TimeSpan timeLeft, CancellationToken token) =>
        Begun(await SessionOpener.OpenAsync(context, timeLeft, token).ConfigureAwait(false));

    public override bool Check(PooledSession pooled, TimeSpan timeLeft)
    {
        if (LookAt(pooled) is { } isFine)
            return isFine;
        var session = pooled.Session;
        var limit = Deadline.In(timeLeft, context.Time);
        if (session.State == SessionState.Unsettled && !session.Cancellation.AwaitDelivery(limit))
            return false;
        if (pooled.StatementsInDoubt)
        {
            if (!session.Deferred.Take(limit))
                return false;
            if (IsReady(pooled))
                return true;
        }
        if (MustWrite(pooled) is { } sql)
            session.Begin(owner: null, Resetting(pooled), sql);
        return session.Deferred.Take(limit);
    }

    public override ValueTask<bool> CheckAsync(PooledSession pooled, TimeSpan timeLeft, CancellationToken token) =>
        LookAt(pooled) is { } isFine ? new(isFine) : AskAsync(pooled, Deadline.In(timeLeft, context.Time), token);

    public override bool Reset(PooledSession pooled)
    {
        var isKept = TryReset(pooled);
        if (isKept)
            GivenBack?.Invoke(pooled.Session);
        return isKept;
    }

    public override ValueTask<bool> ResetAsync(PooledSession pooled) => new(Reset(pooled));

    // Who returns a session in a loop goes on there, and so does the next renter.
    public override bool TryResume(IThreadPoolWorkItem renter) => Loop.TryAddToCurrent(renter);

    public override void Close(PooledSession pooled) => pooled.Session.Dispose();

    public override bool NeedsAttention(PooledSession pooled)
    {
        var now = Environment.TickCount64;
        if (context.Settings.KeepAlive > TimeSpan.Zero
            && now - Math.Max(pooled.IdleSince, pooled.AskedAt) >= context.Settings.KeepAlive.TotalMilliseconds)
        {
            pooled.AskedAt = now;
            pooled.MustAsk = true;
        }
        return pooled.MustAsk
            || ((pooled.Session.Deferred.IsDue || pooled.DueReset is not null) && now - pooled.IdleSince >= AttentionMilliseconds);
    }

    public override bool IsAbandoned(PooledSession pooled) => pooled.Session.Owner.IsForgotten;

    // A lane ends by itself.
    public override bool IsBroken(PooledSession pooled) => pooled.Session is { IsLane: false, Owner.IsKeptInVain: true };

    // The server has no place left: another session of it may end, here or elsewhere, before the renter's time is over. Of several hosts
    // the next one is tried first: see HostGroup.
    public override TimeSpan? RetryOpenAfter(Exception error, int failures) =>
        context.Host is null && error is PostgresException { SqlState: SqlStates.TooManyConnections }
            ? TimeSpan.FromMilliseconds(25 << Math.Min(failures, 5))
            : null;

    public override void Opened(PooledSession pooled, TimeSpan took) =>
        PoolLog.Opened(log, context.Transport.Host.ToString(), took.TotalMilliseconds, pooled.Session.ProcessId);

    public override void OpenFailed(Exception error) => PoolLog.OpenFailed(log, context.Transport.Host.ToString(), error);

    public override void Closed(PooledSession pooled, CloseReason reason)
    {
        PoolLog.Closed(log, pooled.Session.ProcessId, reason.ToString());
        // Not after an error, which the audit itself may have caused.
        if (reason is CloseReason.Cleared or CloseReason.Disposed or CloseReason.Surplus)
            _audit.Closed(pooled.Session);
    }

    public override void CheckFailed(PooledSession pooled, Exception? error) =>
        PoolLog.Replaced(log, pooled.Session.ProcessId, error ?? pooled.Session.BreakCause);

    public override void Abandoned(PooledSession pooled, RentalInfo info) => PoolLog.Recovered(
        log, pooled.Session.ProcessId, info.Age, Leaks.LastStatement(pooled.Session) ?? "none", StackOf(info));

    public override void Overdue(PooledSession pooled, RentalInfo info)
    {
        // Lanes keep their sessions.
        if (!pooled.Session.IsLane)
            PoolLog.Overdue(
                log, pooled.Session.ProcessId, info.Age, Leaks.Threshold, Leaks.LastStatement(pooled.Session) ?? "none", StackOf(info));
    }

    public override string? Describe(PooledSession pooled) => pooled.Session.IsLane
        ? "lane of a multiplexed data source"
        : Leaks.LastStatement(pooled.Session) is { } statement ? $"last statement {statement}" : null;

    private static string StackOf(RentalInfo info) =>
        info.Stack is { } stack ? $"rented by\n{stack}" : "no stack was kept: see UseLeakThreshold";

    private bool TryReset(PooledSession pooled)
    {
        var session = pooled.Session;
        if (!session.Owner.TakeBack() || !SessionDrain.HasNoUnexpectedReply(session))
            return false;
        session.PendingBegin = null;
        var now = Environment.TickCount64;
        pooled.IdleSince = now;
        var mustReset = MustReset(session, now);
        var mustForget = MustForgetStatements(pooled, mustReset, now);
        var sql = ResetText.For(session.TransactionStatus, mustReset, mustForget);
        if (_trial.Form == ResetForm.None && ResetText.IsReset(sql))
            return false;
        var question = default(AuditedDatabase.Question);
        var mustAudit = session.State == SessionState.Idle && _audit.TryBegin(session, now, out question);
        Count(session, sql, mustReset);
        if (sql is null && !mustAudit)
            return true;
        if (session.State == SessionState.Unsettled)
        {
            // Writing would have to wait for a cancel request that is still under way. The next renter or the maintenance does that.
            pooled.DueReset = sql;
            return true;
        }
        return session.Begin(
            owner: null,
            static (_, due) => due.Policy.WriteReset(due.Pooled, due.Sql, due.Question),
            (Policy: this, Pooled: pooled, Sql: sql, Question: mustAudit ? question : (AuditedDatabase.Question?)null));
    }

    // The one system call that tells whether the server is still there; not where the session was in use a moment ago.
    // Null: the server has to be asked.
    private bool? LookAt(PooledSession pooled)
    {
        var session = pooled.Session;
        var idle = Environment.TickCount64 - pooled.IdleSince;
        if (idle != 0 && !SessionDrain.IsAlive(session))
            return false;
        // The cancel request of an earlier renter is none of the next one's business: a session that it may still hit is replaced.
        var isDelivered = session.State != SessionState.Unsettled ? true : session.Cancellation.IsDelivered;
        if (isDelivered == false)
            return false;
        var mustAsk = pooled.MustAsk
            || isDelivered is null
            || pooled.DueReset is not null
            || pooled.StatementsInDoubt
            || (session.Deferred.IsDue && (session.Parameters.HaveChanged || _trial.IsRunning))
            || (settings.PingAfter > TimeSpan.Zero && idle > settings.PingAfter.TotalMilliseconds);
        pooled.MustAsk = false;
        return mustAsk ? null : true;
    }

    private PooledSession Begun(ServerSession session)
    {
        if (_verifier is not null)
            SessionVerifier.Begin(session);
        return new PooledSession(session);
    }

    private async ValueTask<bool> AskAsync(PooledSession pooled, Deadline limit, CancellationToken token)
    {
        var session = pooled.Session;
        if (session.State == SessionState.Unsettled && !await session.Cancellation.AwaitDeliveryAsync(limit, token).ConfigureAwait(false))
            return false;
        if (pooled.StatementsInDoubt)
        {
            await session.Deferred.TakeAsync(limit, token).ConfigureAwait(false);
            if (IsReady(pooled))
                return !session.FailIfShutDown();
        }
        if (MustWrite(pooled) is { } sql)
            await session.BeginAsync(owner: null, Resetting(pooled), sql).ConfigureAwait(false);
        await session.Deferred.TakeAsync(limit, token).ConfigureAwait(false);
        return !session.FailIfShutDown();
    }

    // The server has just answered, and nothing is to be asked of it.
    private static bool IsReady(PooledSession pooled) => !pooled.StatementsInDoubt && pooled.DueReset is null;

    // A reset that could not be written before; or, if no answer is due anyway, a statement of nothing as a sign of life.
    private static string? MustWrite(PooledSession pooled) =>
        pooled.DueReset ?? (pooled.StatementsInDoubt ? ResetText.ForgetStatements : pooled.Session.Deferred.IsDue ? null : "");

    // A method of its own, as a lambda in Check would cost every rent an object.
    private Func<ServerSession, string, bool> Resetting(PooledSession pooled) => (_, sql) => WriteReset(pooled, sql, question: null);

    private bool WriteReset(PooledSession pooled, string? sql, AuditedDatabase.Question? question)
    {
        Write(pooled, sql);
        if (question is { } due)
            _audit.Write(pooled.Session, due);
        var isSent = pooled.Session.Deferred.Send();
        pooled.Session.TransactionStatus = TransactionStatus.Idle;
        return isSent;
    }

    private void Write(PooledSession pooled, string? sql)
    {
        var session = pooled.Session;
        pooled.DueReset = null;
        var forgetsStatements = ResetText.ForgetsStatements(sql);
        if (_verifier is not null && ResetText.IsReset(sql))
            _verifier.Write(session, sql, wasTrusted: IsPlain(session) && _audit.IsClean(session, Environment.TickCount64));
        else if (ResetText.IsReset(sql))
            forgetsStatements |= _trial.Write(session, sql);
        else if (sql is not null)
            session.Deferred.Write(sql);
        if (forgetsStatements)
        {
            session.Statements.ServerForgotAll();
            pooled.StatementsInDoubt = false;
        }
        // The reset may change the meaning of names.
        if ((session.Effects.Changes & SessionChanges.Names) != 0)
            session.Effects.ForgetMeanings();
        if (ResetText.IsReset(sql))
            session.Effects.NamesAreReset();
        if (pooled.StatementsInDoubt)
            CountStatements(pooled);
    }

    private static bool IsPlain(ServerSession session) => (session.Effects.Changes & ~SessionChanges.Names) == SessionChanges.None;

    private bool MustReset(ServerSession session, long now) => settings.Reset switch
    {
        SessionReset.Always or SessionReset.Verify => true,
        SessionReset.Never => false,
        _ => !IsPlain(session) || !_audit.IsClean(session, now),
    };

    private void Count(ServerSession session, string? sql, bool mustReset)
    {
        var counters = session.Counters;
        if (sql is null)
        {
            counters.ResetsAvoided += settings.Reset == SessionReset.Never ? 0 : 1;
            return;
        }
        counters.ResetsSent++;
        counters.CountReason(!mustReset ? PgResetReason.OpenTransaction
            : settings.Reset is SessionReset.Always or SessionReset.Verify ? PgResetReason.Configured
            : session.Effects.ResetReason is { } reason && !IsPlain(session) ? reason
            : PgResetReason.DatabaseNotAudited);
    }

    /// <summary>Where only code in the database can have touched the prepared statements, the server is asked how many there are.</summary>
    private bool MustForgetStatements(PooledSession pooled, bool mustReset, long now)
    {
        var session = pooled.Session;
        if ((session.Effects.Changes & SessionChanges.Statements) != 0)
            return true;
        if (!mustReset || _audit.KeepsStatements(session, now))
            return false;
        pooled.StatementsInDoubt = session.State == SessionState.Idle && session.Statements.CountOnServer > 0;
        return !pooled.StatementsInDoubt;
    }

    // A function can only forget what Parse has prepared, and only add what PREPARE does: if the numbers are right, so are the statements.
    private static void CountStatements(PooledSession pooled)
    {
        var session = pooled.Session;
        var expected = session.Statements.CountOnServer.ToString(CultureInfo.InvariantCulture);
        session.Deferred.Write(
            ResetText.CountStatements, (row, _) => pooled.StatementsInDoubt = row is not [{ } count, "0"] || count != expected);
    }
}
