using Loxo.Diagnostics;
using Loxo.Session;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Loxo.Pool;

/// <summary>Has the pool's database audited when that is due: the question goes with the reset of a session that comes back.</summary>
internal sealed class AuditSchedule
{
    // How often to look whether it is due: a lock and a clock that cost more than the rest of a return.
    private const long LookMilliseconds = 1000;

    private readonly AuditedDatabase _database;
    private readonly IEnumerable<AuditedDatabase> _namesakes;
    private readonly SessionContext _context;
    private readonly SessionReset _reset;
    private readonly ILogger _log;
    private long _lookedAt = long.MinValue / 2;
    private long _knownAt = long.MinValue;
    private bool _isYoung;
    private ServerSession? _asked;
    private string? _reportedError;

    public AuditSchedule(SessionContext context, SessionReset reset, ILogger log)
    {
        _context = context;
        _reset = reset;
        _log = log;
        _database = context.Time == TimeProvider.System
            ? AuditedDatabase.Of(context.Transport.Host.ToString(), context.Settings.Database)
            : new AuditedDatabase(context.Time);
        _namesakes = context.Time == TimeProvider.System ? AuditedDatabase.Named(context.Settings.Database) : [_database];
        context.Database.RoutinesMayChange = Invalidate;
        context.Database.RoutinesOutcomeUnknown = Lose;
        context.Database.DatabaseMayChange = DatabaseMayChange;
        // Behind a pooler nobody asks: the statements that a session has prepared are not in one server process.
        context.Database.Reachable = context.Settings.Pooler != Pooler.None
            ? () => _database.Reachable with { IsUnknown = false, UnseenNameChanges = UnseenNameChanges.None }
            : () => _database.Reachable;
        context.Database.HidesNothing = session => IsClean(session, Environment.TickCount64);
    }

    /// <summary>A data source without a pool knows what the program's pools know, and tells them of its changes.</summary>
    public static void Share(SessionContext context) => _ = new AuditSchedule(context, SessionReset.Never, NullLogger.Instance);

    /// <summary>Whether plain statements are known to have left nothing in the session, by its verdict at the hand-over.</summary>
    public bool IsClean(ServerSession session, long now) => IsYoung(now) && _database.IsCleanSince(session.Effects.Reachable.Version);

    /// <summary>Whether nothing that ran unseen can have made or forgotten prepared statements in the session.</summary>
    public bool KeepsStatements(ServerSession session, long now) =>
        IsYoung(now) && _database.KeepsStatementsSince(session.Effects.Reachable.Version);

    /// <summary>Whether the session that comes back is to be asked.</summary>
    public bool TryBegin(ServerSession session, long now, out AuditedDatabase.Question question)
    {
        question = default;
        if (!MustKnow(session) || now - Volatile.Read(ref _lookedAt) < LookMilliseconds)
            return false;
        Volatile.Write(ref _lookedAt, now);
        return _database.TryBegin(out question);
    }

    /// <summary>Writes the question; the session must have been claimed.</summary>
    public void Write(ServerSession session, AuditedDatabase.Question question)
    {
        // A statement of its own in front, so that what a process has committed that is gone is seen by the question.
        var isAlive = false;
        if (question.Lost.Length > 0)
        {
            session.Deferred.Write(
                DatabaseAudit.AliveAmong(question.Lost), (row, error) => isAlive = row is not ["f"] || error is not null);
        }
        Volatile.Write(ref _asked, session);
        session.Deferred.Write(DatabaseAudit.Query, (row, error) =>
        {
            Volatile.Write(ref _asked, null);
            if (!isAlive)
                Answered(question, row, error);
        });
    }

    /// <summary>The pool closes a session that may have been asked: another one is asked at once instead.</summary>
    public void Closed(ServerSession session)
    {
        if (ReferenceEquals(Interlocked.CompareExchange(ref _asked, null, session), session))
            _database.Abandon();
    }

    private void Invalidate(int transactions)
    {
        _database.Change(transactions);
        foreach (var database in _namesakes)
            database.Invalidate();
        Volatile.Write(ref _lookedAt, long.MinValue / 2);
        Volatile.Write(ref _knownAt, long.MinValue);
    }

    private void Lose(int process)
    {
        foreach (var database in _namesakes)
            database.Lose(process);
    }

    private static void DatabaseMayChange(string? name, int? process)
    {
        foreach (var database in AuditedDatabase.Named(name))
        {
            if (process is { } lost)
                database.Lose(lost);
            database.Invalidate();
        }
    }

    private void Answered(AuditedDatabase.Question question, string?[]? row, ServerErrorFields? error)
    {
        // A database that cannot be audited is audited again later, and distrusted until then.
        if (error is not null || row is null)
        {
            _database.Fail(question);
            var reason = error?.MessageText ?? error?.SqlState ?? "no answer";
            if (IsReported && Interlocked.Exchange(ref _reportedError, reason) != reason)
                PoolLog.AuditFailed(_log, _context.Settings.Database, reason);
            return;
        }
        Volatile.Write(ref _reportedError, null);
        var verdict = DatabaseAuditVerdict.Of(row);
        if (_database.End(question, verdict) && IsReported)
            PoolLog.AutoIsAlways(_log, _context.Settings.Database, verdict.Name!, verdict.Reason!);
        Volatile.Write(ref _knownAt, long.MinValue);
    }

    // Where no reset depends on it, the answer matters to prepared statements, whose names may have come to mean something else.
    private bool MustKnow(ServerSession session) => _reset != SessionReset.Never
        || (session.Statements.Count > 0 && _context.Settings.Pooler == Pooler.None);

    // Users of Verify learn that nothing is verified.
    private bool IsReported => _reset is SessionReset.Auto or SessionReset.Verify;

    private bool IsYoung(long now)
    {
        if (Volatile.Read(ref _knownAt) != now)
        {
            Volatile.Write(ref _isYoung, _database.IsValid(_context.Time.GetTimestamp()));
            Volatile.Write(ref _knownAt, now);
        }
        return Volatile.Read(ref _isYoung);
    }
}
