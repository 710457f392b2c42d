using System.Data;
using System.Data.Common;
using Loxo.Protocol;
using Loxo.Session;

namespace Loxo;

/// <summary>
/// Several statements in one round trip. Outside a transaction they are one: the first error undoes and skips the rest, unless error
/// barriers divide them.
/// </summary>
public sealed class PgBatch : DbBatch, IReaderOwner, IStatements
{
    private PgConnection? _connection;
    private PgTransaction? _transaction;
    private PgDataReader? _reader;
    private ServerSession? _runningOn;
    private long _runningNumber;
    private int? _timeout;

    /// <summary>An empty batch.</summary>
    public PgBatch()
    {
    }

    /// <summary>An empty batch on a connection.</summary>
    /// <param name="connection">Where it runs.</param>
    /// <param name="transaction">It runs in the connection's transaction whether it is named or not.</param>
    public PgBatch(PgConnection? connection, PgTransaction? transaction = null)
    {
        _connection = connection;
        Transaction = transaction;
    }

    /// <summary>The statements.</summary>
    public new PgBatchCommandCollection BatchCommands { get; } = new();

    /// <summary>Where the batch runs.</summary>
    public new PgConnection? Connection
    {
        get => _connection;
        set => _connection = value;
    }

    /// <summary>The transaction it belongs to. A batch runs in its connection's transaction whether it names it or not.</summary>
    public new PgTransaction? Transaction
    {
        get => _transaction;
        set => _transaction = value is { IsCompleted: true }
            ? throw new InvalidOperationException("The transaction has been committed or rolled back already; begin another.")
            : value;
    }

    /// <summary>
    /// Seconds that each wait for the server may last before the batch is cancelled; 0 means no limit. As long as nothing is set it is the
    /// connection's <see cref="PgConnection.CommandTimeout"/>.
    /// </summary>
    public override int Timeout
    {
        get => _timeout ?? _connection?.CommandTimeout ?? 30;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            _timeout = value;
        }
    }

    /// <summary>
    /// Whether each statement stands for itself: later ones run although an earlier one failed, and each is its own transaction. The default
    /// is false.
    /// </summary>
    public bool EnableErrorBarriers { get; set; }

    /// <inheritdoc/>
    protected override DbBatchCommandCollection DbBatchCommands => BatchCommands;

    /// <inheritdoc/>
    protected override DbConnection? DbConnection
    {
        get => Connection;
        set => Connection = value as PgConnection ?? (value is null ? null : throw new InvalidCastException("A PgBatch runs on a PgConnection."));
    }

    /// <inheritdoc/>
    protected override DbTransaction? DbTransaction
    {
        get => Transaction;
        set => Transaction = value as PgTransaction ?? (value is null ? null : throw new InvalidCastException("A PgBatch runs in a PgTransaction."));
    }

    int IReaderOwner.TimeoutMilliseconds => TimeoutMilliseconds;

    private int TimeoutMilliseconds => Timeout is > 0 and var seconds ? (int)Math.Min(int.MaxValue, seconds * 1000L) : System.Threading.Timeout.Infinite;

    /// <summary>Runs the batch for its effects.</summary>
    /// <returns>Rows changed by all statements; -1 when none was of a kind that changes rows.</returns>
    public override int ExecuteNonQuery()
    {
        var session = Session();
        CommandRunner.Begin(session, this, CommandBehavior.Default);
        Started(session);
        return CommandRunner.RunToEnd(session, this);
    }

    /// <inheritdoc cref="ExecuteNonQuery"/>
    public override async Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var session = Session();
        await CommandRunner.BeginAsync(session, this, CommandBehavior.Default).ConfigureAwait(false);
        Started(session);
        return await CommandRunner.RunToEndAsync(session, this, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>The first column of the first row of the first result: null when there is no row.</summary>
    public override object? ExecuteScalar()
    {
        using var reader = ExecuteReader();
        return reader.Read() && reader.FieldCount > 0 ? reader.GetValue(0) : null;
    }

    /// <inheritdoc cref="ExecuteScalar"/>
    public override async Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken = default)
    {
        var reader = await ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
        await using (reader.ConfigureAwait(false))
            return await reader.ReadAsync(cancellationToken).ConfigureAwait(false) && reader.FieldCount > 0 ? reader.GetValue(0) : null;
    }

    /// <summary>Runs the batch and returns the first result that has columns; NextResult goes to the others.</summary>
    public new PgDataReader ExecuteReader(CommandBehavior behavior = CommandBehavior.Default)
    {
        var session = Session();
        CommandRunner.Begin(session, this, behavior);
        return NewReader(session, behavior, CancellationToken.None).EnterFirst(session.Pump(session.Query, TimeoutMilliseconds));
    }

    /// <inheritdoc cref="ExecuteReader(CommandBehavior)"/>
    public new Task<PgDataReader> ExecuteReaderAsync(CancellationToken cancellationToken = default) =>
        ExecuteReaderAsync(CommandBehavior.Default, cancellationToken);

    /// <inheritdoc cref="ExecuteReader(CommandBehavior)"/>
    public new async Task<PgDataReader> ExecuteReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var session = Session();
        await CommandRunner.BeginAsync(session, this, behavior).ConfigureAwait(false);
        var reader = NewReader(session, behavior, cancellationToken);
        return reader.EnterFirst(await session.PumpAsync(session.Query, TimeoutMilliseconds, cancellationToken).ConfigureAwait(false));
    }

    /// <summary>Asks the server to stop the batch, if it runs. Returns at once; the batch itself then throws.</summary>
    public override void Cancel() => _runningOn?.Cancel(_runningNumber);

    /// <summary>Prepares every statement, in one round trip of its own.</summary>
    public override void Prepare()
    {
        var session = Session();
        try
        {
            CommandRunner.Begin(session, new Preparation(this), CommandBehavior.SchemaOnly);
            CommandRunner.RunToEnd(session, this);
            KeepPrepared(session);
        }
        catch
        {
            Detach();
            throw;
        }
    }

    /// <inheritdoc cref="Prepare"/>
    public override async Task PrepareAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var session = Session();
        try
        {
            await CommandRunner.BeginAsync(session, new Preparation(this), CommandBehavior.SchemaOnly).ConfigureAwait(false);
            await CommandRunner.RunToEndAsync(session, this, cancellationToken).ConfigureAwait(false);
            KeepPrepared(session);
        }
        catch
        {
            Detach();
            throw;
        }
    }

    void IStatements.Write(ServerSession session, CommandBehavior behavior)
    {
        var onlyDescribe = (behavior & CommandBehavior.SchemaOnly) != 0;
        for (var i = 0; i < BatchCommands.Count; i++)
        {
            var command = BatchCommands[i];
            command.Take(null);
            StatementWriter.Write(session, command.UpdatePlan(_connection!.SqlTexts, session.StandardConformingStrings), onlyDescribe, []);
            if (i < BatchCommands.Count - 1 && (command.AppendErrorBarrier ?? EnableErrorBarriers))
                session.Query.AddSync();
        }
    }

    Exception? IReaderOwner.End(ServerSession session, CancellationToken token)
    {
        _runningOn = null;
        var runs = session.Query.Runs;
        for (var i = 0; i < BatchCommands.Count; i++)
            BatchCommands[i].Take(i < runs.Length && runs[i].IsComplete ? runs[i] : null);
        var failed = session.Query.FailedStatement;
        var error = CommandRunner.End(session, token);
        if (error is PgException problem && session.Context.Settings.IncludeFailedBatchedCommand && failed >= 0 && failed < BatchCommands.Count)
            problem.Failed(BatchCommands[failed]);
        return error;
    }

    void IReaderOwner.Entered(PgDataReader reader)
    {
        // A batch's commands have no output parameters.
    }

    void IReaderOwner.CloseConnection() => _connection?.Close();

    Task IReaderOwner.CloseConnectionAsync() => _connection?.CloseAsync() ?? Task.CompletedTask;

    /// <inheritdoc/>
    protected override DbBatchCommand CreateDbBatchCommand() => new PgBatchCommand();

    /// <inheritdoc/>
    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior) => ExecuteReader(behavior);

    /// <inheritdoc/>
    protected override async Task<DbDataReader> ExecuteDbDataReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken) =>
        await ExecuteReaderAsync(behavior, cancellationToken).ConfigureAwait(false);

    private ServerSession Session()
    {
        var session = (_connection ?? throw new InvalidOperationException("The batch has no connection: set Connection.")).OpenSession();
        return BatchCommands.Count > 0 ? session : throw new InvalidOperationException("The batch is empty: add to BatchCommands.");
    }

    private void Started(ServerSession session)
    {
        _runningNumber = session.CommandNumber;
        _runningOn = session;
    }

    private PgDataReader NewReader(ServerSession session, CommandBehavior behavior, CancellationToken token)
    {
        Started(session);
        if (_reader is not { IsClosed: true })
            _reader = new PgDataReader();
        _connection!.Reader = _reader;
        return _reader.Start(session, this, behavior, token);
    }

    private void Detach()
    {
        for (var i = 0; i < BatchCommands.Count; i++)
            BatchCommands[i].Plan.Detach();
    }

    private void KeepPrepared(ServerSession session)
    {
        for (var i = 0; i < BatchCommands.Count; i++)
            session.Statements.Add(BatchCommands[i].Plan.Statements[0].Prepared!);
    }

    // The same text twice is prepared once.
    private sealed class Preparation(PgBatch batch) : IStatements
    {
        public void Write(ServerSession session, CommandBehavior behavior)
        {
            for (var i = 0; i < batch.BatchCommands.Count; i++)
            {
                var statement = batch.BatchCommands[i].UpdatePlan(batch._connection!.SqlTexts, session.StandardConformingStrings);
                statement.BindTypes();
                statement.Prepared = session.Statements.Find(statement.Sql, statement.Types) ?? Earlier(statement, i);
                if (statement.Prepared is not null)
                    continue;
                statement.Prepared = session.Statements.Create(statement.Sql, statement.Types);
                session.Query.AddPreparation(statement.Prepared);
            }
        }

        private PreparedStatement? Earlier(StatementPlan statement, int before)
        {
            for (var i = 0; i < before; i++)
            {
                var other = batch.BatchCommands[i].Plan.Statements[0];
                if (other.Sql == statement.Sql && other.Types.SequenceEqual(statement.Types))
                    return other.Prepared;
            }
            return null;
        }
    }
}
