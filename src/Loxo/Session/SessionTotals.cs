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

    public PgSessionStatistics Read()
    {
        var sum = new SessionCounters(new Traffic());
        lock (_lock)
        {
            sum.Add(_ended);
            foreach (var counters in _open)
                sum.Add(counters);
            return PgSessionStatistics.Of(sum, _opened);
        }
    }
}
