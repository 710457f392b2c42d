namespace Loxo.Pooling.Core;

/// <summary>Opens resources before a renter needs them: on request (warm-up), and up to the minimum in the background (refill).</summary>
internal sealed class Prefiller<T, TSteps>(PoolContext<T> context, Dispatcher<T, TSteps> dispatcher, Opener<T, TSteps> opener, Returner<T, TSteps> returner)
    where T : class
    where TSteps : struct, ISteps
{
    private enum Step
    {
        Done,
        Open,
        Wait,
    }

    private long Deadline => context.Clock.In(context.Options.RentTimeout);

    /// <summary>Opens resources one after the other until <paramref name="count"/> exist.</summary>
    public void WarmUp(int count)
    {
        context.Forms.RequireBlocking();
        while (true)
        {
            switch (NextStep(count, out var generation, out var ended))
            {
                case Step.Open:
                    OpenOne(generation);
                    break;
                case Step.Wait:
                    ended!.Wait();
                    break;
                default:
                    return;
            }
        }
    }

    /// <summary>Opens resources, several at a time, until <paramref name="count"/> exist.</summary>
    public async ValueTask WarmUpAsync(int count, CancellationToken token)
    {
        context.Forms.RequireAsync();
        token.ThrowIfCancellationRequested();
        var openers = Math.Clamp(count, 1, dispatcher.Capacity.MaximumOpens);
        await Task.WhenAll(Enumerable.Range(0, openers).Select(_ => WarmUpPart(count, token))).ConfigureAwait(false);
    }

    /// <summary>Begins to open as many resources as are missing to the minimum and may be opened at once.</summary>
    public void Refill()
    {
        for (var missing = TakeMissing(out var generation); missing > 0; missing--)
            _ = context.Forms.MissingToAwait is null ? RefillAsync(generation) : Task.Run(() => RefillBlocking(generation));
    }

    private async Task WarmUpPart(int count, CancellationToken token)
    {
        while (true)
        {
            switch (NextStep(count, out var generation, out var ended))
            {
                case Step.Open:
                    await OpenOneAsync(generation, token).ConfigureAwait(false);
                    break;
                case Step.Wait:
                    await ended!.WaitAsync(token).ConfigureAwait(false);
                    break;
                default:
                    return;
            }
        }
    }

    // Takes a permit to open, or waits for openings that others have begun: they may fail.
    private Step NextStep(int count, out int generation, out Task? ended)
    {
        using (dispatcher.Lock.Enter())
        {
            dispatcher.ThrowIfClosed();
            (generation, ended) = (dispatcher.Generation, null);
            var capacity = dispatcher.Capacity;
            var target = Math.Min(count, capacity.Maximum);
            if (capacity.Total - capacity.Opening >= target)
                return Step.Done;
            if (capacity.Total < target && capacity.MayOpen)
            {
                capacity.TakePermit();
                return Step.Open;
            }
            ended = dispatcher.OpenEnded;
            return Step.Wait;
        }
    }

    private int TakeMissing(out int generation)
    {
        using (dispatcher.Lock.Enter())
        {
            generation = dispatcher.Generation;
            var count = 0;
            for (; dispatcher.RefillDue <= context.Clock.Now && dispatcher.Capacity.MayOpen; count++)
                dispatcher.Capacity.TakePermit();
            return count;
        }
    }

    private async Task RefillAsync(int generation)
    {
        try
        {
            await OpenOneAsync(generation, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception)
        {
            // The opener has counted the failure and scheduled the next attempt.
        }
    }

    private void RefillBlocking(int generation)
    {
        try
        {
            OpenOne(generation);
        }
        catch (Exception)
        {
            // As above.
        }
    }

    private void OpenOne(int generation) => returner.GiveBack(opener.Open(Deadline, generation));

    private async Task OpenOneAsync(int generation, CancellationToken token)
    {
        var slot = await opener.OpenAsync(Deadline, generation, token).ConfigureAwait(false);
        await returner.GiveBackAsync(slot).ConfigureAwait(false);
    }
}
