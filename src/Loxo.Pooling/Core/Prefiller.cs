namespace Loxo.Pooling.Core;

/// <summary>Opens resources before a renter needs them: on request (warm-up), and up to the minimum in the background (refill).</summary>
internal sealed class Prefiller<T, TSteps>(
    PoolContext<T> context, Dispatcher<T, TSteps> dispatcher, Opener<T, TSteps> opener, Returner<T, TSteps> returner)
    where T : class
    where TSteps : struct, ISteps
{
    private long Deadline => context.Clock.In(context.Options.RentTimeout);

    /// <summary>Opens resources one after the other until <paramref name="count"/> exist.</summary>
    public void WarmUp(int count)
    {
        context.Forms.ThrowIf(context.Forms.MissingToBlock);
        while (IsBelow(count, out var generation, out var ended))
        {
            if (ended is null)
                OpenOne(generation);
            else
                ended.Wait();
        }
    }

    /// <summary>Opens resources, several at a time, until <paramref name="count"/> exist.</summary>
    public async ValueTask WarmUpAsync(int count, CancellationToken token)
    {
        context.Forms.ThrowIf(context.Forms.MissingToAwait);
        token.ThrowIfCancellationRequested();
        var openers = Math.Clamp(count, 1, dispatcher.Capacity.MaximumOpens);
        await Task.WhenAll(Enumerable.Range(0, openers).Select(_ => WarmUpPart(count, token))).ConfigureAwait(false);
    }

    /// <summary>Begins to open as many resources as are missing to the minimum and may be opened at once.</summary>
    public void Refill()
    {
        for (var missing = TakeMissing(out var generation); missing > 0; missing--)
            _ = RefillOne(generation);
    }

    private async Task WarmUpPart(int count, CancellationToken token)
    {
        while (IsBelow(count, out var generation, out var ended))
            await (ended?.WaitAsync(token) ?? OpenOneAsync(generation, token)).ConfigureAwait(false);
    }

    // Takes a permit to open if that is allowed. Otherwise the caller waits for the end of an opening that others have begun: it may fail.
    private bool IsBelow(int count, out int generation, out Task? ended)
    {
        using (dispatcher.Lock.Enter())
        {
            dispatcher.ThrowIfClosed();
            (generation, ended) = (dispatcher.Generation, null);
            var capacity = dispatcher.Capacity;
            var target = Math.Min(count, capacity.Maximum);
            if (capacity.Total - capacity.Opening >= target)
                return false;
            if (capacity.Total < target && capacity.MayOpen)
                capacity.TakePermit();
            else
                ended = dispatcher.OpenEnded;
            return true;
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

    private async Task RefillOne(int generation)
    {
        try
        {
            var canAwait = context.Forms.MissingToAwait is null;
            await (canAwait ? OpenOneAsync(generation, CancellationToken.None) : Task.Run(() => OpenOne(generation))).ConfigureAwait(false);
        }
        catch (Exception)
        {
            // The opener has counted the failure and scheduled the next attempt.
        }
    }

    private void OpenOne(int generation) => returner.GiveBack(opener.Open(Deadline, generation));

    private async Task OpenOneAsync(int generation, CancellationToken token)
    {
        var slot = await opener.OpenAsync(Deadline, generation, token).ConfigureAwait(false);
        await returner.GiveBackAsync(slot).ConfigureAwait(false);
    }
}
