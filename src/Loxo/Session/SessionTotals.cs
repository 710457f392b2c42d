using Loxo.Transport;

namespace Loxo.Session;

/// <summary>What the sessions of a data source have done, those that have ended included.</summary>
internal sealed class SessionTotals
{
    private readonly Lock _lock = new();
    // Not the sessions: one that was forgotten is to be collected.
    private readonly HashSet<SessionCounters> _open = [];
    private readonly SessionCounters _ended = new(new Traffic());
    private long _opened;

    /// <summary>A session begins, before it is logged in.</summary>
    public void Add(SessionCounters counters)
    {
        lock (_lock)
        {
            _open.Add(counters);
            _opened++;
        }
    }

    /// <summary>A session has ended. Later calls do nothing.</summary>
    public void Remove(SessionCounters counters)
    {
        lock (_lock)
        {
            if (_open.Remove(counters))
                _ended.Add(counters);
        }
    }

    /// <summary>Adds up what the sessions of one data source have done, or of those of several hosts.</summary>
    public static PgSessionStatistics Read(IEnumerable<SessionTotals> sources)
    {
        var (sum, opened) = (new SessionCounters(new Traffic()), 0L);
        foreach (var source in sources)
            source.AddTo(sum, ref opened);
        return PgSessionStatistics.Of(sum, opened);
    }

    private void AddTo(SessionCounters sum, ref long opened)
    {
        lock (_lock)
        {
            sum.Add(_ended);
            foreach (var counters in _open)
                sum.Add(counters);
            opened += _opened;
        }
    }
}
