namespace Loxo.Pooling;

/// <summary>Options of a <see cref="ResourcePool{T}"/>. The pool's constructor validates them.</summary>
public sealed record ResourcePoolOptions
{
    /// <summary>The pool's name in messages and statistics. Empty by default.</summary>
    public string Name { get; init; } = "";

    /// <summary>How many resources may exist at once, including those being opened. At least 1; the default is 100.</summary>
    public int MaximumSize { get; init; } = 100;

    /// <summary>How many resources the pool opens by itself and keeps open. The default is 0.</summary>
    public int MinimumSize { get; init; }

    /// <summary>
    /// How long a rent may take, including waiting, opening and checking. The default is 15 seconds; <see cref="Timeout.InfiniteTimeSpan"/>
    /// for no limit.
    /// </summary>
    public TimeSpan RentTimeout { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>
    /// How long a resource may be idle before it is closed, unless it is one of the last <see cref="MinimumSize"/>. The default is 300
    /// seconds; zero or <see cref="Timeout.InfiniteTimeSpan"/> for no limit.
    /// </summary>
    public TimeSpan IdleLifetime { get; init; } = TimeSpan.FromSeconds(300);

    /// <summary>
    /// How long a resource may exist. If it is rented at that time, it is closed when it is returned. The default is 3600 seconds; zero or
    /// <see cref="Timeout.InfiniteTimeSpan"/> for no limit.
    /// </summary>
    public TimeSpan Lifetime { get; init; } = TimeSpan.FromSeconds(3600);

    /// <summary>
    /// The fraction by which the <see cref="Lifetime"/> of a resource is shortened at most, between 0 and 1, at random, so that resources
    /// opened together are not closed together. The default is 0.1.
    /// </summary>
    public double LifetimeJitter { get; init; } = 0.1;

    /// <summary>
    /// How often lifetimes and <see cref="MinimumSize"/> are checked, and abandoned and broken resources looked for. The default is
    /// 10 seconds.
    /// </summary>
    public TimeSpan MaintenanceInterval { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How often <see cref="ResourcePolicy{T}.NeedsAttention"/> is called while the pool is in use, and abandoned and broken resources are
    /// looked for while renters wait; otherwise both are done every <see cref="MaintenanceInterval"/>. The default is 1 second.
    /// </summary>
    public TimeSpan AttentionInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How many resources may be opening at once. Other renters wait, and get a returned resource if one comes first. 0, the default, means
    /// four for each processor, and at least 8.
    /// </summary>
    public int MaximumConcurrentOpens { get; init; }

    /// <summary>Which idle resource is rented first. <see cref="ReuseOrder.Lifo"/> by default.</summary>
    public ReuseOrder Order { get; init; }

    /// <summary>
    /// The fraction of rents whose stack trace is kept, to be shown in <see cref="PoolExhaustedException"/>: between 0, the default, and 1.
    /// A stack trace costs many times as much as a rent.
    /// </summary>
    public double StackSampling { get; init; }

    /// <summary>
    /// A rent that lasts longer is reported to <see cref="ResourcePolicy{T}.Overdue"/>, with the next maintenance. Zero, the default:
    /// none is.
    /// </summary>
    public TimeSpan LeakThreshold { get; init; }

    /// <summary>The clock and timers. The system's by default.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    internal ResourcePoolOptions Validated()
    {
        ArgumentNullException.ThrowIfNull(Name);
        ArgumentNullException.ThrowIfNull(Time);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(MaximumSize);
        ArgumentOutOfRangeException.ThrowIfNegative(MinimumSize);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MinimumSize, MaximumSize);
        ArgumentOutOfRangeException.ThrowIfNegative(MaximumConcurrentOpens);
        RequireWait(RentTimeout, nameof(RentTimeout));
        RequireSpan(IdleLifetime, nameof(IdleLifetime));
        RequireSpan(Lifetime, nameof(Lifetime));
        RequireSpan(LeakThreshold, nameof(LeakThreshold));
        RequireWait(MaintenanceInterval, nameof(MaintenanceInterval));
        RequireWait(AttentionInterval, nameof(AttentionInterval));
        RequireFraction(LifetimeJitter, nameof(LifetimeJitter));
        RequireFraction(StackSampling, nameof(StackSampling));
        return Order is ReuseOrder.Lifo or ReuseOrder.Fifo ? this
            : throw new ArgumentOutOfRangeException(nameof(Order), Order, "Order is Lifo or Fifo.");
    }

    /// <summary>Throws unless the time is positive or infinite.</summary>
    internal static void RequireWait(TimeSpan time, string name)
    {
        if (time != Timeout.InfiniteTimeSpan && (time <= TimeSpan.Zero || time.TotalMilliseconds > int.MaxValue))
        {
            var range = $"{name} is more than zero and at most {int.MaxValue} milliseconds, or Timeout.InfiniteTimeSpan.";
            throw new ArgumentOutOfRangeException(name, time, range);
        }
    }

    private static void RequireSpan(TimeSpan time, string name)
    {
        if (time < TimeSpan.Zero && time != Timeout.InfiniteTimeSpan)
            throw new ArgumentOutOfRangeException(name, time, $"{name} is not negative; zero and Timeout.InfiniteTimeSpan mean no limit.");
    }

    private static void RequireFraction(double value, string name)
    {
        if (value is not (>= 0 and <= 1))
            throw new ArgumentOutOfRangeException(name, value, $"{name} is between 0 and 1.");
    }
}
