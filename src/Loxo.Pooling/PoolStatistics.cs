namespace Loxo.Pooling;

/// <summary>What a pool is doing, and has done since its start. The numbers are read one after the other, while the pool goes on.</summary>
public sealed record PoolStatistics
{
    /// <summary>The pool's name.</summary>
    public string Name { get; init; } = "";

    /// <summary>How many resources may exist.</summary>
    public int MaximumSize { get; init; }

    /// <summary>How many resources are kept open.</summary>
    public int MinimumSize { get; init; }

    /// <summary>Resources that exist, and those being opened: <see cref="Idle"/>, <see cref="Busy"/> and <see cref="Opening"/> together.</summary>
    public int Total { get; init; }

    /// <summary>Resources that wait for a renter.</summary>
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

    /// <summary>How many rents ended with <see cref="PoolExhaustedException"/>.</summary>
    public long TimedOut { get; init; }

    /// <summary>How many resources were closed, for each reason.</summary>
    public IReadOnlyDictionary<CloseReason, long> Closed { get; init; } = new Dictionary<CloseReason, long>();

    /// <summary>How many resources were taken back because their renters had disappeared.</summary>
    public long Abandoned => Closed.GetValueOrDefault(CloseReason.Abandoned);

    /// <summary>How many resources a check refused, so that the renter got another one.</summary>
    public long Replaced => Closed.GetValueOrDefault(CloseReason.CheckFailed);

    /// <summary>The resources that have been rented for longest, at most ten.</summary>
    public IReadOnlyList<RentalInfo> OldestRents { get; init; } = [];

    /// <summary>The last openings that failed, at most five, the newest first.</summary>
    public IReadOnlyList<OpenFailure> RecentOpenFailures { get; init; } = [];
}

/// <summary>A rent that has not ended.</summary>
/// <param name="Age">How long ago it began.</param>
/// <param name="Stack">Where; null unless <see cref="ResourcePoolOptions.StackSampling"/> chose it.</param>
/// <param name="Tag">What its renter noted with <see cref="Rental{T}.SetTag"/>; null if nothing.</param>
public sealed record RentalInfo(TimeSpan Age, string? Stack, object? Tag);

/// <summary>An opening that failed.</summary>
/// <param name="When">When, by the pool's clock.</param>
/// <param name="Error">What the policy threw.</param>
public sealed record OpenFailure(DateTimeOffset When, Exception Error);
