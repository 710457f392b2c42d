namespace Loxo;

/// <summary>How the pool of a data source is filled before a program serves, and emptied when it stops.</summary>
public sealed class PgWarmUpOptions
{
    // The longest time that a timer takes.
    private static readonly TimeSpan _longest = TimeSpan.FromMilliseconds(int.MaxValue);

    private int? _connections;
    private TimeSpan _timeout = TimeSpan.FromSeconds(30);
    private TimeSpan _drainTimeout = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How many connections are open when the start goes on, at most 'Maximum Pool Size'. Null, the default, for 'Minimum Pool Size';
    /// 0 for none.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The number is negative.</exception>
    public int? Connections
    {
        get => _connections;
        set => _connections = value is null or >= 0 ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "Expected a number of connections from 0 up.");
    }

    /// <summary>
    /// How long the start waits for these connections; 30 seconds by default,
    /// <see cref="System.Threading.Timeout.InfiniteTimeSpan"/> for no limit.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The time is not positive, or longer than 24 days.</exception>
    public TimeSpan Timeout
    {
        get => _timeout;
        set => _timeout = IsInfinite(value) || (value > TimeSpan.Zero && value <= _longest) ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "Expected a time above zero and at most 24 days, or infinite.");
    }

    /// <summary>
    /// Whether the start fails if the connections could not be opened in time; true by default. Otherwise a warning is logged, and the
    /// start goes on.
    /// </summary>
    public bool Required { get; set; } = true;

    /// <summary>
    /// How long the stop waits for rented connections to come back; 10 seconds by default. Zero: the pool is not drained, and is closed
    /// when the data source is disposed. <see cref="System.Threading.Timeout.InfiniteTimeSpan"/>: as long as the host lets its services
    /// stop.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative, or longer than 24 days.</exception>
    public TimeSpan DrainTimeout
    {
        get => _drainTimeout;
        set => _drainTimeout = IsInfinite(value) || (value >= TimeSpan.Zero && value <= _longest) ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "Expected a time from zero to 24 days, or infinite.");
    }

    private static bool IsInfinite(TimeSpan value) => value == System.Threading.Timeout.InfiniteTimeSpan;
}
