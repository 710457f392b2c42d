namespace Loxo.Pooling.Core;

// Opening before somebody asks: the minimum in the background, and warming up.
internal sealed partial class PoolCore<T, TSteps>
{
    private static readonly TimeSpan _longestPause = TimeSpan.FromMinutes(2);

    // When the background may open again after failures, of whomever; 0 for at once.
    private long _refillAt;
    private int _refillFailures;
    private TaskCompletionSource? _openEnded;

    // Under the lock: null if there is enough.
    private long? RefillDue => !_closed && _total < _minimum ? _refillAt : null;

    public void WarmUp(int count)
    {
        if (_forms.MissingToBlock is { } missing)
            throw _forms.NotSupported(missing);
        while (true)
        {
            switch (TakeWarmPermit(count, out var generation, out var ended))
            {
                case Warm.Open:
                    var slot = Open(_clock.In(_options.RentTimeout), generation);
                    CloseAll(GiveBack(slot));
                    break;
                case Warm.Wait:
                    ended!.Wait();
                    break;
                default:
                    return;
            }
        }
    }

    public async ValueTask WarmUpAsync(int count, CancellationToken token)
    {
        if (_forms.MissingToAwait is { } missing)
            throw _forms.NotSupported(missing);
        token.ThrowIfCancellationRequested();
        var openers = Math.Clamp(count, 1, _maximumOpens);
        await Task.WhenAll(Enumerable.Range(0, openers).Select(_ => WarmUpPart(count, token))).ConfigureAwait(false);
    }

    private async Task WarmUpPart(int count, CancellationToken token)
    {
        while (true)
        {
            switch (TakeWarmPermit(count, out var generation, out var ended))
            {
                case Warm.Open:
                    var request = new Request(_options.RentTimeout, _clock.In(_options.RentTimeout), null, token);
                    var slot = await OpenAsync(generation, request).ConfigureAwait(false);
                    await CloseAllAsync(GiveBack(slot)).ConfigureAwait(false);
                    break;
                case Warm.Wait:
                    await ended!.WaitAsync(token).ConfigureAwait(false);
                    break;
                default:
                    return;
            }
        }
    }

    // Those that somebody else is opening are waited for: they may fail.
    private Warm TakeWarmPermit(int count, out int generation, out Task? ended)
    {
        Enter();
        try
        {
            ThrowIfClosed();
            (generation, ended) = (_generation, null);
            var target = Math.Min(count, _maximum);
            if (_total - _opening >= target)
                return Warm.Done;
            if (_total < target && MayOpen)
            {
                TakePermit();
                return Warm.Open;
            }
            _openEnded ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            ended = _openEnded.Task;
            return Warm.Wait;
        }
        finally
        {
            TSteps.Exit(_gate);
        }
    }

    private void Refill()
    {
        for (var missing = TakeRefill(out var generation); missing > 0; missing--)
        {
            if (_forms.MissingToAwait is null)
                _ = RefillAsync(generation);
            else
                _ = Task.Run(() => RefillOne(generation));
        }
    }

    // Takes a permit for each that is missing, as far as may be opened at once.
    private int TakeRefill(out int generation)
    {
        Enter();
        try
        {
            generation = _generation;
            var count = 0;
            while (RefillDue <= _clock.Now && MayOpen)
            {
                TakePermit();
                count++;
            }
            return count;
        }
        finally
        {
            TSteps.Exit(_gate);
        }
    }

    private async Task RefillAsync(int generation)
    {
        try
        {
            var request = new Request(_options.RentTimeout, _clock.In(_options.RentTimeout), null, CancellationToken.None);
            var slot = await OpenAsync(generation, request).ConfigureAwait(false);
            await CloseAllAsync(GiveBack(slot)).ConfigureAwait(false);
        }
        catch (Exception)
        {
            // Noted where it failed, with the time of the next attempt.
        }
    }

    private void RefillOne(int generation)
    {
        try
        {
            CloseAll(GiveBack(Open(_clock.In(_options.RentTimeout), generation)));
        }
        catch (Exception)
        {
            // As above.
        }
    }

    // Under the lock.
    private void TakePermit()
    {
        _total++;
        _opening++;
    }

    // Under the lock: the pause before the background tries again doubles with each failure.
    private void PutOffRefill()
    {
        var interval = _options.MaintenanceInterval == Timeout.InfiniteTimeSpan ? TimeSpan.FromSeconds(10) : _options.MaintenanceInterval;
        var pause = interval * Math.Pow(2, Math.Min(_refillFailures++, 10));
        var longest = interval > _longestPause ? interval : _longestPause;
        _refillAt = _clock.Now + (long)(pause < longest ? pause : longest).TotalMilliseconds;
    }

    private TaskCompletionSource? TakeOpenEnded()
    {
        var ended = _openEnded;
        _openEnded = null;
        return ended;
    }

    private enum Warm
    {
        Done,
        Open,
        Wait,
    }
}
