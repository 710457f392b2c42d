namespace Loxo;

/// <summary>How a <see cref="PgChangeStream"/> makes its slot and reads it.</summary>
public sealed class PgChangeStreamOptions
{
    /// <summary>Whether the slot is made if there is none; true by default. Otherwise that is an error.</summary>
    public bool CreatesSlot { get; set; } = true;

    /// <summary>
    /// Reads the tables as they were just before the first change of the stream, when the slot is made; null, the default, for nothing. The
    /// connection is in a transaction that sees exactly that state, and is closed afterwards. If the work fails or the program ends before
    /// it returns, there is no slot, and the next reader begins again. It takes a second slot for its time.
    /// </summary>
    public Func<PgConnection, CancellationToken, Task>? InitialRead { get; set; }

    /// <summary>
    /// Whether a slot that is made is kept in step on standbys, so that the stream survives a failover; PostgreSQL 17 or later.
    /// </summary>
    public bool Failover { get; set; }

    /// <summary>Whether messages of <c>pg_logical_emit_message</c> come with the changes; false by default.</summary>
    public bool IncludesMessages { get; set; }

    /// <summary>
    /// How often the server is told what was acknowledged, whether the program reads or not. The default is 10 seconds;
    /// <see cref="Timeout.InfiniteTimeSpan"/> or 0 for only when the server asks.
    /// </summary>
    public TimeSpan StatusInterval { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long the server may send nothing while the program waits before the connection counts as lost. The default is 60 seconds;
    /// <see cref="Timeout.InfiniteTimeSpan"/> or 0 for no limit.
    /// </summary>
    public TimeSpan ServerTimeout { get; set; } = TimeSpan.FromSeconds(60);
}
