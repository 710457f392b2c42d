using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Pool.Hosts;

/// <summary>One search for a session: the candidates in their order, one deadline, and why hosts did not serve.</summary>
internal sealed class HostHunt(HostCandidate[] candidates, Deadline limit) : IAttempts<HostSession>
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

    public HostSession? Try(int index)
    {
        var candidate = candidates[index];
        var began = _began[index] = candidate.Host.State.Ask();
        HostSession? one = null;
        try
        {
            if (HasFailed(candidate))
                return null;
            one = candidate.Host.Rent(TimeLeft);
            for (var attempts = 1; MustAsk(candidate, began); attempts++)
            {
                try
                {
                    RoleQuestion.Ask(one, limit);
                    break;
                }
                catch (PgException e) when (e.Code == PgErrorCode.ConnectionClosed && attempts < OldSessions)
                {
                    one.Discard();
                    one = null;
                    one = candidate.Host.Rent(TimeLeft);
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
            one = await candidate.Host.RentAsync(TimeLeft, token).ConfigureAwait(false);
            for (var attempts = 1; MustAsk(candidate, began); attempts++)
            {
                try
                {
                    await RoleQuestion.AskAsync(one, limit, token).ConfigureAwait(false);
                    break;
                }
                catch (PgException e) when (e.Code == PgErrorCode.ConnectionClosed && attempts < OldSessions)
                {
                    one.Discard();
                    one = null;
                    one = await candidate.Host.RentAsync(TimeLeft, token).ConfigureAwait(false);
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

    private TimeSpan TimeLeft => limit.Left is var left && left == TimeSpan.Zero ? TimeSpan.FromMilliseconds(1) : left;

    private bool HasFailed(HostCandidate candidate)
    {
        lock (_lock)
            return _errors.ContainsKey(candidate.Host);
    }

    // A session that was opened for this has told already, from PostgreSQL 14 on. A session that was found dead speaks against what was
    // known before.
    private static bool MustAsk(HostCandidate candidate, HostQuestion began)
    {
        var news = candidate.Host.State.News;
        return candidate.Target == TargetSessionAttributes.Any
            ? news.IsDoubted || (candidate.MustAsk && news.Answered.Number <= began.Number)
            : news.IsRoleDoubted || (candidate.MustAsk && news.Learnt.Number <= began.Number);
    }

    private static HostSession? Judge(HostCandidate candidate, HostSession one)
    {
        if (candidate.Target.Fits(candidate.Host.State.News.Role))
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
