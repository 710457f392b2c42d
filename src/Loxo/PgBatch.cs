using System.Data;
using System.Data.Common;
using Loxo.Commands;
using Loxo.Schema;
using Loxo.Session;

namespace Loxo;

/// <summary>
/// Several statements in one round trip. Outside a transaction they are one: the first error undoes and skips the rest, unless error
/// barriers divide them.
/// </summary>
/// <exception cref="InvalidOperationException">
/// Any member that runs it: it is not complete, not on an open connection, or disposed.
/// </exception>
/// <exception cref="PgException">Any member that runs it: another command runs, or the server or the network failed.</exception>
public sealed class PgBatch : DbBatch, IExecutable
{
    private StatementPlan[] _plans = [];
    private Execution _execution;
    private PgDataSource? _dataSource;
    private int? _timeout;
    private bool _isDisposed;

    /// <summary>An empty batch.</summary>
    public PgBatch()
    {
    }

    /// <summary>An empty batch on a connection.</summary>
    /// <param name="connection">Where it runs.</param>
    /// <param name="transaction">It runs in the connection's transaction whether it is named or not.</param>
    public PgBatch(PgConnection? connection, PgTransaction? transaction = null) => (Connection, Transaction) = (connection, transaction);

    internal PgBatch(PgDataSource dataSource)
    {
        _dataSource = dataSource;
        _timeout = (int)dataSource.DefaultCommandTimeout.TotalSeconds is > 0 and var seconds ? seconds : 0;
    }

    /// <summary>The statements; without any, the batch runs and has no result.</summary>
    public new PgBatchCommandCollection BatchCommands { get; } = new();

    /// <summary>Where the batch runs.</summary>
    public new PgConnection? Connection { get; set; }

    /// <summary>The transaction it belongs to. A batch runs in its connection's transaction whether it names it or not.</summary>
    public new PgTransaction? Transaction
    {
        get;
        set => field = value is { IsCompleted: true }
            ? throw new InvalidOperationException("The transaction has been committed or rolled back already; begin another.")
            : value;
    }

    /// <inheritdoc cref="PgCommand.CommandTimeout"/>
    public override int Timeout
    {
        get => _timeout ?? Connection?.CommandTimeout ?? 30;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            _timeout = value;
        }
    }

    /// <inheritdoc cref="PgCommand.TargetSession"/>
    public TargetSessionAttributes TargetSession
    {
        get => HostTargets.TargetOf(_dataSource ?? Connection?.Source);
        set => _dataSource = HostTargets.With(_dataSource, value);
    }

    /// <inheritdoc cref="PgCommand.Freshness"/>
    public PgFreshness Freshness
    {
        get => HostTargets.FreshnessOf(_dataSource);
        set => _dataSource = HostTargets.With(_dataSource, value);
    }

    /// <summary>Whether later statements run though an earlier one failed, each as its own transaction. The default is false.</summary>
    public bool EnableErrorBarriers { get; set; }

    /// <summary>As <see cref="PgCommand.FetchSize"/>, for the last statement. Those before it return all their rows at once.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public int FetchSize
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            field = value;
        }
    }

    /// <summary>
    /// Whether statements that the server refuses throw nothing: each one's <see cref="PgBatchCommand.Error"/> or
    /// <see cref="PgBatchCommand.HasSucceeded"/> is read when the batch has run, or its reader is closed. Every statement is then followed
    /// by an error barrier, unless its <see cref="PgBatchCommand.AppendErrorBarrier"/> is false. The default is false.
    /// </summary>
    /// <remarks>
    /// A lost connection, a time limit, a cancelled token and a value that cannot be sent are thrown as ever. Inside a transaction the
    /// statements behind a failed one fail, too.
    /// </remarks>
    public bool CollectErrors { get; set; }

    /// <inheritdoc/>
    protected override DbBatchCommandCollection DbBatchCommands => BatchCommands;

    /// <inheritdoc/>
    protected override DbConnection? DbConnection
    {
        get => Connection;
        set => Connection = value as PgConnection
            ?? (value is null ? null : throw new InvalidCastException("A PgBatch runs on a PgConnection."));
    }

    /// <inheritdoc/>
    protected override DbTransaction? DbTransaction
    {
        get => Transaction;
        set => Transaction = value as PgTransaction
            ?? (value is null ? null : throw new InvalidCastException("A PgBatch runs in a PgTransaction."));
    }

    PgDataSource? IExecutable.DataSource => _dataSource;

    int IExecutable.TimeoutMilliseconds =>
        Timeout is > 0 and var seconds ? (int)Math.Min(int.MaxValue, seconds * 1000L) : System.Threading.Timeout.Infinite;

    ref Execution IExecutable.Execution => ref _execution;

    bool IExecutable.HasOutputs => BatchCommands.HasOutputs();

    /// <summary>A statement, to be added to <see cref="BatchCommands"/>.</summary>
    public new PgBatchCommand CreateBatchCommand() => new();

    /// <summary>Runs the batch for its effects.</summary>
    /// <returns>Rows changed by all statements; -1 when none was of a kind that changes rows.</returns>
    /// <exception cref="PostgresException">A statement failed. The connection can be used.</exception>
    public override int ExecuteNonQuery() => CommandRunner.NonQuery(this);

    /// <inheritdoc cref="ExecuteNonQuery"/>
    public override Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken = default) =>
        CommandRunner.NonQueryAsync(this, cancellationToken);

    /// <summary>The first column of the first row of the first result: null when there is no row.</summary>
    public override object? ExecuteScalar() => WholeRunner.Scalar(this);

    /// <inheritdoc cref="ExecuteScalar"/>
    public override Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken = default) =>
        WholeRunner.ScalarAsync(this, cancellationToken);

    /// <summary>Runs the batch and returns the first result that has columns; NextResult goes to the others.</summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no such behavior.</exception>
    public new PgDataReader ExecuteReader(CommandBehavior behavior = CommandBehavior.Default) => KeyInfoRunner.Reader(this, behavior);

    /// <inheritdoc cref="ExecuteReader(CommandBehavior)"/>
    public new Task<PgDataReader> ExecuteReaderAsync(CancellationToken cancellationToken = default) =>
        CommandRunner.ReaderAsync<PgDataReader>(this, CommandBehavior.Default, cancellationToken);

    /// <inheritdoc cref="ExecuteReader(CommandBehavior)"/>
    public new Task<PgDataReader> ExecuteReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken = default) =>
        KeyInfoRunner.ReaderAsync<PgDataReader>(this, behavior, cancellationToken);

    /// <summary>Asks the server to stop the batch, if it runs. Returns at once; the batch itself then throws.</summary>
    public override void Cancel() => _execution.Cancel();

    /// <summary>Prepares every statement, in one round trip of its own.</summary>
    /// <exception cref="InvalidOperationException">A parameter has neither a value nor a type.</exception>
    /// <exception cref="NotSupportedException">The batch is one of a data source, which rents another connection each time.</exception>
    public override void Prepare() => Preparer.Prepare(this);

    /// <inheritdoc cref="Prepare"/>
    public override Task PrepareAsync(CancellationToken cancellationToken = default) => Preparer.PrepareAsync(this, cancellationToken);

    /// <summary>The batch cannot run any more. A reader of it goes on.</summary>
    public override void Dispose()
    {
        _isDisposed = true;
        for (var i = 0; i < BatchCommands.Count; i++)
            BatchCommands[i].Release();
        base.Dispose();
    }

    void IExecutable.CheckDisposed() => ObjectDisposedException.ThrowIf(_isDisposed, this);

    ReadOnlySpan<StatementPlan> IExecutable.Plan(ServerSession session)
    {
        var count = BatchCommands.Count;
        // Another thread may make plans at the same time; its array may not be whole.
        var plans = _plans.Length == count ? _plans : new StatementPlan[count];
        var texts = Connection?.SqlTexts ?? _dataSource!.SqlTexts;
        for (var i = 0; i < count; i++)
        {
            plans[i] = BatchCommands[i].UpdatePlan(texts, session.Parameters.StandardConformingStrings);
            BatchCommands[i].Take(null); // of the run before
        }
        return _plans = plans;
    }

    void IStatementSource.Write(CommandExchange exchange)
    {
        ((IExecutable)this).CheckDisposed();
        var query = exchange.Query;
        var plans = ((IExecutable)this).Plan(exchange.Session);
        for (var i = 0; i < plans.Length; i++)
        {
            query.Portal.Rows = i == plans.Length - 1 && exchange.MayFetchInPortions && !WouldLosePortal(query) ? FetchSize : 0;
            if (exchange.DescribesOnly)
                StatementWriter.Describe(query, this, i, plans[i]);
            else
                StatementWriter.Write(query, this, i, plans[i], []);
            if (i < plans.Length - 1 && ((IExecutable)this).HasBarrierAt(i))
                query.AddSync();
        }

        // A pooler would hand the server process on behind the group in front of the portal.
        bool WouldLosePortal(QueryExchange query) => query.Groups > 0 && exchange.Session.IsPooledElsewhere;
    }

    bool IExecutable.PreparesAt(int statement) => BatchCommands[statement].AutoPrepare;

    PgParameterCollection IExecutable.ParametersAt(int statement) => BatchCommands[statement].ParametersOrNone;

    void IExecutable.Hold(int statement, CachedStatement? prepared) => BatchCommands[statement].Hold(prepared);

    bool IExecutable.HasBarrierAt(int statement) => BatchCommands[statement].AppendErrorBarrier ?? (EnableErrorBarriers || CollectErrors);

    void IExecutable.FillOutputs(PgDataReader reader)
    {
        var query = reader.Exchange.Query;
        for (var i = 0; i < query.Runs.Length; i++)
        {
            if (ReferenceEquals(query.Runs[i], query.Result))
                OutputParameters.Fill(BatchCommands[i].Parameters, reader);
        }
    }

    Exception? IExecutable.Ended(QueryExchange query, Exception? error)
    {
        var runs = query.Runs;
        for (var i = 0; i < BatchCommands.Count; i++)
            BatchCommands[i].Take(i < runs.Length && runs[i].IsComplete ? runs[i] : null);
        if (error is null)
            StatementPlan.RememberColumns(_plans, query);
        if (error is not PgException problem || query.Error is null)
            return error;
        if (IncludesFailedBatchedCommand)
            BatchErrors.Name(BatchCommands, query, problem);
        return CollectErrors && BatchErrors.TryCollect(BatchCommands, query, problem) ? null : error;
    }

    IReadOnlyList<PgBatchCommand> IExecutable.Results(QueryExchange? running)
    {
        for (var i = 0; i < (running?.Runs.Length ?? 0); i++)
            BatchCommands[i].Take(running!.Runs[i] is { IsComplete: true } run ? run : null);
        return [.. (IEnumerable<PgBatchCommand>)BatchCommands];
    }

    private bool IncludesFailedBatchedCommand =>
        Connection?.IncludesFailedBatchedCommand ?? _dataSource!.Settings.Session.IncludeFailedBatchedCommand;

    /// <inheritdoc/>
    protected override DbBatchCommand CreateDbBatchCommand() => CreateBatchCommand();

    /// <inheritdoc/>
    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior) => KeyInfoRunner.Reader(this, behavior);

    /// <inheritdoc/>
    protected override Task<DbDataReader> ExecuteDbDataReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken) =>
        KeyInfoRunner.ReaderAsync<DbDataReader>(this, behavior, cancellationToken);
}
