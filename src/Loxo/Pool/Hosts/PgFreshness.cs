namespace Loxo;

/// <summary>
/// How much of the primary's write-ahead log a standby must have replayed to serve a read. A primary has all of it. The default value
/// asks for nothing. See docs/hosts.md.
/// </summary>
public readonly record struct PgFreshness
{
    private PgFreshness(PgLogSequenceNumber? position, TimeSpan? staleness) => (Position, Staleness) = (position, staleness);

    /// <summary>What has to be replayed; null if that does not matter.</summary>
    public PgLogSequenceNumber? Position { get; }

    /// <summary>How old the state that is read may be; null if that does not matter.</summary>
    public TimeSpan? Staleness { get; }

    /// <summary>Everything that was committed before the primary was asked for the position is read.</summary>
    /// <param name="position">See <see cref="PgMultiHostDataSource.GetWritePosition"/>.</param>
    public static PgFreshness After(PgLogSequenceNumber position) => new(position, null);

    /// <summary>
    /// Everything that was committed longer ago than this is read. The primary has to say how far its log had come at a moment within
    /// that time: it is asked if it has not said so.
    /// </summary>
    /// <param name="staleness">Zero asks the primary each time.</param>
    /// <exception cref="ArgumentOutOfRangeException">It is negative, or longer than 24 days.</exception>
    public static PgFreshness Within(TimeSpan staleness)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(staleness, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(staleness, TimeSpan.FromDays(24));
        return new(null, staleness);
    }

    /// <summary>Whether it asks for nothing.</summary>
    internal bool IsAny => Position is null && Staleness is null;

    /// <summary>The position, or the staleness.</summary>
    public override string ToString() =>
        Position is { } position ? $"after {position}" : Staleness is { } staleness ? $"within {staleness}" : "any";
}
