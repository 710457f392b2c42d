using System.Diagnostics;

namespace Loxo.Pooling.Core;

/// <summary>Rents and returns, and ties the parts of a pool together.</summary>
/// <typeparam name="T">The resource.</typeparam>
/// <typeparam name="TSteps"><see cref="NoSteps"/>, or what a test steps the pool with.</typeparam>
internal sealed class PoolCore<T, TSteps>
    where T : class
    where TSteps : struct, ISteps
{
    private readonly PoolContext<T> _context;
    private readonly PolicyForms<T> _forms;
    private readonly Clock _clock;
    private readonly double _stackSampling;
    private readonly IdleStore<T> _idle;
    private readonly SlotTable<T> _slots;
    private readonly Closer<T, TSteps> _closer;
    private readonly Returner<T, TSteps> _returner;
    private readonly Checker<T, TSteps> _checker;
    private readonly Prefiller<T, TSteps> _prefiller;
    private readonly LineRenter<T, TSteps> _line;

    public PoolCore(ResourcePolicy<T> policy, ResourcePoolOptions options)
    {
        _context = new PoolContext<T>(policy, options);
        (_forms, _clock, _stackSampling) = (_context.Forms, _context.Clock, options.StackSampling);
        var maintenance = new Alarm(options.Time, _clock);
        Dispatcher = new Dispatcher<T, TSteps>(_context, maintenance);
        (_idle, _slots) = (Dispatcher.Idle, Dispatcher.Slots);
        _closer = new Closer<T, TSteps>(_context, Dispatcher);
        _returner = new Returner<T, TSteps>(_context, Dispatcher, _closer);
        _checker = new Checker<T, TSteps>(_context, Dispatcher, _closer, _returner);
        var opener = new Opener<T, TSteps>(_context, Dispatcher, _closer);
        _prefiller = new Prefiller<T, TSteps>(_context, Dispatcher, opener, _returner);
        _line = new LineRenter<T, TSteps>(_context, Dispatcher, _checker, opener, _returner);
        maintenance.Elapsed += new Maintainer<T, TSteps>(_context, Dispatcher, _checker, _prefiller, _closer).Maintain;
        if (options.MinimumSize > 0)
            maintenance.SetFor(_clock.Now);
    }

    public Dispatcher<T, TSteps> Dispatcher { get; }

    public bool HasIdle => !_idle.IsEmpty;

    public bool MayGrow => Dispatcher.Capacity.Total < Dispatcher.Capacity.Maximum;

    public int CountOutstanding()
    {
        var count = Dispatcher.Line.Count + Dispatcher.Capacity.Opening;
        foreach (var slot in _slots.All)
            count += Slot<T>.StateOf(slot.Word) == SlotState.Rented ? 1 : 0;
        return count;
    }

    public Rental<T> Rent(TimeSpan timeout)
    {
        _forms.ThrowIf(_forms.MissingToBlock);
        var stack = SampleStack();
        if (_idle.TryTake() is not { } slot)
            return _line.Rent(timeout, _clock.In(timeout), first: false, stack);
        var now = _clock.Now;
        return _checker.IsReady(slot, now, timeout)
            ? slot.Rent(now, stack)
            : _line.Rent(timeout, Clock.After(now, timeout), first: true, stack);
    }

    public ValueTask<Rental<T>> RentAsync(TimeSpan timeout, CancellationToken token)
    {
        _forms.ThrowIf(_forms.MissingToAwait);
        if (token.IsCancellationRequested)
            return ValueTask.FromCanceled<Rental<T>>(token);
        var stack = SampleStack();
        if (_idle.TryTake() is not { } slot)
            return _line.RentAsync(null, default, new RentRequest(timeout, _clock.In(timeout), stack, token));
        var now = _clock.Now;
        if (!_forms.ChecksAsync && Dispatcher.ReasonToClose(slot, now) is null)
            return new ValueTask<Rental<T>>(slot.Rent(now, stack));
        var ready = _checker.IsReadyAsync(slot, now, timeout, token);
        return ready.IsYes
            ? new ValueTask<Rental<T>>(slot.Rent(now, stack))
            : _line.RentAsync(slot, ready, new RentRequest(timeout, Clock.After(now, timeout), stack, token));
    }

    /// <summary>Rents an idle resource without the policy's check; null if there is none.</summary>
    public Rental<T>? TryRentIdle()
    {
        while (TakeIdle() is { } slot)
        {
            var now = _clock.Now;
            if (Dispatcher.ReasonToClose(slot, now) is not { } reason)
                return slot.Rent(now, SampleStack());
            _closer.Close(slot, reason);
        }
        return null;
    }

    public void Return(in Rental<T> rental)
    {
        _forms.ThrowIf(_forms.MissingToReset);
        if (Claim(rental) is { } slot)
            _returner.Return(slot);
    }

    public ValueTask ReturnAsync(in Rental<T> rental)
    {
        _forms.ThrowIf(_forms.MissingToResetAsync);
        return Claim(rental) is { } slot ? _returner.ReturnAsync(slot) : default;
    }

    public void Discard(in Rental<T> rental)
    {
        if (Claim(rental) is { } slot)
            _closer.Close(slot, CloseReason.Broken);
    }

    public ValueTask DiscardAsync(in Rental<T> rental) =>
        Claim(rental) is { } slot ? _closer.CloseAsync(slot, CloseReason.Broken) : default;

    public void WarmUp(int count) => _prefiller.WarmUp(count);

    public ValueTask WarmUpAsync(int count, CancellationToken token) => _prefiller.WarmUpAsync(count, token);

    public void Clear() => _closer.CloseAll(Dispatcher.Clear());

    public ValueTask ClearAsync() => _closer.CloseAllAsync(Dispatcher.Clear());

    public void Resize(int minimum, int maximum) => _closer.CloseAll(Dispatcher.Resize(minimum, maximum));

    public PoolStatistics GetStatistics() => StatisticsReader<T, TSteps>.Read(_context, Dispatcher);

    public List<PooledResource<T>> GetResources() => StatisticsReader<T, TSteps>.ReadResources(_context, _slots);

    public void Dispose() => _closer.CloseAll(Dispatcher.Close());

    public ValueTask DisposeAsync() => _closer.CloseAllAsync(Dispatcher.Close());

    /// <summary>Disposes the pool. True once everything has been closed, false if that takes too long.</summary>
    public async ValueTask<bool> DrainAsync(TimeSpan timeout)
    {
        var drained = Dispatcher.WhenDrained();
        _ = DisposeAsync().AsTask();
        try
        {
            await drained.WaitAsync(timeout, _context.Options.Time).ConfigureAwait(false);
            return true;
        }
        catch (TimeoutException)
        {
            return false;
        }
    }

    // The store looks empty while the holder of the lock has detached its slots.
    private Slot<T>? TakeIdle()
    {
        if (_idle.TryTake() is { } slot)
            return slot;
        using (Dispatcher.Lock.Enter())
        {
            Dispatcher.ThrowIfClosed();
            return _idle.TryTake();
        }
    }

    private StackTrace? SampleStack() =>
        _stackSampling > 0 && Random.Shared.NextDouble() < _stackSampling ? new StackTrace(2, fNeedFileInfo: true) : null;

    // Ends a rental. Null if it has ended before.
    private Slot<T>? Claim(in Rental<T> rental)
    {
        var slot = rental.Slot;
        if (slot is null || slot.Table != _slots)
            throw new ArgumentException("The rental is not of this pool.", nameof(rental));
        TSteps.Step(Point.ClaimRental);
        if (!slot.TryClaim(rental.Version) && TSteps.Step(Point.RefuseClaim))
            return null;
        slot.ForgetRent();
        return slot;
    }
}
