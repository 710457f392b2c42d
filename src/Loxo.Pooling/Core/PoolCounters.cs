namespace Loxo.Pooling.Core;

/// <summary>Counts events since the pool's creation. Used under the pool's lock, except for <see cref="CountTimeout"/>.</summary>
internal sealed class PoolCounters
{
    private const int MaximumFailures = 5;

    private readonly Queue<OpenFailure> _failures = [];
    private readonly long[] _closed = new long[Enum.GetValues<CloseReason>().Length];
    private long _timedOut;

    public long Opened { get; private set; }

    public long OpenFailed { get; private set; }

    public long TimedOut => Volatile.Read(ref _timedOut);

    public Dictionary<CloseReason, long> Closed =>
        Enum.GetValues<CloseReason>().ToDictionary(reason => reason, reason => _closed[(int)reason]);

    /// <summary>The last openings that failed, the newest first.</summary>
    public IReadOnlyList<OpenFailure> RecentFailures => [.. _failures.Reverse()];

    public void CountOpen() => Opened++;

    public void CountClose(CloseReason reason) => _closed[(int)reason]++;

    public void CountTimeout() => Interlocked.Increment(ref _timedOut);

    public void Add(OpenFailure failure)
    {
        OpenFailed++;
        if (_failures.Count == MaximumFailures)
            _failures.Dequeue();
        _failures.Enqueue(failure);
    }
}
