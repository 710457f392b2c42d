using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Pool.Hosts;

/// <summary>One search for a session: the candidates in their order, one deadline, and why hosts did not serve.</summary>
/// <param name="candidates">The hosts.</param>
/// <param name="limit">The deadline.</param>
/// <param name="need">What a host must have replayed; null if that does not matter.</param>
internal sealed class HostHunt(HostCandidate[] candidates, Deadline limit, LogNeed? need = null) : IAttempts<HostSession>
{
    // Sessions of a server that was restarted, before a new one is opened.
    private const int OldSessions = 3;

    private readonly Lock _lock = new();
    private readonly Dictionary<HostEndpoint, Exception> _errors = [];
    private readonly HostQuestion[] _began = new HostQuestion[candidates.Length];

    public int Count => candidates.Length;

    /// <summary>The last error of each host that was tried in vain.</summary>
    public IReadOnlyDictionary<HostEndpoint, Exception> Errors
    {
        get
        {
            lock (_lock)
                return new Dictionary<HostEndpoint, Exception>(_errors);
        }
    }

    /// <summary>Whether a server had no place left: a session of it may end at any time.</summary>
    public bool FoundNoPlace => Errors.Values.Any(static error => error is PostgresException { SqlState: SqlStates.TooManyConnections });

    public HostSession? Try(int index)
    {
        var candidate = candidates[index];
        var began = _began[index] = candidate.Host.State.Ask();
        HostSession? one = null;
        try
        {
            if (HasFailed(candidate))
                return null;
            one = candidate.Host.Rent(limit);
            for (var attempts = 1; MustAsk(candidate, began, one); attempts++)
            {
                try
                {
                    RoleQuestion.Ask(one, limit, withLog: need is not null);
                    break;
                }
                catch (PgException e) when (e.Code == PgErrorCode.ConnectionClosed && attempts < OldSessions)
                {
                    one.Discard();
                    one = null;
                    one = candidate.Host.Rent(limit);
                }
            }
            return Judge(candidate, one);
        }
        catch (Exception e) when (e is not ObjectDisposedException)
        {
            return Failed(candidate, one, began, e);
        }
    }

    public async ValueTask<HostSession?> TryAsync(int index, CancellationToken token)
    {
        var candidate = candidates[index];
        var began = _began[index] = candidate.Host.State.Ask();
        HostSession? one = null;
        try
        {
            if (HasFailed(candidate))
                return null;
            one = await candidate.Host.RentAsync(limit, token).ConfigureAwait(false);
            for (var attempts = 1; MustAsk(candidate, began, one); attempts++)
            {
                try
                {
                    await RoleQuestion.AskAsync(one, limit, withLog: need is not null, token).ConfigureAwait(false);
                    break;
                }
                catch (PgException e) when (e.Code == PgErrorCode.ConnectionClosed && attempts < OldSessions)
                {
                    one.Discard();
                    one = null;
                    one = await candidate.Host.RentAsync(limit, token).ConfigureAwait(false);
                }
            }
            return Judge(candidate, one);
        }
        catch (Exception e) when (e is not ObjectDisposedException)
        {
            if (token.IsCancellationRequested)
                one?.Discard();
            token.ThrowIfCancellationRequested();
            return Failed(candidate, one, began, e);
        }
    }

    // Later searches start with another host until this one answers. A caller that waits for a full pool says nothing against its host.
    public void IsSlow(int index)
    {
        var (host, address) = (candidates[index].Host, candidates[index].Host.State.Address);
        if (host.HasRoom)
            host.State.Failed(_began[index], HostErrors.Slow(address));
    }

    public void Lose(HostSession late) => late.GiveBack();

    // Or has said since the search began that it does not serve.
    private bool HasFailed(HostCandidate candidate)
    {
        if (need?.IsKnownUnmet(candidate.Host.State) == true)
            return true;
        lock (_lock)
            return _errors.ContainsKey(candidate.Host);
    }

    // A session that was opened for this has told already, from PostgreSQL 14 on. A session that was found dead speaks against what was
    // known before.
    private bool MustAsk(HostCandidate candidate, HostQuestion began, HostSession one)
    {
        var news = candidate.Host.State.News;
        if (need is not null && (news.IsRoleDoubted || news.Role == PgHostRole.Unknown || !need.IsMet(one)))
            return true;
        return candidate.Target == TargetSessionAttributes.Any
            ? news.IsDoubted || (candidate.MustAsk && news.Answered.Number <= began.Number)
            : news.IsRoleDoubted || (candidate.MustAsk && news.Learnt.Number <= began.Number);
    }

    private HostSession? Judge(HostCandidate candidate, HostSession one)
    {
        if (candidate.Target.Fits(candidate.Host.State.News.Role) && need?.IsMet(one) != false)
            return one;
        one.GiveBack();
        return null;
    }

    private HostSession? Failed(HostCandidate candidate, HostSession? one, HostQuestion began, Exception error)
    {
        one?.Discard();
        if (one is not null && error is PgException { Code: PgErrorCode.Timeout })
            candidate.Host.State.Failed(began, error);
        lock (_lock)
            _errors[candidate.Host] = error;
        return null;
    }
}
