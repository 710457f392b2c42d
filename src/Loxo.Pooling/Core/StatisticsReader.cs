namespace Loxo.Pooling.Core;

/// <summary>Reads what a pool is doing, while it goes on.</summary>
internal static class StatisticsReader<T, TSteps>
    where T : class
    where TSteps : struct, ISteps
{
    private const int MaximumRents = 10;

    public static PoolStatistics Read(PoolContext<T> context, Dispatcher<T, TSteps> dispatcher)
    {
        var rents = OldestRents(context.Clock, dispatcher.Slots, out var idle, out var rented);
        using (dispatcher.Lock.Enter())
        {
            var (capacity, counters) = (dispatcher.Capacity, dispatcher.Counters);
            var existing = capacity.Total - capacity.Opening;
            return new PoolStatistics
            {
                Name = context.Options.Name,
                MaximumSize = capacity.Maximum,
                MinimumSize = capacity.Minimum,
                Total = capacity.Total,
                Idle = Math.Min(idle, existing),
                Busy = Math.Max(0, existing - idle),
                Opening = capacity.Opening,
                Waiting = dispatcher.Line.Count,
                Rented = rented,
                Opened = counters.Opened,
                OpenFailed = counters.OpenFailed,
                TimedOut = counters.TimedOut,
                Closed = counters.Closed,
                OldestRents = rents,
                RecentOpenFailures = counters.RecentFailures,
            };
        }
    }

    /// <summary>Describes the rent of the slot's word; null if it has ended since, so that the slot may have another renter.</summary>
    public static RentalInfo? Describe(Slot<T> slot, long word, Clock clock)
    {
        var info = new RentalInfo(TimeSpan.FromMilliseconds(Math.Max(0, clock.Now - slot.RentedAt)), slot.Stack?.ToString(), slot.Tag);
        Interlocked.MemoryBarrier();
        return slot.Word == word ? info : null;
    }

    private static List<RentalInfo> OldestRents(Clock clock, SlotTable<T> slots, out int idle, out long rented)
    {
        var found = new List<(long Since, Slot<T> Slot, long Word)>();
        (idle, rented) = (0, 0);
        foreach (var slot in slots.All)
        {
            rented += Volatile.Read(ref slot.Rents);
            var word = slot.Word;
            if (Slot<T>.StateOf(word) == SlotState.Idle)
                idle++;
            else if (Slot<T>.StateOf(word) == SlotState.Rented)
                found.Add((Volatile.Read(ref slot.RentedAt), slot, word));
        }
        found.Sort(static (one, other) => one.Since.CompareTo(other.Since));
        return [.. found.Take(MaximumRents).Select(rent => Describe(rent.Slot, rent.Word, clock)).OfType<RentalInfo>()];
    }
}
