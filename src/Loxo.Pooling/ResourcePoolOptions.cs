namespace Loxo.Pooling;

/// <summary>How a <see cref="ResourcePool{T}"/> behaves. The pool's constructor validates it.</summary>
public sealed record ResourcePoolOptions
{
    /// <summary>The pool's name in messages and statistics. Empty by default.</summary>
    public string Name { get; init; } = "";

    /// <summary>How many resources may exist at once, those being opened included. At least 1; the default is 100.</summary>
    public int MaximumSize { get; init; } = 100;

    /// <summary>
    /// How many resources the pool keeps open, from its start, without waiting for somebody to rent them. 0, the default, keeps none.
    /// </summary>
    public int MinimumSize { get; init; }

    /// <summary>
    /// How long a rent may take: waiting, opening and checking together. The default is 15 seconds;
    /// <see cref="Timeout.InfiniteTimeSpan"/> for no limit.
    /// </summary>
    public TimeSpan RentTimeout { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>
    /// How long a resource may be idle before it is closed, unless it is one of the last <see cref="MinimumSize"/>. The default is 300
    /// seconds; zero or <see cref="Timeout.InfiniteTimeSpan"/> for no limit.
    /// </summary>
    public TimeSpan IdleLifetime { get; init; } = TimeSpan.FromSeconds(300);

    /// <summary>
    /// How long a resource may exist. One that is in use when its time comes is closed when it is returned. The default is 3600 seconds;
    /// zero or <see cref="Timeout.InfiniteTimeSpan"/> for no limit.
    /// </summary>
    public TimeSpan Lifetime { get; init; } = TimeSpan.FromSeconds(3600);

    /// <summary>
    /// By how much the <see cref="Lifetime"/> of a resource may fall short, so that resources opened together are not closed together:
    /// a fraction between 0 and 1, 0.1 by default. How much it is for one resource is decided when it is opened.
    /// </summary>
    public double LifetimeJitter { get; init; } = 0.1;

    /// <summary>How often idle times, lifetimes, <see cref="MinimumSize"/> and abandoned resources are looked after. The default is 10 seconds.</summary>
    public TimeSpan MaintenanceInterval { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How often <see cref="ResourcePolicy{T}.NeedsAttention"/> is asked, as long as something was returned since. The default is 1 second.
    /// </summary>
    public TimeSpan AttentionInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How many resources may be opening at once. Renters beyond that wait, and get a returned resource if one comes first. 0, the default,
    /// means four for each processor, and at least 8.
    /// </summary>
    public int MaximumConcurrentOpens { get; init; }

    /// <summary>Which idle resource is handed out first. <see cref="ReuseOrder.Lifo"/> by default.</summary>
    public ReuseOrder Order { get; init; }

    /// <summary>
    /// For which fraction of all rents the stack trace is kept, to be shown in <see cref="PoolExhaustedException"/>: between 0, the default,
    /// and 1. Taking a stack trace costs many times as much as a rent.
    /// </summary>
    public double StackSampling { get; init; }

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
            throw new ArgumentOutOfRangeException(name, time, $"{name} is more than zero and at most {int.MaxValue} milliseconds, or Timeout.InfiniteTimeSpan.");
    }

    private static void RequireSpan(TimeSpan time, string name)
    {
        if (time < TimeSpan.Zero && time != Timeout.InfiniteTimeSpan)
            throw new ArgumentOutOfRangeException(name, time, $"{name} is not negative; zero or Timeout.InfiniteTimeSpan stand for no limit.");
    }

    private static void RequireFraction(double value, string name)
    {
        if (value is not (>= 0 and <= 1))
            throw new ArgumentOutOfRangeException(name, value, $"{name} is between 0 and 1.");
    }
}
