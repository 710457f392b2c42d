using System.Collections.Concurrent;

namespace Loxo.Pooling.Tests;

/// <summary>Opens things, in both forms, and notes what the pool does with them.</summary>
internal sealed class ThingPolicy : ResourcePolicy<Thing>
{
    private int _opened;

    public ConcurrentQueue<(Thing Thing, CloseReason Reason)> ClosedThings { get; } = [];

    public ConcurrentQueue<Exception> OpenErrors { get; } = [];

    public ConcurrentQueue<(Thing Thing, Exception? Error)> FailedChecks { get; } = [];

    public ConcurrentQueue<(Thing Thing, RentalInfo Info)> AbandonedThings { get; } = [];

    /// <summary>The forms that were called, by name.</summary>
    public ConcurrentQueue<string> Calls { get; } = [];

    public int OpenedCount => Volatile.Read(ref _opened);

    /// <summary>How many openings run at the moment, and the most there ever were.</summary>
    public int Opening;

    public int MostOpening;

    /// <summary>What opening does; by default a new thing at once.</summary>
    public Func<TimeSpan, Task<Thing>>? OnOpen { get; set; }

    public Func<Thing, Task<bool>>? OnCheck { get; set; }

    public Func<Thing, Task<bool>>? OnReset { get; set; }

    public Action<Thing>? OnClose { get; set; }

    /// <summary>Where renters that have waited go on; by default in the thread pool.</summary>
    public Func<IThreadPoolWorkItem, bool>? OnResume { get; set; }

    /// <summary>How long a renter waits after a failed opening; by default it does not try again.</summary>
    public Func<Exception, int, TimeSpan?>? OnRetry { get; set; }

    public override TimeSpan? RetryOpenAfter(Exception error, int failures) => OnRetry?.Invoke(error, failures);

    public override bool TryResume(IThreadPoolWorkItem renter) => OnResume?.Invoke(renter) == true;

    public Thing New() => new(Interlocked.Increment(ref _opened));

    public override Thing Open(TimeSpan timeLeft) => Called(nameof(Open), OpenThing(timeLeft)).GetAwaiter().GetResult();

    public override async ValueTask<Thing> OpenAsync(TimeSpan timeLeft, CancellationToken token) =>
        await Called(nameof(OpenAsync), OpenThing(timeLeft)).WaitAsync(token);

    public override bool Check(Thing resource, TimeSpan timeLeft) => Called(nameof(Check), CheckThing(resource)).GetAwaiter().GetResult();

    public override async ValueTask<bool> CheckAsync(Thing resource, TimeSpan timeLeft, CancellationToken token) =>
        await Called(nameof(CheckAsync), CheckThing(resource)).WaitAsync(token);

    public override bool Reset(Thing resource) => Called(nameof(Reset), ResetThing(resource)).GetAwaiter().GetResult();

    public override async ValueTask<bool> ResetAsync(Thing resource) => await Called(nameof(ResetAsync), ResetThing(resource));

    public override void Close(Thing resource)
    {
        Calls.Enqueue(nameof(Close));
        CloseThing(resource);
    }

    public override ValueTask CloseAsync(Thing resource)
    {
        Calls.Enqueue(nameof(CloseAsync));
        CloseThing(resource);
        return default;
    }

    public override bool NeedsAttention(Thing resource) => resource.WantsAttention;

    public override bool IsAbandoned(Thing resource) => resource.IsAbandoned;

    public override bool IsBroken(Thing resource) => resource.IsBroken;

    public override void OpenFailed(Exception error)
    {
        OpenErrors.Enqueue(error);
        throw new InvalidOperationException("What a notification throws is of no consequence.");
    }

    public override void Closed(Thing resource, CloseReason reason)
    {
        ClosedThings.Enqueue((resource, reason));
        throw new InvalidOperationException("What a notification throws is of no consequence.");
    }

    public override void CheckFailed(Thing resource, Exception? error) => FailedChecks.Enqueue((resource, error));

    public override void Abandoned(Thing resource, RentalInfo info) => AbandonedThings.Enqueue((resource, info));

    public ConcurrentQueue<(Thing Thing, RentalInfo Info)> OverdueThings { get; } = [];

    public override void Overdue(Thing resource, RentalInfo info)
    {
        OverdueThings.Enqueue((resource, info));
        throw new InvalidOperationException("What a notification throws is of no consequence.");
    }

    /// <summary>What a thing is used for; null for nothing to say.</summary>
    public Func<Thing, string?>? OnDescribe { get; set; }

    public override string? Describe(Thing resource) => OnDescribe?.Invoke(resource);

    private async Task<Thing> OpenThing(TimeSpan timeLeft)
    {
        var now = Interlocked.Increment(ref Opening);
        InterlockedMax(ref MostOpening, now);
        try
        {
            return OnOpen is null ? New() : await OnOpen(timeLeft).ConfigureAwait(false);
        }
        finally
        {
            Interlocked.Decrement(ref Opening);
        }
    }

    private async Task<bool> CheckThing(Thing thing)
    {
        thing.Checks++;
        return OnCheck is null ? thing.IsHealthy : await OnCheck(thing).ConfigureAwait(false);
    }

    private async Task<bool> ResetThing(Thing thing)
    {
        thing.Resets++;
        return OnReset is null ? thing.IsHealthy : await OnReset(thing).ConfigureAwait(false);
    }

    private void CloseThing(Thing thing)
    {
        Assert.That(thing.IsClosed, Is.False, "closed once");
        thing.IsClosed = true;
        OnClose?.Invoke(thing);
    }

    private Task<TResult> Called<TResult>(string form, Task<TResult> task)
    {
        Calls.Enqueue(form);
        return task;
    }

    private static void InterlockedMax(ref int most, int value)
    {
        for (var seen = Volatile.Read(ref most); seen < value; seen = Volatile.Read(ref most))
            Interlocked.CompareExchange(ref most, value, seen);
    }
}
