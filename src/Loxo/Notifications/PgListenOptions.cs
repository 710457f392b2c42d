namespace Loxo;

/// <summary>
/// How a reader of <see cref="PgDataSource.ListenAsync(IEnumerable{string}, PgListenOptions?, CancellationToken)"/> gets its items.
/// </summary>
public sealed class PgListenOptions
{
    /// <summary>How many notifications wait for the reader at most. The default is 4,096.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not positive.</exception>
    public int Capacity
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value);
            field = value;
        }
    } = 4096;

    /// <summary>What happens to a notification for which the queue has no room. The default is to drop the oldest one.</summary>
    public PgListenOverflow Overflow { get; set; }

    /// <summary>
    /// How often the connection is checked by a query; <see cref="Timeout.InfiniteTimeSpan"/> for never. The default is 30 seconds. The
    /// shortest time of all readers of the data source counts. An answer is waited for as long, but at least 1 and at most 15 seconds.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The time is not positive, or longer than 24 days.</exception>
    public TimeSpan ProbeInterval
    {
        get;
        set
        {
            if (value != Timeout.InfiniteTimeSpan && (value <= TimeSpan.Zero || value.TotalMilliseconds > int.MaxValue))
                throw new ArgumentOutOfRangeException(
                    nameof(value), value, "The interval must be positive and at most 24 days, or infinite.");
            field = value;
        }
    } = TimeSpan.FromSeconds(30);
}

/// <summary>
/// What happens to a notification for which the reader's queue has no room. To wait is impossible: the server keeps notifications for the
/// slowest listener, and would run out of room for all.
/// </summary>
public enum PgListenOverflow
{
    /// <summary>The oldest notification is dropped; a gap marker stands in its place.</summary>
    DropOldest,

    /// <summary>The new notification is dropped; a gap marker follows those that are in the queue.</summary>
    DropNewest,

    /// <summary>
    /// The notifications in the queue are read, then the reader gets a <see cref="PgException"/> with
    /// <see cref="PgErrorCode.NotificationsLost"/>.
    /// </summary>
    Fail,
}
