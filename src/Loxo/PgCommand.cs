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
    private readonly PgDataSource? _dataSource;

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

    internal PgCommand(string? commandText, PgDataSource dataSource)
        : this(commandText)
    {
        _dataSource = dataSource;
        _timeout = (int)dataSource.DefaultCommandTimeout.TotalSeconds is > 0 and var seconds ? seconds : 0;
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

    private bool IsLent => _connection is { State: ConnectionState.Open };

    int IReaderOwner.TimeoutMilliseconds => TimeoutMilliseconds;

    private int TimeoutMilliseconds => CommandTimeout is > 0 and var seconds ? (int)Math.Min(int.MaxValue, seconds * 1000L) : Timeout.Infinite;

    /// <inheritdoc/>
    public new PgParameter CreateParameter() => new();

    /// <summary>Runs the command for its effects.</summary>
    /// <returns>Rows inserted, updated, deleted, merged, copied or moved; -1 when no statement was of these kinds.</returns>
    /// <exception cref="PostgresException">The server refused it. The connection can be used.</exception>
    public override int ExecuteNonQuery()
    {
        using var lent = Lend();
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
        if (await LendAsync(cancellationToken).ConfigureAwait(false) is { } lent)
        {
            await using (lent.ConfigureAwait(false))
                return await ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
        }
        if (HasOutputs())
        {
            var reader = await ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await reader.CloseAsync().ConfigureAwait(false);
            return reader.RecordsAffected;
        }
        var session = Claim();
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
        if (_dataSource is not null && !IsLent)
            return ExecuteOnLent(behavior);
        var session = Claim();
        CommandRunner.Begin(session, this, behavior);
        Started(session);
        var reader = NewReader().Start(session, this, behavior, CancellationToken.None);
        return reader.EnterFirst(session.Pump(session.Query, TimeoutMilliseconds));
    }

    /// <inheritdoc cref="ExecuteReader()"/>
    public new Task<PgDataReader> ExecuteReaderAsync(CancellationToken cancellationToken = default) =>
        ExecuteReaderAsync(CommandBehavior.Default, cancellationToken);

    /// <inheritdoc cref="ExecuteReader()"/>
    public new Task<PgDataReader> ExecuteReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken = default) =>
        ExecuteReaderAsync<PgDataReader>(behavior, cancellationToken);

    /// <summary>Asks the server to stop the command, if it runs. Returns at once; the command itself then throws.</summary>
    public override void Cancel() => _runningOn?.Cancel(_runningNumber);

    /// <summary>Prepares every statement of the command, in one round trip of its own. It stays prepared until <see cref="Unprepare"/>.</summary>
    /// <exception cref="InvalidOperationException">A parameter has neither a value nor a type.</exception>
    public override void Prepare()
    {
        var session = Session();
        if (!BeginPrepare(session))
            return;
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
        if (!BeginPrepare(session))
            return;
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

    // Output parameters take the first row of the first result, by name, then those without a namesake in order.
    void IReaderOwner.Entered(PgDataReader reader)
    {
        if (HasOutputs() && reader.TryPeek())
            OutputParameters.Fill(Parameters, reader);
    }

    void IReaderOwner.CloseConnection() => _connection?.Close();

    Task IReaderOwner.CloseConnectionAsync() => _connection?.CloseAsync() ?? Task.CompletedTask;

    /// <inheritdoc/>
    protected override DbParameter CreateDbParameter() => CreateParameter();

    /// <inheritdoc/>
    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior) => ExecuteReader(behavior);

    /// <inheritdoc/>
    protected override Task<DbDataReader> ExecuteDbDataReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken) =>
        ExecuteReaderAsync<DbDataReader>(behavior, cancellationToken);

    // Generic over the reader's type as the caller names it, so that one task is made and not a second one around it.
    private Task<T> ExecuteReaderAsync<T>(CommandBehavior behavior, CancellationToken token)
        where T : DbDataReader
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<T>(token);
        try
        {
            if (_dataSource is not null && !IsLent)
                return ExecuteOnLentAsync<T>(behavior, token);
            var session = Claim();
            var begun = CommandRunner.BeginAsync(session, this, behavior);
            return begun.IsCompletedSuccessfully ? EnterAsync<T>(session, behavior, token) : ExecuteAfterAsync<T>(begun, session, behavior, token);
        }
        catch (Exception e)
        {
            return Task.FromException<T>(e);
        }
    }

    // The reader carries what the answer needs, so that the method that waits has little to remember.
    private Task<T> EnterAsync<T>(ServerSession session, CommandBehavior behavior, CancellationToken token)
        where T : DbDataReader
    {
        Started(session);
        return EnterFirstAsync<T>(NewReader().Start(session, this, behavior, token));
    }

    // Its one argument is all that it remembers while it waits: the task that the caller gets is 128 bytes.
    private static async Task<T> EnterFirstAsync<T>(PgDataReader reader)
        where T : DbDataReader =>
        (T)(DbDataReader)reader.EnterFirst(await reader.PumpFirstAsync().ConfigureAwait(false));

    private async Task<T> ExecuteAfterAsync<T>(ValueTask begun, ServerSession session, CommandBehavior behavior, CancellationToken token)
        where T : DbDataReader
    {
        await begun.ConfigureAwait(false);
        return await EnterAsync<T>(session, behavior, token).ConfigureAwait(false);
    }

    private async Task<T> ExecuteOnLentAsync<T>(CommandBehavior behavior, CancellationToken token)
        where T : DbDataReader
    {
        var lent = await LendAsync(token).ConfigureAwait(false);
        try
        {
            return await ExecuteReaderAsync<T>(behavior | CommandBehavior.CloseConnection, token).ConfigureAwait(false);
        }
        catch
        {
            await lent!.CloseAsync().ConfigureAwait(false);
            throw;
        }
    }

    private PgDataReader ExecuteOnLent(CommandBehavior behavior)
    {
        var lent = Lend();
        try
        {
            return ExecuteReader(behavior | CommandBehavior.CloseConnection);
        }
        catch
        {
            lent!.Close();
            throw;
        }
    }

    // A data source's command opens a connection for each execution; null for every other command.
    private PgConnection? Lend() => _dataSource is null || IsLent ? null : _connection = _dataSource.OpenConnection();

    private async ValueTask<PgConnection?> LendAsync(CancellationToken token) =>
        _dataSource is null || IsLent ? null : _connection = await _dataSource.OpenConnectionAsync(token).ConfigureAwait(false);

    private ServerSession Claim()
    {
        var session = Session();
        if (_text.Length == 0)
            throw new InvalidOperationException("The command has no text: set CommandText.");
        return session;
    }

    private ServerSession Session() => (_connection ?? throw new InvalidOperationException("The command has no connection: set Connection."))
        .OpenSession();

    private void Started(ServerSession session)
    {
        _runningNumber = session.CommandNumber;
        _runningOn = session;
    }

    private PgDataReader NewReader()
    {
        // Recycled by this very command only: nobody else can hold a reference to it.
        if (_reader is not { IsClosed: true })
            _reader = new PgDataReader();
        _connection!.Reader = _reader;
        return _reader;
    }

    private bool HasOutputs() => _parameters is not null && _parameters.HasOutputs();

    private ReadOnlySpan<StatementPlan> UpdatePlan(ServerSession session)
    {
        _plan.Update(_text, _type, Parameters, _connection!.SqlTexts, session.StandardConformingStrings);
        if (_plan.Statements.Length > 1 && HasOutputs())
            throw new NotSupportedException("A command of several statements cannot fill output parameters; run the statement that returns them by itself.");
        return _plan.Statements;
    }

    private ReadOnlySpan<FormatCode> WantedFormats(bool first) => AllResultTypesAreUnknown
        ? [FormatCode.Text]
        : first && UnknownResultTypeList is { } list ? Array.ConvertAll(list, text => text ? FormatCode.Text : FormatCode.Binary) : [];

    private bool AllPrepared()
    {
        foreach (var statement in _plan.Statements)
        {
            if (statement.Prepared is not { IsValid: true })
                return false;
        }
        return _plan.Statements.Length > 0;
    }

    private void Detach()
    {
        _preparedOn = null;
        _plan.Detach();
    }

    private bool BeginPrepare(ServerSession session)
    {
        if (_dataSource is not null)
            throw new NotSupportedException("A command of a data source runs on another connection each time and cannot be prepared by itself.");
        _plan.Detach();
        var missing = false;
        foreach (var statement in UpdatePlan(session))
        {
            statement.BindTypes();
            statement.Prepared = session.Statements.Find(statement.Sql, statement.Types);
            missing |= statement.Prepared is null;
        }
        _preparedOn = session;
        return missing;
    }

    private void KeepPrepared(ServerSession session)
    {
        foreach (var statement in _plan.Statements)
            session.Statements.Add(statement.Prepared!);
    }

    // Adds what the server does not know yet; it counts as prepared when the server has answered.
    private sealed class Preparation(PgCommand command) : IStatements
    {
        public void Write(ServerSession session, CommandBehavior behavior)
        {
            foreach (var statement in command._plan.Statements)
            {
                if (statement.Prepared is not null)
                    continue;
                statement.Prepared = session.Statements.Create(statement.Sql, statement.Types);
                session.Query.AddPreparation(statement.Prepared);
            }
        }
    }

    private sealed class Unpreparation(PgCommand command) : IStatements
    {
        public void Write(ServerSession session, CommandBehavior behavior)
        {
            foreach (var statement in command._plan.Statements)
            {
                session.Query.AddClose(statement.Prepared!);
                session.Statements.Remove(statement.Prepared!);
            }
            command.Detach();
        }
    }
}
