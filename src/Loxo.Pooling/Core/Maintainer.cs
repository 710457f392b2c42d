namespace Loxo.Pooling.Core;

/// <summary>
/// Does what is due by time: closes resources that were idle or existed for too long, checks idle ones, takes abandoned and broken
/// ones back, opens missing ones. It touches no other rented resource, and it alone holds the resources that it takes out of the store.
/// </summary>
internal sealed class Maintainer<T, TSteps>(
    PoolContext<T> context, Dispatcher<T, TSteps> dispatcher,
    Checker<T, TSteps> checker, Prefiller<T, TSteps> prefiller, Closer<T, TSteps> closer)
    where T : class
    where TSteps : struct, ISteps
{
    private readonly Clock _clock = context.Clock;
    private readonly MaintenanceSchedule _schedule = dispatcher.Schedule;
    private readonly Capacity _capacity = dispatcher.Capacity;

    /// <summary>Does what is due, and sets the timer for the next time.</summary>
    public void Maintain()
    {
        var now = _clock.Now;
        List<Slot<T>>? toCheck = null;
        Slot<T>? toClose;
        bool isFull, isSearchDue;
        using (dispatcher.Lock.Enter())
        {
            if (dispatcher.IsClosed)
                return;
            (isFull, isSearchDue) = (_schedule.IsFullDue(now), _schedule.IsSearchDue(now));
            if (_schedule.IsAttentionDue(now) || (isFull && context.WatchesIdle))
                toCheck = [];
            if (isFull || toCheck is not null)
                Sweep(now, isFull, toCheck);
            var isEmpty = _capacity is { Total: 0, Minimum: 0 };
            dispatcher.Lock.SetMaintenance(_schedule.Advance(now, isEmpty, dispatcher.Line.Count > 0, dispatcher.RefillDue));
            toClose = dispatcher.Lock.TakeToClose();
        }
        closer.CloseInBackground(toClose);
        toCheck?.ForEach(checker.CheckInBackground);
        if (isSearchDue)
            closer.CloseInBackground(TakeLost());
        if (isFull && context.Options.LeakThreshold > TimeSpan.Zero)
            ReportOverdue();
        prefiller.Refill();
    }

    // Under the lock.
    private void Sweep(long now, bool isFull, List<Slot<T>>? toCheck)
    {
        var kept = 0;
        var sawReturns = false;
        var idle = dispatcher.Idle.Detach();
        var spare = _capacity.Spare;
        foreach (var slot in idle)
        {
            sawReturns |= slot.IdleSince >= _schedule.LastAttention;
            if (dispatcher.ReasonToClose(slot, now) is { } reason)
            {
                dispatcher.Lock.AddToClose(slot.Hold(), reason);
                spare--;
            }
            else
                idle[kept++] = slot;
        }
        if (isFull)
            kept = TakeOutUnused(idle[..kept], now, spare);
        if (toCheck is not null)
            kept = TakeOutToCheck(idle[..kept], toCheck);
        dispatcher.Idle.Reattach(kept);
        if (toCheck is not null)
            _schedule.NoteAttention(now, sawReturns);
        dispatcher.Serve();
        // A returner that came while the store was detached may not have seen that its return should be noted.
        if (_schedule.AwaitsReturn && dispatcher.Slots.All.Any(slot => slot.State == SlotState.Idle && slot.IdleSince >= now))
            _schedule.AwaitsReturn = false;
        dispatcher.PublishPressure();
    }

    // Takes out the longest unused resources, at most as many as can be spared, and returns how many others there are.
    private int TakeOutUnused(Span<Slot<T>> idle, long now, int spare)
    {
        if (context.Options.IdleLifetime <= TimeSpan.Zero)
            return idle.Length;
        var limit = now - (long)context.Options.IdleLifetime.TotalMilliseconds;
        var unused = new List<long>();
        foreach (var slot in idle)
        {
            if (slot.IdleSince <= limit)
                unused.Add(slot.IdleSince);
        }
        unused.Sort();
        if (Math.Min(spare, unused.Count) is var count && count <= 0)
            return idle.Length;
        var newest = unused[count - 1];
        var kept = 0;
        foreach (var slot in idle)
        {
            if (slot.IdleSince <= newest && count-- > 0)
                dispatcher.Lock.AddToClose(slot.Hold(), CloseReason.Idle);
            else
                idle[kept++] = slot;
        }
        return kept;
    }

    // Returns how many others there are.
    private int TakeOutToCheck(Span<Slot<T>> idle, List<Slot<T>> toCheck)
    {
        var kept = 0;
        foreach (var slot in idle)
        {
            if (context.Notices.NeedsAttention(slot.Resource!))
                toCheck.Add(slot.Hold());
            else
                idle[kept++] = slot;
        }
        return kept;
    }

    // Each rent once.
    private void ReportOverdue()
    {
        var limit = _clock.Now - (long)context.Options.LeakThreshold.TotalMilliseconds;
        foreach (var slot in dispatcher.Slots.All)
        {
            var word = slot.Word;
            var version = Slot<T>.VersionOf(word);
            if (Slot<T>.StateOf(word) != SlotState.Rented || Volatile.Read(ref slot.RentedAt) > limit || slot.OverdueVersion == version
                || slot.Resource is not { } resource || StatisticsReader<T, TSteps>.Describe(context, slot, word) is not { } info)
                continue;
            slot.OverdueVersion = version;
            context.Notices.Overdue(resource, info);
        }
    }

    // Returns the slots to close.
    private Slot<T>? TakeLost()
    {
        Slot<T>? lost = null;
        foreach (var slot in dispatcher.Slots.All)
        {
            var word = slot.Word;
            var resource = slot.Resource;
            // The word is read twice, so that the resource belongs to the rent.
            if (Slot<T>.StateOf(word) != SlotState.Rented || resource is null || slot.Word != word)
                continue;
            var isAbandoned = context.Notices.IsAbandoned(resource);
            if (!isAbandoned && !context.Notices.IsBroken(resource))
                continue;
            var info = StatisticsReader<T, TSteps>.Describe(context, slot, word);
            TSteps.Step(Point.ClaimRental);
            if (info is null || !slot.TryClaim(Slot<T>.VersionOf(word)))
                continue;
            slot.ForgetRent();
            if (isAbandoned)
                context.Notices.Abandoned(resource, info);
            lost = slot.ToClose(isAbandoned ? CloseReason.Abandoned : CloseReason.Broken, lost);
        }
        return lost;
    }
}
