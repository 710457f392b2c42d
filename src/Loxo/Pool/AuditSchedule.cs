using Loxo.Diagnostics;
using Loxo.Session;
using Microsoft.Extensions.Logging;

namespace Loxo.Pool;

/// <summary>
/// Has the pool's database looked through when that is due: the question goes with the reset of a session that comes back, and its answer is taken
/// where that of the reset is.
/// </summary>
internal sealed class AuditSchedule
{
    private static readonly DatabaseAudits Databases = new(TimeProvider.System);

    // How often to look whether it is due: a lock and a clock that cost more than the rest of a return.
    private const long LookMilliseconds = 1000;

    private readonly AuditedDatabase _database;
    private readonly SessionContext _context;
    private readonly ILogger _log;
    private long _lookedAt = long.MinValue / 2;
    private long _knownAt = long.MinValue;
    private bool _isYoung;

    public AuditSchedule(SessionContext context, ILogger log)
    {
        _context = context;
        _log = log;
        _database = context.Time == TimeProvider.System
            ? Databases.Of(context.Transport.Host.ToString(), context.Settings.Database)
            : new AuditedDatabase(context.Time);
        context.RoutinesMayChange = Invalidate;
    }

    /// <summary>Whether a plain statement is known to leave nothing in a session.</summary>
    /// <param name="now">By <see cref="Environment.TickCount64"/>, in whose grain the answer's age is looked at; what it says is read each time.</param>
    public bool IsClean(long now)
    {
        if (!_database.WasClean)
            return false;
        if (Volatile.Read(ref _knownAt) != now)
        {
            Volatile.Write(ref _isYoung, _database.IsClean(_context.Time.GetTimestamp()));
            Volatile.Write(ref _knownAt, now);
        }
        return Volatile.Read(ref _isYoung);
    }

    /// <summary>Whether the caller is to ask, at <paramref name="now"/>; nobody else is then.</summary>
    public bool TryBegin(long now, out AuditedDatabase.Question question)
    {
        question = default;
        if (now - Volatile.Read(ref _lookedAt) < LookMilliseconds)
            return false;
        Volatile.Write(ref _lookedAt, now);
        return _database.TryBegin(out question);
    }

    /// <summary>Writes the question; the session must have been begun.</summary>
    public void Write(ServerSession session, AuditedDatabase.Question question) =>
        session.Defer(DatabaseAudit.Query, (row, error) => Answered(question, row, error));

    /// <summary>A statement may have changed what was found.</summary>
    public void Invalidate()
    {
        _database.Invalidate();
        Volatile.Write(ref _lookedAt, long.MinValue / 2);
        Volatile.Write(ref _knownAt, long.MinValue);
    }

    private void Answered(AuditedDatabase.Question question, string?[]? row, ServerErrorFields? error)
    {
        // Whoever cannot be asked is asked again later, and believed to hide something until then.
        if (error is not null)
        {
            PoolLog.AuditFailed(_log, _context.Settings.Database, error.MessageText ?? error.SqlState ?? "");
            return;
        }
        var verdict = row is [{ } name, { } reason] ? DatabaseAuditVerdict.Offending(name, reason) : DatabaseAuditVerdict.Clean;
        if (_database.End(question, verdict))
            PoolLog.AutoIsAlways(_log, _context.Settings.Database, verdict.Name!, verdict.Reason!);
        Volatile.Write(ref _knownAt, long.MinValue);
    }
}
