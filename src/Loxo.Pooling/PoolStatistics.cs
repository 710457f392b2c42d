using System.Globalization;

namespace Loxo.Pooling;

/// <summary>A pool's state, and counts since its creation. The numbers are read one after the other while the pool is in use.</summary>
public sealed record PoolStatistics
{
    /// <summary>The pool's name.</summary>
    public string Name { get; init; } = "";

    /// <summary>How many resources may exist.</summary>
    public int MaximumSize { get; init; }

    /// <summary>How many resources are kept open.</summary>
    public int MinimumSize { get; init; }

    /// <summary>The sum of <see cref="Idle"/>, <see cref="Busy"/> and <see cref="Opening"/>.</summary>
    public int Total { get; init; }

    /// <summary>Resources that can be rented at once.</summary>
    public int Idle { get; init; }

    /// <summary>Resources that are rented, or that the pool is checking, resetting or closing.</summary>
    public int Busy { get; init; }

    /// <summary>Resources being opened.</summary>
    public int Opening { get; init; }

    /// <summary>Renters that wait.</summary>
    public int Waiting { get; init; }

    /// <summary>How many rents there were.</summary>
    public long Rented { get; init; }

    /// <summary>How many resources were opened.</summary>
    public long Opened { get; init; }

    /// <summary>How many openings failed.</summary>
    public long OpenFailed { get; init; }

    /// <summary>How many rents failed with <see cref="PoolExhaustedException"/>.</summary>
    public long TimedOut { get; init; }

    /// <summary>How many resources were closed, for each reason.</summary>
    public IReadOnlyDictionary<CloseReason, long> Closed { get; init; } = new Dictionary<CloseReason, long>();

    /// <summary>How many resources were closed because their renters were garbage collected.</summary>
    public long Abandoned => Closed.GetValueOrDefault(CloseReason.Abandoned);

    /// <summary>How many resources a check refused.</summary>
    public long Replaced => Closed.GetValueOrDefault(CloseReason.CheckFailed);

    /// <summary>The resources that have been rented for longest, at most ten.</summary>
    public IReadOnlyList<RentalInfo> OldestRents { get; init; } = [];

    /// <summary>The last failed openings, at most five, the newest first.</summary>
    public IReadOnlyList<OpenFailure> RecentOpenFailures { get; init; } = [];

    /// <summary>The counts of this moment in one line, for a log: <c>shop: 3 busy, 2 idle, 0 opening, 0 waiting; at most 100</c>.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture,
        $"{Name}: {Busy} busy, {Idle} idle, {Opening} opening, {Waiting} waiting; at most {MaximumSize}");
}

/// <summary>A rent that has not ended.</summary>
/// <param name="Age">How long ago it began.</param>
/// <param name="Stack">The renter's stack trace; null unless <see cref="ResourcePoolOptions.StackSampling"/> chose it.</param>
/// <param name="Tag">The argument of <see cref="Rental{T}.SetTag"/>; null if there was no call.</param>
public sealed record RentalInfo(TimeSpan Age, string? Stack, object? Tag)
{
    /// <summary>What the resource is used for, as <see cref="ResourcePolicy{T}.Describe"/> says; null for nothing said.</summary>
    public string? Use { get; init; }
}

/// <summary>A failed opening.</summary>
/// <param name="When">When it failed, by the pool's clock.</param>
/// <param name="Error">The policy's exception.</param>
public sealed record OpenFailure(DateTimeOffset When, Exception Error);
