using Loxo.Pooling;

namespace Loxo;

/// <summary>
/// A pool at one moment, with each of its physical connections. They are read one after the other while the pool is in use.
/// </summary>
/// <param name="Statistics">The pool's state, and counts.</param>
/// <param name="Connections">The physical connections.</param>
public sealed record PgPoolSnapshot(PoolStatistics Statistics, IReadOnlyList<PgPooledConnection> Connections);

/// <summary>A physical connection of a pool at one moment.</summary>
public sealed record PgPooledConnection
{
    /// <summary>The server process; 0 if the server did not say.</summary>
    public required int ProcessId { get; init; }

    /// <summary>What it is doing.</summary>
    public required PgPooledConnectionState State { get; init; }

    /// <summary>How long ago it was opened.</summary>
    public required TimeSpan Age { get; init; }

    /// <summary>How long it has been idle in the pool; zero unless it is.</summary>
    public required TimeSpan IdleFor { get; init; }

    /// <summary>How long it has been rented; zero if it is not.</summary>
    public required TimeSpan RentedFor { get; init; }

    /// <summary>
    /// The first statement of the command that it ran last or is running, with <c>?</c> for each literal, at most 2,000 characters; null
    /// if there was none. Commands of lanes and pipelines, and copies, are not seen.
    /// </summary>
    public required string? LastStatement { get; init; }

    /// <summary>The stack of the call that rented it; null unless <c>UseLeakThreshold</c> of the builder chose it.</summary>
    public required string? RentedBy { get; init; }
}

/// <summary>What a physical connection of a pool is doing.</summary>
public enum PgPooledConnectionState
{
    /// <summary>It waits in the pool.</summary>
    Idle,

    /// <summary>A connection has it, and no command is running.</summary>
    Rented,

    /// <summary>A command is running, or its reader is open.</summary>
    Executing,

    /// <summary>Lanes use it for the commands of many callers.</summary>
    Lane,

    /// <summary>The pool is checking, resetting or closing it.</summary>
    Held,

    /// <summary>It was lost. It is closed when its connection is.</summary>
    Broken,
}
