using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// When a server was asked. Questions of one server are numbered, so that their answers are ordered whenever they arrive.
/// </summary>
/// <param name="Number">Later questions have larger ones; 0 for none.</param>
/// <param name="Time">By the clock of the data source.</param>
internal readonly record struct HostQuestion(long Number, long Time);

/// <summary>
/// The role and health of one server as the latest news tells. An answer to an earlier question never replaces that to a later one. Reading
/// takes no lock.
/// </summary>
internal sealed class HostState(HostAddress address, TimeProvider time)
{
    private readonly Lock _lock = new();
    private volatile HostNews _news = HostNews.None;
    private volatile HostLog? _log;
    private long _asked;

    public HostAddress Address => address;

    public HostNews News => _news;

    /// <summary>How far its log had come when it was last asked; null if it was not.</summary>
    public HostLog? Log => _log;

    /// <summary>The server is about to be asked for something.</summary>
    public HostQuestion Ask() => new(Interlocked.Increment(ref _asked), time.GetTimestamp());

    /// <summary>The server has told its role.</summary>
    public void Learn(PgHostRole role, HostQuestion asked)
    {
        lock (_lock)
        {
            if (asked.Number > _news.Learnt.Number)
                _news = _news with { Role = role, Learnt = asked };
            Hear(asked);
        }
    }

    /// <summary>The server has told how far its log has come.</summary>
    public void LearnLog(PgLogSequenceNumber position, HostQuestion asked)
    {
        lock (_lock)
        {
            if (_log is null || asked.Number > _log.Asked.Number)
                _log = new HostLog(position, asked);
        }
    }

    /// <summary>A session was opened. Servers from PostgreSQL 14 on have told their role then.</summary>
    public void LoggedIn(ReportedParameters parameters, HostQuestion asked)
    {
        if (RoleOf(parameters) is not PgHostRole.Unknown and var role)
            Learn(role, asked);
        else
        {
            lock (_lock)
                Hear(asked);
        }
    }

    /// <summary>
    /// Something speaks against what is known, such as a lost session: the server is asked before it is believed again. Nothing else
    /// happens to its sessions.
    /// </summary>
    public void Doubt()
    {
        lock (_lock)
            _news = _news with { Doubted = Ask() };
    }

    /// <summary>No session could be opened.</summary>
    /// <param name="asked">When the attempt began.</param>
    /// <param name="error">Why.</param>
    public void Failed(HostQuestion asked, Exception error)
    {
        lock (_lock)
        {
            if (asked.Number > _news.Failed.Number && asked.Number > _news.Answered.Number)
                _news = _news with { Failed = asked with { Time = time.GetTimestamp() }, Failure = error };
        }
    }

    /// <summary>Whatever was known, and whatever was asked up to now, counts no longer.</summary>
    public void Forget()
    {
        lock (_lock)
        {
            var now = Ask();
            _news = HostNews.None with { Learnt = now, Answered = now };
            _log = null;
        }
    }

    /// <summary>A statement was refused. If the server takes no writes, it may be another one's turn to take them.</summary>
    public void Refused(string? sqlState)
    {
        if (sqlState == SqlStates.ReadOnlySqlTransaction)
            Doubt();
    }

    /// <summary>A server reports a parameter in the middle of a session, whose own statements may be the reason.</summary>
    public void Reported(string parameter)
    {
        if (parameter is "in_hot_standby" or "default_transaction_read_only")
            Doubt();
    }

    public TimeSpan Age(HostQuestion question) => time.GetElapsedTime(question.Time);

    private static PgHostRole RoleOf(ReportedParameters parameters) =>
        parameters.Values.TryGetValue("in_hot_standby", out var standby)
        && parameters.Values.TryGetValue("default_transaction_read_only", out var readOnly)
            ? RoleOf(standby == "on", readOnly == "on")
            : PgHostRole.Unknown;

    public static PgHostRole RoleOf(bool isInRecovery, bool isReadOnly) =>
        isInRecovery ? PgHostRole.Standby : isReadOnly ? PgHostRole.ReadOnlyPrimary : PgHostRole.ReadWritePrimary;

    private void Hear(HostQuestion asked)
    {
        if (asked.Number > _news.Answered.Number)
            _news = _news with { Answered = asked };
    }
}

/// <summary>How far the log of a server had come: what a standby had replayed, and a primary had written.</summary>
/// <param name="Position">The end of the last record.</param>
/// <param name="Asked">When that was.</param>
internal sealed record HostLog(PgLogSequenceNumber Position, HostQuestion Asked);

/// <summary>The latest news of one server.</summary>
/// <param name="Role">Its role, as it said when it was last asked.</param>
/// <param name="Learnt">When that was.</param>
/// <param name="Answered">The last question that it has answered.</param>
/// <param name="Doubted">When something last spoke against it.</param>
/// <param name="Failed">The last attempt to open a session that failed; its time is that of the failure.</param>
/// <param name="Failure">Why it failed.</param>
internal sealed record HostNews(
    PgHostRole Role, HostQuestion Learnt, HostQuestion Answered, HostQuestion Doubted, HostQuestion Failed, Exception? Failure)
{
    public static readonly HostNews None = new(PgHostRole.Unknown, default, default, default, default, null);

    /// <summary>Whether something has spoken against it since the last question that it has answered.</summary>
    public bool IsDoubted => Doubted.Number > Answered.Number;

    /// <summary>Whether something has spoken against it since it last told its role.</summary>
    public bool IsRoleDoubted => Doubted.Number > Learnt.Number;

    /// <summary>Whether no session could be opened since the last question that it has answered.</summary>
    public bool HasFailed => Failed.Number > Answered.Number;
}
