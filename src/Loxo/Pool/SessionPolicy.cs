using System.Globalization;
using Loxo.Diagnostics;
using Loxo.Pooling;
using Loxo.Protocol;
using Loxo.Session;
using Loxo.Transport;
using Microsoft.Extensions.Logging;

namespace Loxo.Pool;

/// <summary>
/// How the pool opens, checks, resets and closes sessions. A reset is written when a session comes back, and nobody waits for it: whoever rents
/// the session next reads the answer in front of that to its own command.
/// </summary>
internal sealed class SessionPolicy(SessionContext context, PoolSettings settings, ILogger log, Action<PgSessionLeakEventArgs>? leaked)
    : ResourcePolicy<ServerSession>
{
    // The maintainer reads what nobody else has read: a reset's answer, or a farewell of the server.
    private const int AttentionMilliseconds = 1000;

    private readonly AuditSchedule _audit = new(context, settings.Reset, log);
    private readonly SessionVerifier? _verifier = settings.Reset == SessionReset.Verify ? new(context, log, leaked) : null;

    /// <summary>Called with each session that its pool keeps, after its reset was sent. Null outside of tests.</summary>
    public static Action<ServerSession>? GivenBack { get; set; }

    public override ServerSession Open(TimeSpan timeLeft) => Begun(SessionOpener.Open(context, timeLeft));

    public override ValueTask<ServerSession> OpenAsync(TimeSpan timeLeft, CancellationToken token) =>
        _verifier is null ? SessionOpener.OpenAsync(context, timeLeft, token) : OpenRecordedAsync(timeLeft, token);

    public override bool Check(ServerSession session, TimeSpan timeLeft)
    {
        var look = LookAt(session);
        if (look != Finding.MustAsk)
            return look == Finding.Fine;
        var limit = Deadline.In(timeLeft, context.Time);
        if (session.StatementsInDoubt)
        {
            if (!session.TakeDeferred(limit))
                return false;
            if (IsReady(session))
                return true;
        }
        if (MustWrite(session) is { } sql)
            session.Begin(owner: null, (session, sql) => WriteReset(session, sql, question: null), sql);
        return session.TakeDeferred(limit);
    }

    public override ValueTask<bool> CheckAsync(ServerSession session, TimeSpan timeLeft, CancellationToken token)
    {
        var look = LookAt(session);
        return look != Finding.MustAsk ? new(look == Finding.Fine) : AskAsync(session, Deadline.In(timeLeft, context.Time), token);
    }

    public override bool Reset(ServerSession session)
    {
        var isKept = TryReset(session);
        if (isKept)
            GivenBack?.Invoke(session);
        return isKept;
    }

    public override ValueTask<bool> ResetAsync(ServerSession session) => new(Reset(session));

    public override void Close(ServerSession session) => session.Dispose();

    public override bool NeedsAttention(ServerSession session) => (session.Deferred.IsDue || session.DueReset is not null)
        && Environment.TickCount64 - session.IdleSince >= AttentionMilliseconds;

    public override bool IsAbandoned(ServerSession session) => session.IsForgotten;

    public override void Opened(ServerSession session, TimeSpan took) =>
        PoolLog.Opened(log, context.Transport.Host.ToString(), took.TotalMilliseconds, session.ProcessId);

    public override void OpenFailed(Exception error) => PoolLog.OpenFailed(log, context.Transport.Host.ToString(), error);

    public override void Closed(ServerSession session, CloseReason reason)
    {
        PoolLog.Closed(log, session.ProcessId, reason.ToString());
        // Not after an error, which the question itself may have caused.
        if (reason is CloseReason.Cleared or CloseReason.Disposed or CloseReason.Surplus)
            _audit.Closed(session);
    }

    public override void CheckFailed(ServerSession session, Exception? error) => PoolLog.Replaced(log, session.ProcessId, error ?? session.BreakCause);

    public override void Abandoned(ServerSession session, RentalInfo info) => PoolLog.Recovered(log, session.ProcessId, info.Age);

    private bool TryReset(ServerSession session)
    {
        if (!session.TakeBack() || !SessionUpkeep.HasNoLeftovers(session))
            return false;
        session.PendingBegin = null;
        var now = Environment.TickCount64;
        session.IdleSince = now;
        var mustReset = MustReset(session, now);
        var mustForget = MustForgetStatements(session, mustReset, now);
        var sql = ResetText.For(session.TransactionStatus, mustReset, mustForget);
        var question = default(AuditedDatabase.Question);
        var mustAudit = settings.Reset != SessionReset.Never && session.State == SessionState.Idle && _audit.TryBegin(now, out question);
        if (sql is null && !mustAudit)
            return true;
        if (session.State == SessionState.Unsettled)
        {
            // Writing would have to wait for a cancel request that is still under way: that is left to whoever has the time.
            session.DueReset = sql;
            return true;
        }
        return session.Begin(
            owner: null,
            static (session, due) => due.Policy.WriteReset(session, due.Sql, due.Question),
            (Policy: this, Sql: sql, Question: mustAudit ? question : (AuditedDatabase.Question?)null));
    }

    private enum Finding
    {
        Fine,
        Over,
        MustAsk,
    }

    // The one system call that tells whether the server is still there; not where the session was in use a moment ago, by the clock that costs nothing.
    private Finding LookAt(ServerSession session)
    {
        var idle = Environment.TickCount64 - session.IdleSince;
        if (idle != 0 && !SessionUpkeep.Look(session))
            return Finding.Over;
        var mustAsk = session.DueReset is not null
            || session.StatementsInDoubt
            || (session.Deferred.IsDue && session.HasOtherParameters)
            || (settings.PingAfter > TimeSpan.Zero && idle > settings.PingAfter.TotalMilliseconds);
        return mustAsk ? Finding.MustAsk : Finding.Fine;
    }

    private async ValueTask<ServerSession> OpenRecordedAsync(TimeSpan timeLeft, CancellationToken token) =>
        Begun(await SessionOpener.OpenAsync(context, timeLeft, token).ConfigureAwait(false));

    private ServerSession Begun(ServerSession session)
    {
        if (_verifier is not null)
            SessionVerifier.Begin(session);
        return session;
    }

    private async ValueTask<bool> AskAsync(ServerSession session, Deadline limit, CancellationToken token)
    {
        if (session.StatementsInDoubt)
        {
            await session.TakeDeferredAsync(limit, token).ConfigureAwait(false);
            if (IsReady(session))
                return true;
        }
        if (MustWrite(session) is { } sql)
            await session.BeginAsync(owner: null, (session, sql) => WriteReset(session, sql, question: null), sql).ConfigureAwait(false);
        await session.TakeDeferredAsync(limit, token).ConfigureAwait(false);
        return true;
    }

    // The server has just answered, and nothing is to be asked of it.
    private static bool IsReady(ServerSession session) => !session.StatementsInDoubt && session.DueReset is null;

    // A reset that could not be written before; or, if no answer is due anyway, a statement of nothing as a sign of life.
    private static string? MustWrite(ServerSession session) =>
        session.DueReset ?? (session.StatementsInDoubt ? ResetText.ForgetStatements : session.Deferred.IsDue ? null : "");

    private bool WriteReset(ServerSession session, string? sql, AuditedDatabase.Question? question)
    {
        Write(session, sql);
        if (question is { } due)
            _audit.Write(session, due);
        return EndWriting(session);
    }

    private void Write(ServerSession session, string? sql)
    {
        session.DueReset = null;
        if (_verifier is not null && ResetText.IsReset(sql))
            _verifier.Write(session, sql, wasTrusted: IsPlain(session) && _audit.IsClean(session, Environment.TickCount64));
        else if (sql is not null)
            session.Defer(sql);
        if (ResetText.ForgetsStatements(sql))
        {
            session.Statements.ServerForgotAll();
            session.StatementsInDoubt = false;
        }
        // What a reset takes back may change what names mean.
        if ((session.Marks & SessionMarks.Names) != 0)
            session.ForgetMeanings();
        if (ResetText.SetsNamesBack(sql))
            session.NamesAreReset();
        if (session.StatementsInDoubt)
            CountStatements(session);
    }

    private static bool EndWriting(ServerSession session)
    {
        var isSent = session.EndDeferred();
        session.TransactionStatus = TransactionStatus.Idle;
        return isSent;
    }

    private static bool IsPlain(ServerSession session) => (session.Marks & ~SessionMarks.Names) == SessionMarks.None;

    private bool MustReset(ServerSession session, long now)
    {
        switch (settings.Reset)
        {
            case SessionReset.Always or SessionReset.Verify:
                return true;
            case SessionReset.Never:
                return false;
            default:
                return !IsPlain(session) || !_audit.IsClean(session, now);
        }
    }

    /// <summary>
    /// Whether prepared statements are to be forgotten with the reset. When only code in the database can have touched them, the server is asked how
    /// many there are, and the answer is awaited before the session is used again.
    /// </summary>
    private bool MustForgetStatements(ServerSession session, bool mustReset, long now)
    {
        if ((session.Marks & SessionMarks.Statements) != 0)
            return true;
        if (!mustReset || _audit.KeepsStatements(session, now))
            return false;
        session.StatementsInDoubt = session.State == SessionState.Idle && session.Statements.CountOnServer > 0;
        return !session.StatementsInDoubt;
    }

    // A function can only forget what Parse has prepared, and only add what PREPARE does: if the numbers are right, so are the statements.
    private static void CountStatements(ServerSession session)
    {
        var expected = session.Statements.CountOnServer.ToString(CultureInfo.InvariantCulture);
        session.Defer(ResetText.CountStatements, (row, _) => session.StatementsInDoubt = row is not [{ } count, "0"] || count != expected);
    }
}
