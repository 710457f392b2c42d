using System.Runtime.CompilerServices;

namespace Loxo.Pooling.Tests.Interleavings;

/// <summary>One thing that a caller does. Equal names mean equal operations.</summary>
internal sealed record Operation(string Name, Action<Actor> Do);

/// <summary>What a caller can do.</summary>
internal sealed class Operations(Run run)
{
    /// <summary>Whether somebody clears or disposes the pool.</summary>
    public bool Ends { get; private set; }

    /// <summary>Whether several may give back the same rental.</summary>
    public bool Shares { get; private set; }

    public Operation Rent => Named(actor => Try(actor, () => run.Core.Rent(Timeout.InfiniteTimeSpan)));

    public Operation RentAsync => Named(actor => TryAsync(actor, CancellationToken.None, Timeout.InfiniteTimeSpan));

    /// <summary>Its time may be over at any moment while it waits.</summary>
    public Operation RentInTime => Named(actor => Try(actor, () => run.Core.Rent(TimeSpan.FromHours(1))));

    /// <summary>Its time is over when somebody lets the <see cref="TimePass"/>.</summary>
    public Operation RentInTimeAsync => Named(actor => TryAsync(actor, CancellationToken.None, TimeSpan.FromHours(1)));

    public Operation RentCancellable => Named(actor => TryAsync(actor, run.Cancellation.Token, Timeout.InfiniteTimeSpan));

    public Operation Cancel => Named(_ => run.Cancellation.Cancel());

    public Operation TimePass => Named(_ => run.Time.Advance(TimeSpan.FromHours(2)));

    /// <summary>The maintainer comes.</summary>
    public Operation Tick => Named(_ => run.Time.Advance(TimeSpan.FromSeconds(1)));

    public Operation RentIdle => Named(actor => Try(actor, () => run.Core.TryRentIdle()));

    public Operation Clear => Named(_ => run.Core.Clear(), ends: true);

    public Operation Dispose => Named(_ => run.Core.Dispose(), ends: true);

    public Operation Return => Named(actor =>
    {
        if (run.LetGo(actor, out var rental))
            run.Core.Return(rental);
    });

    public Operation ReturnAsync => Named(actor =>
    {
        if (run.LetGo(actor, out var rental))
            run.Core.ReturnAsync(rental).AsTask().GetAwaiter().GetResult();
    });

    public Operation Discard => Named(actor =>
    {
        if (run.LetGo(actor, out var rental))
            run.Core.Discard(rental);
    });

    /// <summary>If it opens something in this rent, that fails.</summary>
    public Operation RentFailing => Named(actor =>
    {
        actor.FailsToOpen = true;
        Try(actor, () => run.Core.Rent(Timeout.InfiniteTimeSpan));
        actor.FailsToOpen = false;
    });

    /// <summary>Gives back something that was rented before the callers began, and that others may give back too.</summary>
    public Operation ReturnRented(int index) => Named(_ => run.Core.Return(run.Rented[index]), index, shares: true);

    public Operation DiscardRented(int index) => Named(_ => run.Core.Discard(run.Rented[index]), index, shares: true);

    /// <summary>The renter of something that was rented before is lost.</summary>
    public Operation Lose(int index) => Named(_ => run.Rented[index].Resource.IsAbandoned = run.Rented[index].IsValid, index, shares: true);

    public Operation Spoil(int number) => Named(_ => run.Policy.Things[number - 1].IsHealthy = false, number);

    public Operation Resize(int maximum) => Named(_ => run.Core.Resize(0, maximum), maximum);

    private Operation Named(Action<Actor> operation, int number = 0, bool ends = false, bool shares = false, [CallerMemberName] string name = "")
    {
        Ends |= ends;
        Shares |= shares;
        return new Operation($"{name} {number}", operation);
    }

    private void Try(Actor actor, Func<Rental<Thing>?> rent)
    {
        try
        {
            if (rent() is { } rental)
                run.Hold(actor, rental);
        }
        catch (ObjectDisposedException error)
        {
            run.Refused(error);
        }
        catch (Exception error) when (error is PoolExhaustedException or IOException)
        {
            // As it may be.
        }
    }

    private void TryAsync(Actor actor, CancellationToken token, TimeSpan timeout)
    {
        var rent = run.Core.RentAsync(timeout, token).AsTask();
        actor.Await(rent);
        try
        {
            run.Hold(actor, rent.GetAwaiter().GetResult());
        }
        catch (ObjectDisposedException error)
        {
            run.Refused(error);
        }
        catch (Exception error) when (error is PoolExhaustedException or OperationCanceledException)
        {
            // As it may be.
        }
    }
}
