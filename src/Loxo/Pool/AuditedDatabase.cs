using Loxo.Session;

namespace Loxo.Pool;

/// <summary>
/// What is known about one database, and when it has to be asked again. Reading takes no lock. Whoever <see cref="TryBegin"/> tells to ask
/// does so on a session of its own and brings the answer to <see cref="End"/>.
/// </summary>
internal sealed class AuditedDatabase(TimeProvider time)
{
    /// <summary>So old an answer does not count any more.</summary>
    public static readonly TimeSpan Validity = TimeSpan.FromMinutes(10);

    /// <summary>So old an answer is renewed, in time before it ceases to count.</summary>
    public static readonly TimeSpan RenewAfter = TimeSpan.FromMinutes(9);

    /// <summary>The wait before the next attempt after an audit failed or was lost.</summary>
    public static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(30);

    /// <summary>The time after which a process of that id is another one.</summary>
    public static readonly TimeSpan LostFor = TimeSpan.FromHours(1);

    private readonly Lock _lock = new();
    private readonly List<LostProcess> _lost = [];
    private volatile Answer _answer = new(DatabaseAuditVerdict.Unknown, ValidUntil: 0, Version: 0);
    private DatabaseAuditVerdict? _reported;
    private long _dueAt = time.GetTimestamp();
    private int _generation;

    public DatabaseAuditVerdict Verdict =>
        _answer is var answer && time.GetTimestamp() < answer.ValidUntil ? answer.Verdict : DatabaseAuditVerdict.Unknown;

    /// <summary>The functions by which statements may change the session or the meaning of names, and the version of the verdict.</summary>
    public ReachableFunctions Reachable => _answer is var answer
        ? new(answer.Verdict.Functions, answer.Verdict.NameChangers, answer.Verdict.State == DatabaseAuditState.Unknown, answer.Version)
        : default;

    /// <summary>Whether what is known counts at that moment of the <see cref="TimeProvider"/>'s clock.</summary>
    public bool IsValid(long timestamp) => timestamp < _answer.ValidUntil;

    /// <summary>
    /// Whether the database hid nothing in that version and nothing else has become known since, however long ago that was.
    /// </summary>
    public bool IsCleanSince(int version) => _answer is { Verdict.IsClean: true } answer && answer.Version == version;

    /// <summary>The same about functions that can make or forget prepared statements.</summary>
    public bool KeepsStatementsSince(int version) => _answer is { Verdict.KeepsStatements: true } answer && answer.Version == version;

    /// <summary>Whether the database is known to hide nothing at that moment of the <see cref="TimeProvider"/>'s clock.</summary>
    /// <param name="timestamp">The result of <see cref="TimeProvider.GetTimestamp"/>; reading the clock costs more than all of
    /// this.</param>
    public bool IsClean(long timestamp) => _answer is { Verdict.IsClean: true } answer && timestamp < answer.ValidUntil;

    /// <summary>Whether the caller is to run the audit now. If so, no other caller is for a while.</summary>
    public bool TryBegin(out Question question)
    {
        lock (_lock)
        {
            var now = time.GetTimestamp();
            question = default;
            if (now < _dueAt)
                return false;
            _dueAt = now + Ticks(RetryAfter);
            _lost.RemoveAll(process => now - process.LostAt > Ticks(LostFor));
            question = new Question(_generation, now, [.. _lost.Select(process => process.Id)]);
            return true;
        }
    }

    /// <summary>
    /// Takes the answer, unless the database was changed after the question. It counts from the moment of the question on.
    /// </summary>
    /// <returns>Whether the database was found to offend, by something that was not found the last time: once to be logged.</returns>
    public bool End(Question question, DatabaseAuditVerdict verdict)
    {
        lock (_lock)
        {
            if (question.Generation != _generation)
                return false;
            var former = _answer;
            // The same names again are the same object, so that statements need not be compared with them anew.
            _answer = verdict.MeansTheSameAs(former.Verdict)
                ? former with { Verdict = verdict.WithSetsOf(former.Verdict), ValidUntil = question.AskedAt + Ticks(Validity) }
                : new Answer(verdict, question.AskedAt + Ticks(Validity), former.Version + 1);
            _dueAt = question.AskedAt + Ticks(RenewAfter);
            _lost.RemoveAll(process => question.Lost.Contains(process.Id));
            var isNews = verdict.State == DatabaseAuditState.Offending
                && (verdict.Name, verdict.Reason) != (_reported?.Name, _reported?.Reason);
            _reported = verdict;
            return isNews;
        }
    }

    /// <summary>Whoever began to ask has closed its session before the answer came: somebody else may ask at once.</summary>
    public void Abandon()
    {
        lock (_lock)
            _dueAt = time.GetTimestamp();
    }

    /// <summary>
    /// Forgets what is known: a statement that may change the answer is being sent, or its transaction has ended. Both have to be told:
    /// until the end, the one who asks does not see what the statement did.
    /// </summary>
    public void Invalidate()
    {
        lock (_lock)
        {
            _generation++;
            _answer = new Answer(DatabaseAuditVerdict.Unknown, ValidUntil: 0, _answer.Version + 1);
            _dueAt = time.GetTimestamp();
        }
    }

    /// <summary>
    /// The connection to a server process has ended in the middle of a change, which that process may yet commit: no answer counts until it
    /// is gone.
    /// </summary>
    public void Lose(int process)
    {
        lock (_lock)
            _lost.Add(new LostProcess(process, time.GetTimestamp()));
    }

    private long Ticks(TimeSpan span) => (long)(span.TotalSeconds * time.TimestampFrequency);

    /// <summary>A question that is on its way.</summary>
    /// <param name="Generation">How often the database had been changed.</param>
    /// <param name="AskedAt">When it was asked, by the <see cref="TimeProvider"/>'s clock.</param>
    /// <param name="Lost">Server processes that must have ended before the question is put; while one is alive the answer is not to be
    /// used.</param>
    internal readonly record struct Question(int Generation, long AskedAt, int[] Lost);

    private sealed record Answer(DatabaseAuditVerdict Verdict, long ValidUntil, int Version);

    private readonly record struct LostProcess(int Id, long LostAt);
}
