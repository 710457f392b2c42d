namespace Loxo.Pooling.Core;

// What can be told about a pool from outside.
internal sealed partial class PoolCore<T, TSteps>
{
    private const int MostFailures = 5;
    private const int MostRents = 10;

    private readonly Queue<OpenFailure> _failures = [];
    private readonly long[] _closedFor = new long[Enum.GetValues<CloseReason>().Length];
    private long _opened;
    private long _openFailed;
    private long _timedOut;

    public PoolStatistics GetStatistics()
    {
        var rents = OldestRents(out var idle, out var rented);
        Enter();
        try
        {
            return new PoolStatistics
            {
                Name = _options.Name,
                MaximumSize = _maximum,
                MinimumSize = _minimum,
                Total = _total,
                Idle = Math.Min(idle, _total - _opening),
                Busy = Math.Max(0, _total - _opening - idle),
                Opening = _opening,
                Waiting = _line.Count,
                Rented = rented,
                Opened = _opened,
                OpenFailed = _openFailed,
                TimedOut = _timedOut,
                Closed = Enum.GetValues<CloseReason>().ToDictionary(reason => reason, reason => _closedFor[(int)reason]),
                OldestRents = rents,
                RecentOpenFailures = [.. _failures.Reverse()],
            };
        }
        finally
        {
            TSteps.Exit(_gate);
        }
    }

    private List<RentalInfo> OldestRents(out int idle, out long rented)
    {
        var found = new List<(long Since, Slot<T> Slot, long Word)>();
        (idle, rented) = (0, 0);
        foreach (var slot in _slots.All)
        {
            rented += Volatile.Read(ref slot.Rents);
            var word = slot.Word;
            if (Slot<T>.StateOf(word) == SlotState.Idle)
                idle++;
            else if (Slot<T>.StateOf(word) == SlotState.Rented)
                found.Add((Volatile.Read(ref slot.RentedAt), slot, word));
        }
        found.Sort(static (one, other) => one.Since.CompareTo(other.Since));
        return [.. found.Take(MostRents).Select(rent => Describe(rent.Slot, rent.Word)).OfType<RentalInfo>()];
    }

    // Null if the rent ended meanwhile, so that what was read may belong to another one.
    private RentalInfo? Describe(Slot<T> slot, long word)
    {
        var info = new RentalInfo(TimeSpan.FromMilliseconds(Math.Max(0, _clock.Now - slot.RentedAt)), slot.Stack?.ToString(), slot.Tag);
        Interlocked.MemoryBarrier();
        return slot.Word == word ? info : null;
    }

    private PoolExhaustedException TimedOut(TimeSpan timeout)
    {
        Interlocked.Increment(ref _timedOut);
        return new PoolExhaustedException(timeout, GetStatistics());
    }

    private Exception NotServed(WaiterState state, TimeSpan timeout) => state == WaiterState.TimedOut ? TimedOut(timeout) : Disposed();

    // The permit goes to the next who waits; the error stays with the one whose opening failed.
    private void FailOpen(Exception error, bool cancelled)
    {
        ReleasePermit(cancelled ? null : new OpenFailure(_options.Time.GetUtcNow(), error));
        if (!cancelled)
            TellOpenFailed(error);
    }

    // Under the lock.
    private void Remember(OpenFailure failure)
    {
        _openFailed++;
        if (_failures.Count == MostFailures)
            _failures.Dequeue();
        _failures.Enqueue(failure);
        PutOffRefill();
    }

    private static ObjectDisposedException Disposed() => new(typeof(ResourcePool<T>).FullName, "The pool was disposed.");

    private static InvalidOperationException OpenedNothing() => new("The policy opened nothing: Open and OpenAsync must not return null.");
}
