namespace Loxo.Pooling.Core;

// What happens by itself, when a timer says so: idle times, lifetimes, checks of idle resources, renters who disappeared. What is rented is
// never touched, and what is taken out of the store to be closed or checked is held by the maintainer alone.
internal sealed partial class PoolCore<T, TSteps>
{
    private readonly Alarm _maintenance;
    private long _nextMaintenance = long.MaxValue;

    // Whether nothing was returned since idle resources were last asked whether they need a check. The next returner sets the timer again.
    private bool _quiet;
    private long _nextAttention;
    private long _lastAttention;

    private bool CaresForIdle => _forms.NeedsAttention && (_forms.Checks || _forms.ChecksAsync);

    void IAlarmed.OnAlarm(Alarm alarm)
    {
        if (alarm == _timeouts)
            ExpireWaiters(_clock.Now);
        else
            Maintain();
    }

    /// <summary>Does what is due, and sets the timer for what will be.</summary>
    public void Maintain()
    {
        var now = _clock.Now;
        List<Slot<T>>? toCheck = null;
        var after = default(After);
        Enter();
        bool isFull;
        try
        {
            if (_closed)
                return;
            isFull = now >= _nextMaintenance;
            var asks = CaresForIdle && !_quiet && now >= _nextAttention;
            if (isFull || asks)
                Sweep(now, isFull, asks ? toCheck = [] : null, ref after);
            after.Due = NextDue(now);
        }
        finally
        {
            TSteps.Exit(_gate);
        }
        Finish(after);
        CloseInBackground(after.ToClose);
        toCheck?.ForEach(CheckInBackground);
        if (isFull && _forms.FindsAbandoned)
            CloseInBackground(TakeBackLost());
        Refill();
    }

    // Under the lock.
    private void Sweep(long now, bool isFull, List<Slot<T>>? toCheck, ref After after)
    {
        var kept = 0;
        var returned = false;
        var idle = DetachIdle();
        var spare = _total - _retiring - _minimum;
        foreach (var slot in idle)
        {
            returned |= slot.IdleSince >= _lastAttention;
            if (slot.Generation != _generation || now >= slot.ExpiresAt)
            {
                after.ToClose = Chain(Held(slot), slot.Generation != _generation ? CloseReason.Cleared : CloseReason.Lifetime, after.ToClose);
                spare--;
            }
            else if (toCheck is not null && Asks(slot))
                toCheck.Add(Held(slot));
            else
                idle[kept++] = slot;
        }
        if (isFull)
            kept = TakeOutUnused(idle[..kept], now, spare, ref after);
        ReattachIdle(kept);
        if (toCheck is not null)
            (_lastAttention, _nextAttention, _quiet) = (now, Later(now, _options.AttentionInterval), !returned);
        Serve(ref after);
        // A returner who came after the store was emptied may not have seen that its return should be told.
        _quiet = _quiet && !_slots.All.Any(slot => slot.State == SlotState.Idle && slot.IdleSince >= now);
        PublishPressure();
    }

    // The longest unused first, as many as can be spared; returns how many of the others there are.
    private int TakeOutUnused(Span<Slot<T>> idle, long now, int spare, ref After after)
    {
        if (_options.IdleLifetime <= TimeSpan.Zero)
            return idle.Length;
        var limit = now - (long)_options.IdleLifetime.TotalMilliseconds;
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
                after.ToClose = Chain(Held(slot), CloseReason.Idle, after.ToClose);
            else
                idle[kept++] = slot;
        }
        return kept;
    }

    // Under the lock: the timer's next time; null if there is nothing to look after.
    private long? NextDue(long now)
    {
        if (now >= _nextMaintenance)
            _nextMaintenance = Later(now, _options.MaintenanceInterval);
        if (_total == 0 && _minimum == 0)
            _nextMaintenance = long.MaxValue;
        var next = Math.Min(_nextMaintenance, RefillDue is { } refill ? Math.Max(refill, now + 1) : long.MaxValue);
        if (CaresForIdle && !_quiet)
            next = Math.Min(next, _nextAttention);
        return next == long.MaxValue ? null : next;
    }

    // Under the lock: one more exists, so there is something to look after.
    private void NoteOpened(ref After after)
    {
        _refillFailures = 0;
        _refillAt = 0;
        if (_nextMaintenance == long.MaxValue)
            _nextMaintenance = Later(_clock.Now, _options.MaintenanceInterval);
        if (_nextMaintenance != long.MaxValue)
            after.Due = _nextMaintenance;
        if (RefillDue is { } due)
            after.Due = due;
        after.OpenEnded = TakeOpenEnded();
    }

    // Under the lock: there is one less, or fewer than there should be.
    private void NoteGone(ref After after)
    {
        after.Due = RefillDue;
        if (_closed && _total == 0)
            after.Drained = _drained;
    }

    // Under the lock: something was returned.
    private void NoteReturn(ref After after)
    {
        if (!_quiet || _closed)
            return;
        _quiet = false;
        after.Due = _nextAttention = Later(_clock.Now, _options.AttentionInterval);
    }

    private static long Later(long now, TimeSpan interval) =>
        interval == Timeout.InfiniteTimeSpan ? long.MaxValue : now + (long)interval.TotalMilliseconds;

    private Slot<T>? TakeBackLost()
    {
        Slot<T>? lost = null;
        foreach (var slot in _slots.All)
        {
            var word = slot.Word;
            var resource = slot.Resource;
            // Read twice, so that the resource belongs to the rent.
            if (Slot<T>.StateOf(word) != SlotState.Rented || resource is null || slot.Word != word || !IsLost(resource))
                continue;
            var info = Describe(slot, word);
            TSteps.Step(Point.ClaimRental);
            if (info is null || !slot.TryClaim(Slot<T>.VersionOf(word)))
                continue;
            slot.ForgetRent();
            TellAbandoned(resource, info);
            lost = Chain(slot, CloseReason.Abandoned, lost);
        }
        return lost;
    }

    private void CheckInBackground(Slot<T> slot)
    {
        if (_forms.ChecksAsync)
            _ = CheckIdleAsync(slot);
        else
            _ = Task.Run(() => CheckIdle(slot));
    }

    private async Task CheckIdleAsync(Slot<T> slot)
    {
        var ready = IsReadyAsync(slot, _clock.Now, _options.RentTimeout, CancellationToken.None);
        if (ready.IsYes || (ready.Later is { } later && await later.ConfigureAwait(false)))
            await CloseAllAsync(Put(slot, slot.IdleSince)).ConfigureAwait(false);
    }

    private void CheckIdle(Slot<T> slot)
    {
        if (IsReady(slot, _clock.Now, _options.RentTimeout))
            CloseAll(Put(slot, slot.IdleSince));
    }

    private void CloseInBackground(Slot<T>? chain)
    {
        if (chain is null)
            return;
        if (_forms is { Closes: true, ClosesAsync: false })
            _ = Task.Run(() => CloseAll(chain));
        else
            _ = CloseAllAsync(chain).AsTask();
    }
}
