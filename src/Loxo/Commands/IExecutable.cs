using Loxo.Session;

namespace Loxo.Commands;

/// <summary>A command or a batch: something whose statements run on a connection.</summary>
internal interface IExecutable : IStatementSource
{
    /// <summary>Where it runs.</summary>
    PgConnection? Connection { get; set; }

    /// <summary>Set for the commands of a data source, which run on a connection of their own each time.</summary>
    PgDataSource? DataSource { get; }

    /// <summary>How long each wait may last; <see cref="Timeout.Infinite"/> for no limit.</summary>
    int TimeoutMilliseconds { get; }

    /// <summary>The run in progress.</summary>
    ref Execution Execution { get; }

    /// <summary>How many rows of its last statement are fetched at a time; 0 for all at once.</summary>
    int FetchSize { get; }

    /// <summary>Whether there are output parameters, which take the first row of their statement's result.</summary>
    bool HasOutputs { get; }

    /// <summary>What was disposed does not run.</summary>
    /// <exception cref="ObjectDisposedException">It was disposed.</exception>
    void CheckDisposed();

    /// <summary>Its statements, up to date with text and parameters.</summary>
    /// <exception cref="InvalidOperationException">There is nothing to run.</exception>
    ReadOnlySpan<StatementPlan> Plan(ServerSession session);

    /// <summary>The parameters that the values of that statement come from.</summary>
    PgParameterCollection ParametersAt(int statement);

    /// <summary>Holds what was prepared for that statement until its text or parameters change; null gives it up.</summary>
    void Hold(int statement, CachedStatement? prepared);

    /// <summary>Whether that statement may be prepared without being asked for.</summary>
    bool PreparesAt(int statement);

    /// <summary>Whether a Sync follows that statement, which is not the last one.</summary>
    bool HasBarrierAt(int statement);

    /// <summary>Gives the output parameters of the current result's statement the values of the row that the reader peeked at.</summary>
    void FillOutputs(PgDataReader reader);

    /// <summary>What became of each statement, in order.</summary>
    /// <param name="running">The run in progress; null for the last one.</param>
    IReadOnlyList<PgBatchCommand> Results(QueryExchange? running);

    /// <summary>The server is ready again, and the query still tells what became of each statement.</summary>
    /// <returns>The error to throw: <paramref name="error"/>, or null if there is none or each command has got its own.</returns>
    Exception? Ended(QueryExchange query, Exception? error);
}

/// <summary>The run of a command or batch that is in progress.</summary>
internal struct Execution
{
    /// <summary>The reader of ExecuteScalar, used again and again: no user ever gets a reference to it.</summary>
    public PgDataReader? ReaderOfScalars;

    // A ServerSession or a LaneOperation; null while nothing runs.
    private object? _runsIn;
    // The number of the command or call there, for cancelling this one and no other.
    private long _number;

    /// <summary>The command runs alone on a session.</summary>
    public void Start(ServerSession session) => (_number, _runsIn) = (session.CommandNumber, session);

    /// <summary>The command runs in a lane.</summary>
    public void Start(LaneOperation operation) => (_number, _runsIn) = (operation.Call, operation);

    /// <summary>The command has ended.</summary>
    public void End() => _runsIn = null;

    /// <summary>Asks the server to stop the run, if one is in progress; in a lane, the run is given up.</summary>
    public readonly void Cancel()
    {
        if (_runsIn is ServerSession session)
            session.Cancellation.Cancel(_number);
        else
            (_runsIn as LaneOperation)?.Cancel(_number);
    }
}
