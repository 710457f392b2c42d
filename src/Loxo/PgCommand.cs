using System.ComponentModel;
using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Loxo.Protocol;
using Loxo.Session;

namespace Loxo;

/// <summary>
/// SQL to run on a connection. The text may hold several statements; parameters are named (<c>@id</c>, <c>:id</c>) or positional (<c>$1</c>).
/// Running the same command again with other values costs less than making a new one.
/// </summary>
[DesignerCategory("")]
public class PgCommand : DbCommand, ICloneable, IReaderOwner, IStatements
{
    private readonly CommandPlan _plan = new();
    private string _text = "";
    private CommandType _type = CommandType.Text;
    private PgConnection? _connection;
    private PgTransaction? _transaction;
    private PgParameterCollection? _parameters;
    private PgDataReader? _reader;
    private ServerSession? _preparedOn;
    private long _runningNumber;
    private ServerSession? _runningOn;
    private int? _timeout;

    /// <summary>A command without text or connection.</summary>
    public PgCommand()
        : this(null, null, null)
    {
    }

    /// <summary>A command without a connection.</summary>
    /// <param name="cmdText">The SQL.</param>
    public PgCommand(string? cmdText)
        : this(cmdText, null, null)
    {
    }

    /// <summary>A command.</summary>
    /// <param name="cmdText">The SQL.</param>
    /// <param name="connection">Where it runs.</param>
    public PgCommand(string? cmdText, PgConnection? connection)
        : this(cmdText, connection, null)
    {
    }

    /// <summary>A command in a transaction.</summary>
    /// <param name="cmdText">The SQL.</param>
    /// <param name="connection">Where it runs.</param>
    /// <param name="transaction">Commands run in the connection's transaction whether they name it or not.</param>
    public PgCommand(string? cmdText, PgConnection? connection, PgTransaction? transaction)
    {
        GC.SuppressFinalize(this);
        CommandText = cmdText;
        _connection = connection;
        Transaction = transaction;
    }

    /// <summary>The SQL, or the name of a procedure or table: see <see cref="CommandType"/>.</summary>
    [AllowNull]
    public override string CommandText
    {
        get => _text;
        set
        {
            _text = value ?? "";
            Detach();
        }
    }

    /// <summary>
    /// Seconds that each wait for the server may last before the command is cancelled; 0 means no limit. As long as nothing is set it is the
    /// connection's <see cref="PgConnection.CommandTimeout"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public override int CommandTimeout
    {
        get => _timeout ?? _connection?.CommandTimeout ?? 30;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            _timeout = value;
        }
    }

    /// <summary>
    /// What <see cref="CommandText"/> is: SQL; the name of a procedure, run by CALL; or the name of a table, all of whose rows are read.
    /// </summary>
    public override CommandType CommandType
    {
        get => _type;
        set
        {
            if (value is not (CommandType.Text or CommandType.StoredProcedure or CommandType.TableDirect))
                throw new ArgumentOutOfRangeException(nameof(value), value, "Text, StoredProcedure and TableDirect are the types of commands.");
            _type = value;
            Detach();
        }
    }

    /// <inheritdoc/>
    public override bool DesignTimeVisible { get; set; }

    /// <inheritdoc/>
    public override UpdateRowSource UpdatedRowSource { get; set; } = UpdateRowSource.Both;

    /// <summary>Where the command runs.</summary>
    public new PgConnection? Connection
    {
        get => _connection;
        set
        {
            if (ReferenceEquals(_connection, value))
                return;
            _connection = value;
            Detach();
        }
    }

    /// <summary>The transaction it belongs to. A command runs in its connection's transaction whether it names it or not.</summary>
    /// <exception cref="InvalidOperationException">The transaction is over.</exception>
    public new PgTransaction? Transaction
    {
        get => _transaction;
        set
        {
            if (value is { IsCompleted: true })
                throw new InvalidOperationException("The transaction has been committed or rolled back already; begin another.");
            _transaction = value;
        }
    }

    /// <summary>The parameters.</summary>
    public new PgParameterCollection Parameters => _parameters ??= new PgParameterCollection();

    /// <summary>Whether every statement of the command is prepared on the connection's session.</summary>
    public bool IsPrepared => _preparedOn is { State: not SessionState.Broken } session && session == _connection?.Session && AllPrepared();

    /// <summary>Ask for all results as text, whatever their type: every value is read as a string.</summary>
    public bool AllResultTypesAreUnknown { get; set; }

    /// <summary>Columns of the first result to ask for as text, in order; null for none.</summary>
    public bool[]? UnknownResultTypeList { get; set; }

    /// <inheritdoc/>
    protected override DbConnection? DbConnection
    {
        get => Connection;
        set => Connection = value as PgConnection ?? (value is null ? null : throw new InvalidCastException("A PgCommand runs on a PgConnection."));
    }

    /// <inheritdoc/>
    protected override DbTransaction? DbTransaction
    {
        get => Transaction;
        set => Transaction = value as PgTransaction ?? (value is null ? null : throw new InvalidCastException("A PgCommand runs in a PgTransaction."));
    }

    /// <inheritdoc/>
    protected override DbParameterCollection DbParameterCollection => Parameters;

    int IReaderOwner.TimeoutMilliseconds => TimeoutMilliseconds;

    private protected int TimeoutMilliseconds => CommandTimeout is > 0 and var seconds ? (int)Math.Min(int.MaxValue, seconds * 1000L) : Timeout.Infinite;

    /// <inheritdoc/>
    public new PgParameter CreateParameter() => new();

    /// <summary>Runs the command for its effects.</summary>
    /// <returns>Rows inserted, updated, deleted, merged, copied or moved; -1 when no statement was of these kinds.</returns>
    /// <exception cref="PostgresException">The server refused it. The connection can be used.</exception>
    public override int ExecuteNonQuery()
    {
        if (HasOutputs())
        {
            using var reader = ExecuteReader();
            reader.Close();
            return reader.RecordsAffected;
        }
        var session = Claim();
        CommandRunner.Begin(session, this, CommandBehavior.Default);
        Started(session);
        return CommandRunner.RunToEnd(session, this);
    }

    /// <inheritdoc cref="ExecuteNonQuery"/>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public override async Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (HasOutputs())
        {
            var reader = await ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await reader.CloseAsync().ConfigureAwait(false);
            return reader.RecordsAffected;
        }
        var session = await ClaimAsync(cancellationToken).ConfigureAwait(false);
        await CommandRunner.BeginAsync(session, this, CommandBehavior.Default).ConfigureAwait(false);
        Started(session);
        return await CommandRunner.RunToEndAsync(session, this, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>The first column of the first row: null when there is no row, <see cref="DBNull.Value"/> for NULL.</summary>
    public override object? ExecuteScalar()
    {
        using var reader = ExecuteReader(CommandBehavior.SingleRow);
        return reader.Read() && reader.FieldCount > 0 ? reader.GetValue(0) : null;
    }

    /// <inheritdoc cref="ExecuteScalar"/>
    public override async Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken)
    {
        var reader = await ExecuteReaderAsync(CommandBehavior.SingleRow, cancellationToken).ConfigureAwait(false);
        await using (reader.ConfigureAwait(false))
            return await reader.ReadAsync(cancellationToken).ConfigureAwait(false) && reader.FieldCount > 0 ? reader.GetValue(0) : null;
    }

    /// <summary>Runs the command and returns its first result, as soon as its first row or end has arrived.</summary>
    public new PgDataReader ExecuteReader() => ExecuteReader(CommandBehavior.Default);

    /// <inheritdoc cref="ExecuteReader()"/>
    public new PgDataReader ExecuteReader(CommandBehavior behavior)
    {
        var session = Claim();
        CommandRunner.Begin(session, this, behavior);
        Started(session);
        return Enter(session, session.Pump(session.Query, TimeoutMilliseconds), behavior, CancellationToken.None);
    }

    /// <inheritdoc cref="ExecuteReader()"/>
    public new Task<PgDataReader> ExecuteReaderAsync(CancellationToken cancellationToken = default) =>
        ExecuteReaderAsync(CommandBehavior.Default, cancellationToken);

    /// <inheritdoc cref="ExecuteReader()"/>
    public new async Task<PgDataReader> ExecuteReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken = default) =>
        (PgDataReader)await ExecuteDbDataReaderAsync(behavior, cancellationToken).ConfigureAwait(false);

    /// <summary>Asks the server to stop the command, if it runs. Returns at once; the command itself then throws.</summary>
    public override void Cancel() => _runningOn?.Cancel(_runningNumber);

    /// <summary>Prepares every statement of the command, in one round trip of its own. It stays prepared until <see cref="Unprepare"/>.</summary>
    /// <exception cref="InvalidOperationException">A parameter has neither a value nor a type.</exception>
    public override void Prepare()
    {
        var session = Session();
        if (!BeginPrepare(session))
            return;
        CommandRunner.Begin(session, new Preparation(this), CommandBehavior.SchemaOnly);
        CommandRunner.RunToEnd(session, this);
        EndPrepare(session);
    }

    /// <inheritdoc cref="Prepare"/>
    public override async Task PrepareAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var session = Session();
        if (!BeginPrepare(session))
            return;
        await CommandRunner.BeginAsync(session, new Preparation(this), CommandBehavior.SchemaOnly).ConfigureAwait(false);
        await CommandRunner.RunToEndAsync(session, this, cancellationToken).ConfigureAwait(false);
        EndPrepare(session);
    }

    /// <summary>Lets the server forget the command's statements. Nothing happens when it is not prepared.</summary>
    public void Unprepare()
    {
        if (!IsPrepared)
            return;
        var session = Session();
        CommandRunner.Begin(session, new Unpreparation(this), CommandBehavior.Default);
        CommandRunner.RunToEnd(session, this);
    }

    /// <inheritdoc cref="Unprepare"/>
    public async Task UnprepareAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (!IsPrepared)
            return;
        var session = Session();
        await CommandRunner.BeginAsync(session, new Unpreparation(this), CommandBehavior.Default).ConfigureAwait(false);
        await CommandRunner.RunToEndAsync(session, this, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>A command of the same text, connection and parameters.</summary>
    public PgCommand Clone()
    {
        var clone = new PgCommand(_text, _connection, _transaction)
        {
            _timeout = _timeout,
            CommandType = _type,
            DesignTimeVisible = DesignTimeVisible,
            UpdatedRowSource = UpdatedRowSource,
            AllResultTypesAreUnknown = AllResultTypesAreUnknown,
            UnknownResultTypeList = UnknownResultTypeList,
        };
        foreach (var parameter in Parameters.ToArray())
            clone.Parameters.Add(parameter.Clone());
        return clone;
    }

    object ICloneable.Clone() => Clone();

    void IStatements.Write(ServerSession session, CommandBehavior behavior)
    {
        var onlyDescribe = (behavior & CommandBehavior.SchemaOnly) != 0;
        var first = true;
        foreach (var statement in UpdatePlan(session))
        {
            StatementWriter.Write(session, statement, onlyDescribe, WantedFormats(first));
            first = false;
        }
    }

    Exception? IReaderOwner.End(ServerSession session, CancellationToken token)
    {
        _runningOn = null;
        return CommandRunner.End(session, token);
    }

    void IReaderOwner.CloseConnection() => _connection?.Close();

    Task IReaderOwner.CloseConnectionAsync() => _connection?.CloseAsync() ?? Task.CompletedTask;

    /// <inheritdoc/>
    protected override DbParameter CreateDbParameter() => CreateParameter();

    /// <inheritdoc/>
    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior) => ExecuteReader(behavior);

    /// <inheritdoc/>
    protected override Task<DbDataReader> ExecuteDbDataReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled<DbDataReader>(cancellationToken);
        try
        {
            if (_connection is null or { IsLent: true })
                return LendAndExecuteAsync(behavior, cancellationToken);
            var session = Claim();
            var begun = CommandRunner.BeginAsync(session, this, behavior);
            if (!begun.IsCompletedSuccessfully)
                return WaitAndEnterAsync(begun, session, behavior, cancellationToken);
            Started(session);
            // The reader carries what the answer needs, so that the method that waits has little to remember.
            var reader = NewReader().Start(session, this, behavior, cancellationToken);
            return EnterAsync(reader, session.PumpAsync(session.Query, TimeoutMilliseconds, cancellationToken));
        }
        catch (Exception e)
        {
            return Task.FromException<DbDataReader>(e);
        }
    }
}
