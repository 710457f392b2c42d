namespace Loxo.Pooling.Core;

/// <summary>Reads what a pool is doing, while it goes on.</summary>
internal static class StatisticsReader<T, TSteps>
    where T : class
    where TSteps : struct, ISteps
{
    private const int MaximumRents = 10;

    public static PoolStatistics Read(PoolContext<T> context, Dispatcher<T, TSteps> dispatcher)
    {
        var rents = OldestRents(context, dispatcher.Slots, out var idle, out var rented);
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

    /// <summary>The resources of a pool.</summary>
    public static List<PooledResource<T>> ReadResources(PoolContext<T> context, SlotTable<T> slots)
    {
        var found = new List<PooledResource<T>>();
        foreach (var slot in slots.All)
        {
            var word = slot.Word;
            // The word is read twice, so that the resource belongs to the rent.
            if (Slot<T>.StateOf(word) is not SlotState.Free and var state && Read(context, slot, word, state) is { } one)
                found.Add(one);
        }
        return found;
    }

    private static PooledResource<T>? Read(PoolContext<T> context, Slot<T> slot, long word, SlotState state)
    {
        if (slot.Resource is not { } resource)
            return null;
        var (now, rental) = (context.Clock.Now, (RentalInfo?)null);
        if (state == SlotState.Rented && (rental = Describe(context, slot, word, now)) is null)
            state = SlotState.Held; // it has just been returned
        return new PooledResource<T>
        {
            Resource = resource,
            State = state switch
            {
                SlotState.Idle => PooledResourceState.Idle,
                SlotState.Rented => PooledResourceState.Rented,
                _ => PooledResourceState.Held,
            },
            Age = Since(now, slot.OpenedAt),
            IdleFor = state == SlotState.Idle ? Since(now, slot.IdleSince) : TimeSpan.Zero,
            Rental = rental,
        };
    }

    private static TimeSpan Since(long now, long then) => TimeSpan.FromMilliseconds(Math.Max(0, now - then));

    /// <summary>Describes the rent of the slot's word; null if it has ended since, so that the slot may have another renter.</summary>
    public static RentalInfo? Describe(PoolContext<T> context, Slot<T> slot, long word) => Describe(context, slot, word, context.Clock.Now);

    private static RentalInfo? Describe(PoolContext<T> context, Slot<T> slot, long word, long now)
    {
        var use = slot.Resource is { } resource ? context.Notices.Describe(resource) : null;
        var info = new RentalInfo(Since(now, slot.RentedAt), slot.Stack?.ToString(), slot.Tag) { Use = use };
        Interlocked.MemoryBarrier();
        return slot.Word == word ? info : null;
    }

    private static List<RentalInfo> OldestRents(PoolContext<T> context, SlotTable<T> slots, out int idle, out long rented)
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
        return [.. found.Take(MaximumRents).Select(rent => Describe(context, rent.Slot, rent.Word)).OfType<RentalInfo>()];
    }
}
