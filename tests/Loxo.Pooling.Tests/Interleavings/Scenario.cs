namespace Loxo.Pooling.Tests.Interleavings;

/// <summary>Callers and what they do, each its own operations one after the other.</summary>
internal sealed record Scenario(string Name, int Preemptions, Func<Operations, Operation[][]> Callers)
{
    /// <summary>How many resources may exist.</summary>
    public int Maximum { get; init; } = 3;

    /// <summary>The largest number that may exist later on.</summary>
    public int LaterMaximum { get; init; }

    public int MaximumOpens { get; init; } = 8;

    /// <summary>How many exist before the callers begin.</summary>
    public int Warm { get; init; }

    /// <summary>How many of them are rented then, by nobody.</summary>
    public int Rented { get; init; }

    public ReuseOrder Order { get; init; }

    /// <summary>Whether the policy checks resources before they are rented.</summary>
    public bool IsChecked { get; init; } = true;

    public bool IsMaintained { get; init; }

    public TimeSpan IdleLifetime { get; init; }

    public Run Begin() => new(this);

    public override string ToString() => Name;
}
