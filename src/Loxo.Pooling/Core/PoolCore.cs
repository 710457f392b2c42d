using System.Diagnostics;

namespace Loxo.Pooling.Core;

/// <summary>
/// The pool itself. What is idle lies in a store without the lock: renting it and returning it is a compare-and-swap each, plus one by which
/// a returner claims its rental. Everything rarer is done under one lock: opening, closing, waiting, maintenance. The two sides meet in
/// <see cref="_pressure"/>, which returners read and those who wait write: a returner puts its slot into the store and then reads it, a
/// waiter writes it and then looks into the store, so one of them sees the other.
/// </summary>
internal sealed partial class PoolCore<T, TSteps> : IWaiterOwner<T>, IAlarmed
    where T : class
    where TSteps : struct, ISteps
{
    private readonly ResourcePolicy<T> _policy;
    private readonly PolicyForms<T> _forms;
    private readonly ResourcePoolOptions _options;
    private readonly Clock _clock;
    private readonly SlotTable<T> _slots;
    private readonly IdleStore<T> _idle;

    // How many waiters and other reasons there are for a returner to enter the lock instead of just leaving its slot in the store.
    private int _pressure;

    // Grows with each clear and with dispose. What has another generation is old and is closed by whoever meets it.
    private int _generation;

    public PoolCore(ResourcePolicy<T> policy, ResourcePoolOptions options)
    {
        _policy = policy;
        _forms = new PolicyForms<T>(policy);
        _options = options;
        _clock = new Clock(options.Time);
        _slots = new SlotTable<T>(this);
        _idle = options.Order == ReuseOrder.Fifo ? new IdleQueue<T, TSteps>(_slots) : new IdleStack<T, TSteps>(_slots);
        (_minimum, _maximum) = (options.MinimumSize, options.MaximumSize);
        _maximumOpens = options.MaximumConcurrentOpens > 0 ? options.MaximumConcurrentOpens : Math.Max(8, 4 * Environment.ProcessorCount);
        _timeouts = new Alarm(options.Time, _clock, this);
        _maintenance = new Alarm(options.Time, _clock, this);
        _quiet = CaresForIdle;
        _pressure = _quiet ? 1 : 0;
    }

    /// <summary>What is idle, without a check; null if there is nothing.</summary>
    public Rental<T>? TryRentIdle()
    {
        while (TakeIdle() is { } slot)
        {
            var now = _clock.Now;
            if (Unfit(slot, now) is not { } reason)
                return Hand(slot, now, SampleStack());
            Close(slot, reason);
        }
        return null;
    }

    /// <summary>Begins what happens by itself.</summary>
    public void Start()
    {
        if (_minimum > 0)
            _maintenance.SetFor(_clock.Now);
    }

    // While the pool's store is being swept it looks empty. The sweeper has the lock.
    private Slot<T>? TakeIdle()
    {
        if (_idle.TryTake() is { } slot)
            return slot;
        TSteps.Step(Point.Enter);
        TSteps.Enter(_gate);
        try
        {
            ThrowIfClosed();
            return _idle.TryTake();
        }
        finally
        {
            TSteps.Exit(_gate);
        }
    }

    // Why what was idle or is returned must be closed; null if it may be used.
    private CloseReason? Unfit(Slot<T> slot, long now)
    {
        TSteps.Step(Point.ReadGeneration);
        if (slot.Generation != Volatile.Read(ref _generation))
            return WhyOld;
        return now >= slot.ExpiresAt ? CloseReason.Lifetime : null;
    }

    private CloseReason WhyOld => Volatile.Read(ref _closed) ? CloseReason.Disposed : CloseReason.Cleared;

    private bool HasEnded
    {
        get
        {
            TSteps.Step(Point.ReadClosed);
            return Volatile.Read(ref _closed);
        }
    }

    private Rental<T> Hand(Slot<T> slot, long now, StackTrace? stack)
    {
        slot.Rents++;
        slot.RentedAt = now;
        if (stack is not null)
            slot.Stack = stack;
        return new Rental<T>(slot, slot.Resource!, slot.MarkRented());
    }

    private StackTrace? SampleStack() =>
        _options.StackSampling > 0 && Random.Shared.NextDouble() < _options.StackSampling ? new StackTrace(2, fNeedFileInfo: true) : null;

    // The slot of a rental that is given back; null if that has been done before.
    private Slot<T>? Claim(in Rental<T> rental)
    {
        var slot = rental.Slot;
        if (slot is null || slot.Pool != this)
            throw new ArgumentException("The rental is not of this pool.", nameof(rental));
        TSteps.Step(Point.ClaimRental);
        if (!slot.TryClaim(rental.Version) && !TSteps.Has(Flaw.NoClaim))
            return null;
        slot.ForgetRent();
        return slot;
    }

    // Returns what has to be closed now.
    private Slot<T>? GiveBack(Slot<T> slot)
    {
        var now = _clock.Now;
        return Unfit(slot, now) is { } reason ? Chain(slot, reason, null) : Put(slot, now);
    }

    // For the next renter: into the store, or into the hands of one who waits. Returns what has to be closed now.
    private Slot<T>? Put(Slot<T> slot, long now)
    {
        var generation = slot.Generation;
        slot.IdleSince = now;
        slot.Mark(SlotState.Idle);
        TSteps.Step(Point.ReadPressure);
        if (Volatile.Read(ref _pressure) != 0)
            return Settle(slot);
        _idle.Put(slot);
        TSteps.Step(Point.ReadPressureAgain);
        var pressure = Volatile.Read(ref _pressure) != 0 && !TSteps.Has(Flaw.NoLookAfterPush);
        TSteps.Step(Point.ReadGenerationAgain);
        var old = Volatile.Read(ref _generation) != generation && !TSteps.Has(Flaw.NoLookForClear);
        return pressure || old ? Settle(null, old) : null;
    }

    private static Slot<T> Chain(Slot<T> slot, CloseReason reason, Slot<T>? next)
    {
        (slot.Reason, slot.NextToClose) = (reason, next);
        return slot;
    }
}
