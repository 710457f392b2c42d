namespace Loxo;

/// <summary>What the lanes of a data source have done: see docs/multiplexing.md.</summary>
public sealed record PgLaneStatistics
{
    /// <summary>The lanes for queries that are open.</summary>
    public required int QueryLanes { get; init; }

    /// <summary>The lanes for other commands that are open.</summary>
    public required int MixedLanes { get; init; }

    /// <summary>The commands that are in a lane now.</summary>
    public required int CommandsInFlight { get; init; }

    /// <summary>Each lane whose session is not closed.</summary>
    public required IReadOnlyList<PgLane> Lanes { get; init; }

    /// <summary>The commands that have come to their end in a lane.</summary>
    public required long Commands { get; init; }

    /// <summary>How often a query has gone to another lane, because one in front of it took much longer than usual.</summary>
    public required long Moved { get; init; }

    /// <summary>How many of the commands shared their transaction with others.</summary>
    public required long GroupedCommands { get; init; }

    /// <summary>The transactions that they shared.</summary>
    public required long Groups { get; init; }

    /// <summary>How often the lanes have sent commands: <see cref="Commands"/> divided by it are the commands of each time.</summary>
    public required long Sends { get; init; }

    /// <summary>How often the lanes have received answers: <see cref="Commands"/> divided by it are the answers of each time.</summary>
    public required long Receives { get; init; }

    /// <summary>
    /// How often a command, or something else, had to take a session of its own, by the reason. Reasons that have not occurred are left
    /// out. A command on a connection that has a session already is not counted.
    /// </summary>
    public required IReadOnlyDictionary<PgOwnSessionReason, long> OwnSessions { get; init; }
}

/// <summary>A lane at one moment. Its counts begin with its session.</summary>
public sealed record PgLane
{
    /// <summary>
    /// The number among the open lanes of its kind, from 1. The number of a lane that takes no more commands is given to the next one.
    /// </summary>
    public required int Number { get; init; }

    /// <summary>Whether it is one for queries; else it is one for other commands.</summary>
    public required bool IsForQueries { get; init; }

    /// <summary>Whether it takes no more commands and is closed when those that it has have ended.</summary>
    public required bool IsRetiring { get; init; }

    /// <summary>The process ID of the server's backend.</summary>
    public required int ProcessId { get; init; }

    /// <summary>How long it has had its session.</summary>
    public required TimeSpan Age { get; init; }

    /// <summary>The commands that it has now.</summary>
    public required int CommandsInFlight { get; init; }

    /// <summary>How long the first of them has been running; zero if there is none.</summary>
    public required TimeSpan RunningFor { get; init; }

    /// <summary>The commands that have come to their end in it.</summary>
    public required long Commands { get; init; }

    /// <summary>How often it has sent commands.</summary>
    public required long Sends { get; init; }

    /// <summary>How often it has received answers.</summary>
    public required long Receives { get; init; }
}

/// <summary>Why a session was taken for one user instead of a lane.</summary>
public enum PgOwnSessionReason
{
    /// <summary>
    /// No lane was open, or all were busy. The first commands of a data source open the lanes, and none is open while the pool does not
    /// know that the database hides no changes of the session.
    /// </summary>
    NoLane,

    /// <summary>A statement may change its session, or it cannot be planned.</summary>
    NotPlain,

    /// <summary>Nothing is known of the columns, because the text has not run before.</summary>
    FirstRun,

    /// <summary>A statement was slow, or had a large result, within the last minute.</summary>
    Slow,

    /// <summary>
    /// Output parameters, SequentialAccess, SchemaOnly, FetchSize, columns as text, a stream as value, a type that has to be looked up, too
    /// many statements, or a statement that was prepared by <see cref="PgCommand.Prepare"/>.
    /// </summary>
    Unsuited,

    /// <summary>A transaction began: the session is its own until it ends.</summary>
    Transaction,

    /// <summary>A connection was opened within a <c>TransactionScope</c>, or EnlistTransaction was called.</summary>
    AmbientTransaction,

    /// <summary>A pipeline, or <c>ExecuteMany</c>.</summary>
    Pipeline,

    /// <summary><see cref="PgCommand.Prepare"/> of a command or batch: the session is the connection's until it is closed.</summary>
    Prepare,

    /// <summary>COPY, or <see cref="PgBulkCopy"/>.</summary>
    Copy,

    /// <summary>
    /// The connection has a handler of <see cref="PgConnection.Notice"/> or <see cref="PgConnection.Notification"/>, or waits for messages.
    /// </summary>
    Listener,

    /// <summary>Something else that needs a session, such as DeriveParameters, UnprepareAll or ReloadTypes.</summary>
    Other,
}
