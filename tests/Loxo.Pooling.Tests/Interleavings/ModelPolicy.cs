namespace Loxo.Pooling.Tests.Interleavings;

/// <summary>Opens and closes things in steps that others can come between, and notes what exists.</summary>
internal class ModelPolicy : ResourcePolicy<Thing>
{
    public List<Thing> Things { get; } = [];

    /// <summary>Those that have been opened and not been closed.</summary>
    public int Existing => Things.Count(static thing => !thing.IsClosed);

    /// <summary>The most that may exist at once.</summary>
    public required int Most { get; init; }

    /// <summary>What the pool did that it must not do; null if nothing.</summary>
    public string? Wrong { get; private set; }

    public override Thing Open(TimeSpan timeLeft)
    {
        if (Actor.Current is { FailsToOpen: true } actor)
        {
            actor.FailsToOpen = false;
            throw new IOException("Opening fails, as it should here.");
        }
        var thing = new Thing(Things.Count + 1);
        Things.Add(thing);
        if (Existing > Most)
            Wrong ??= $"{Existing} exist, and only {Most} may.";
        return thing;
    }

    public override ValueTask<Thing> OpenAsync(TimeSpan timeLeft, CancellationToken token) => new(Open(timeLeft));

    public override void Close(Thing resource)
    {
        if (resource.IsClosed)
            Wrong ??= $"{resource} is closed twice.";
        resource.IsClosed = true;
    }

    public override ValueTask CloseAsync(Thing resource)
    {
        Close(resource);
        return default;
    }

    public override bool IsAbandoned(Thing resource) => resource.IsAbandoned;
}

/// <summary>Checks things before they are rented, too.</summary>
internal sealed class CheckingPolicy : ModelPolicy
{
    public override bool Check(Thing resource, TimeSpan timeLeft) => resource.IsHealthy;

    public override ValueTask<bool> CheckAsync(Thing resource, TimeSpan timeLeft, CancellationToken token) => new(resource.IsHealthy);
}
