using System.Collections.Concurrent;
using Loxo.Session;

namespace Loxo.Pool;

/// <summary>The knowledge about one database. Who is told to ask does so on a session of its own. Reading takes no lock.</summary>
/// <param name="time">The clock.</param>
/// <param name="changing">How many transactions are changing it, or one of that name; null if no other object is told of them.</param>
internal sealed class AuditedDatabase(TimeProvider time, StrongBox<int>? changing = null)
{
    public static readonly TimeSpan Validity = TimeSpan.FromMinutes(10);

    public static readonly TimeSpan RenewAfter = TimeSpan.FromMinutes(9);

    /// <summary>The time after which a question that has failed is asked again.</summary>
    public static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The time after which another session asks if there is no answer. The question goes with the next command of a session, and whoever
    /// has rented that session may run none. Each further question without an answer doubles it, up to <see cref="MostDoublings"/> times:
    /// the commands behind an audit that takes too long time out, and their sessions are closed with it.
    /// </summary>
    public static readonly TimeSpan AnswerWithin = TimeSpan.FromSeconds(3);

    public const int MostDoublings = 7;

    /// <summary>The time after which a process of that id is another one.</summary>
    public static readonly TimeSpan LostFor = TimeSpan.FromHours(1);

    private static readonly ConcurrentDictionary<string, Namesakes> Shared = new();

    private readonly Lock _lock = new();
    private readonly List<LostProcess> _lost = [];
    private volatile Answer _answer = new(DatabaseAuditVerdict.Unknown, ValidUntil: 0, Version: 0);
    private DatabaseAuditVerdict? _reported;
    private long _dueAt = time.GetTimestamp();
    private int _generation;
    private int _unanswered;
    private readonly StrongBox<int> _changing = changing ?? new();

    /// <summary>The one object for a database in use. A server of two names is asked twice.</summary>
    public static AuditedDatabase Of(string server, string database) => Shared.GetOrAdd(database, static _ => new()).On(server);

    /// <summary>
    /// Those of that name on all servers, as which one server may be known by several names; all in use if the name is null.
    /// </summary>
    public static IEnumerable<AuditedDatabase> Named(string? database) =>
        database is null ? Shared.Values.SelectMany(static namesakes => namesakes.OnAllServers)
        : Shared.TryGetValue(database, out var known) ? known.OnAllServers
        : [];

    /// <summary>The functions by which statements may change the session or the meaning of names, and the version of the verdict.</summary>
    public ReachableFunctions Reachable => _answer is var answer
        ? new(answer.Verdict.Functions, answer.Verdict.NameChangers, answer.Verdict.UnseenNameChanges, answer.Verdict.HidesChanges,
            answer.Verdict.ActsOutside, answer.Verdict.EscapesReadOnly, answer.Verdict.State == DatabaseAuditState.Unknown, answer.Version)
        : default;

    /// <summary>Whether what is known counts at that moment of the <see cref="TimeProvider"/>'s clock.</summary>
    public bool IsValid(long timestamp) => timestamp < _answer.ValidUntil;

    /// <summary>Whether the database hid nothing in that version, still the last one, however old it is.</summary>
    public bool IsCleanSince(int version) => _answer is { Verdict.IsClean: true } answer && answer.Version == version;

    public bool KeepsStatementsSince(int version) => _answer is { Verdict.KeepsStatements: true } answer && answer.Version == version;

    /// <summary>Whether the caller is to run the audit now. If so, no other caller is for a while.</summary>
    public bool TryBegin(out Question question)
    {
        lock (_lock)
        {
            var now = time.GetTimestamp();
            question = default;
            if (now < _dueAt || Volatile.Read(ref _changing.Value) > 0)
                return false;
            _dueAt = now + (Ticks(AnswerWithin) << _unanswered);
            _unanswered = Math.Min(_unanswered + 1, MostDoublings);
            _lost.RemoveAll(process => now - process.LostAt > Ticks(LostFor));
            question = new Question(_generation, now, [.. _lost.Select(process => process.Id)]);
            return true;
        }
    }

    /// <summary>Takes the answer, unless the database was changed after the question, from whose moment on it counts.</summary>
    /// <returns>Whether it is an offence that was not found the last time: once to be logged.</returns>
    public bool End(Question question, DatabaseAuditVerdict verdict)
    {
        lock (_lock)
        {
            _unanswered = 0;
            if (question.Generation != _generation || Volatile.Read(ref _changing.Value) > 0)
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

    /// <summary>The question has failed, and is asked again later.</summary>
    public void Fail(Question question)
    {
        lock (_lock)
        {
            _unanswered = 0;
            if (question.Generation == _generation)
                _dueAt = time.GetTimestamp() + Ticks(RetryAfter);
        }
    }

    /// <summary>Whoever began to ask has closed its session before the answer came: somebody else may ask at once.</summary>
    public void Abandon()
    {
        lock (_lock)
        {
            _unanswered = Math.Max(0, _unanswered - 1);
            _dueAt = time.GetTimestamp();
        }
    }

    /// <summary>
    /// Transactions have begun to change it, or have ended. The audit does not see a change before the commit, of which this program hears
    /// later than the server's other sessions: until then no answer counts, whatever the name of the server.
    /// </summary>
    public void Change(int transactions) => Interlocked.Add(ref _changing.Value, transactions);

    /// <summary>Told when a change is sent and when its transaction ends.</summary>
    public void Invalidate()
    {
        lock (_lock)
        {
            _generation++;
            // Were it taken for the worst until the next answer, which comes with the next return to a pool, every statement of a session
            // that is kept would be parsed at each use.
            var former = _answer.Verdict;
            var verdict = DatabaseAuditVerdict.Unknown with
            {
                UnseenNameChanges = former.UnseenNameChanges, ActsOutside = former.ActsOutside, EscapesReadOnly = former.EscapesReadOnly,
            };
            _answer = new Answer(verdict, ValidUntil: 0, _answer.Version + 1);
            _dueAt = time.GetTimestamp();
        }
    }

    /// <summary>A process may yet commit the change in whose middle its connection was lost: no answer counts until it is gone.</summary>
    public void Lose(int process)
    {
        lock (_lock)
            _lost.Add(new LostProcess(process, time.GetTimestamp()));
    }

    private long Ticks(TimeSpan span) => (long)(span.TotalSeconds * time.TimestampFrequency);

    /// <summary>A question on its way, with the processes that must have ended before its answer may be used.</summary>
    internal readonly record struct Question(int Generation, long AskedAt, int[] Lost);

    /// <summary>The databases of one name.</summary>
    private sealed class Namesakes
    {
        private readonly ConcurrentDictionary<string, AuditedDatabase> _onServers = new();
        private readonly StrongBox<int> _changing = new();

        // Not Values, which would lock.
        public IEnumerable<AuditedDatabase> OnAllServers => _onServers.Select(static one => one.Value);

        public AuditedDatabase On(string server) =>
            _onServers.GetOrAdd(server, static (_, changing) => new AuditedDatabase(TimeProvider.System, changing), _changing);
    }

    private sealed record Answer(DatabaseAuditVerdict Verdict, long ValidUntil, int Version);

    private readonly record struct LostProcess(int Id, long LostAt);
}
