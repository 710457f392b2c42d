using System.ComponentModel;
using System.Data;
using System.Data.Common;
using Loxo.Commands;
using Loxo.Parameters;
using Loxo.Protocol;
using Loxo.Reading;
using Loxo.Schema;
using Loxo.Session;

namespace Loxo;

/// <summary>
/// SQL to run on a connection. The text may hold several statements; parameters are named (<c>@id</c>, <c>:id</c>) or positional
/// (<c>$1</c>). Running the same command again with other values costs less than making a new one.
/// </summary>
/// <exception cref="InvalidOperationException">
/// Any member that runs it: it is not complete, not on an open connection, or disposed.
/// </exception>
/// <exception cref="PgException">Any member that runs it: another command runs, or the server or the network failed.</exception>
[DesignerCategory("")]
public partial class PgCommand : DbCommand, ICloneable
{
    private CommandPlan _plan = new();
    private string _text = "";
    private PgConnection? _connection;
    private PgTransaction? _transaction;
    private PgParameterCollection? _parameters;
    private PgDataSource? _dataSource;
    private bool[]? _textColumns;
    private Execution _execution;
    private CommandOutcomes _outcomes;
    // Seconds; -1 while none is set.
    private int _timeout = -1;
    private int _fetchSize;
    // Shorter than the enums, since every command has them.
    private short _type = (short)CommandType.Text;
    private byte _updatedRows = (byte)UpdateRowSource.Both;
    private bool _isDisposed;
    private bool _allAsText;

    /// <summary>A command without text or connection.</summary>
    public PgCommand()
        : this(null, null, null) { }

    /// <summary>A command without a connection.</summary>
    /// <param name="cmdText">The SQL.</param>
    public PgCommand(string? cmdText)
        : this(cmdText, null, null) { }

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
    /// <exception cref="InvalidOperationException">A reader of the command is open.</exception>
    [AllowNull]
    public override string CommandText
    {
        get => _text;
        set
        {
            ReaderErrors.ThrowIfRead(_connection, this);
            if (!ReferenceEquals(value, _text))
                _plan.Outdate();
            _text = value ?? "";
        }
    }

    /// <summary>
    /// Seconds that each wait for the server may last before the command is cancelled; 0 means no limit. As long as nothing is set it is
    /// the connection's <see cref="PgConnection.CommandTimeout"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public override int CommandTimeout
    {
        get => _timeout >= 0 ? _timeout : _connection?.CommandTimeout ?? 30;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            _timeout = value;
        }
    }

    /// <summary>What <see cref="CommandText"/> is: SQL; the name of a procedure, run by CALL; or of a table that is read whole.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is undefined.</exception>
    public override CommandType CommandType
    {
        get => (CommandType)_type;
        set
        {
            _type = (short)DefinedValue.Of(value);
            _plan.Outdate();
        }
    }

    /// <summary>
    /// How many rows the server returns at a time; 0, the default, for all at once. A reader then fetches the next rows when it has read
    /// those before, and a reader that is closed early leaves the others to the server, if the text of the statement changes nothing. In a
    /// text of several statements it holds for the last one. Outside a transaction, one stays open until the reader has come to its end.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public int FetchSize
    {
        get => _fetchSize;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            _fetchSize = value;
        }
    }

    /// <summary>
    /// What is asked of the host that the command runs on, if it is one of a <see cref="PgMultiHostDataSource"/>; as long as nothing is
    /// set, that is what the data source asks. Another command runs on the host of its connection.
    /// </summary>
    /// <exception cref="InvalidOperationException">It is set, and the command is not one of such a data source.</exception>
    /// <exception cref="ArgumentOutOfRangeException">There is no such value.</exception>
    public TargetSessionAttributes TargetSession
    {
        get => HostTargets.TargetOf(_dataSource ?? _connection?.Source);
        set => _dataSource = HostTargets.With(_dataSource, value);
    }

    /// <summary>
    /// What a standby must have replayed to run the command: see <see cref="TargetSession"/>. The default asks for nothing.
    /// </summary>
    /// <inheritdoc cref="TargetSession" path="/exception"/>
    public PgFreshness Freshness
    {
        get => HostTargets.FreshnessOf(_dataSource);
        set => _dataSource = HostTargets.With(_dataSource, value);
    }

    /// <inheritdoc/>
    public override bool DesignTimeVisible { get; set; } = true;

    /// <inheritdoc/>
    public override UpdateRowSource UpdatedRowSource
    {
        get => (UpdateRowSource)_updatedRows;
        set => _updatedRows = (byte)DefinedValue.Of(value);
    }

    /// <summary>Where the command runs.</summary>
    /// <exception cref="InvalidOperationException">It is changed while a reader of the command is open.</exception>
    public new PgConnection? Connection
    {
        get => _connection;
        set
        {
            if (ReferenceEquals(_connection, value))
                return;
            ReaderErrors.ThrowIfRead(_connection, this);
            _connection = value;
            _plan.Detach();
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

    /// <summary>
    /// The statements that <see cref="CommandText"/> consists of, as they were run last, and what became of each. None before the first
    /// run.
    /// </summary>
    public IReadOnlyList<PgBatchCommand> Statements => ((IExecutable)this).Results(null);

    /// <summary>Whether every statement of the command is prepared on the connection's session.</summary>
    public bool IsPrepared => _connection?.Session is { State: not SessionState.Broken } && _plan.IsPreparedOn(_connection.Session);

    /// <summary>
    /// Whether the command's statements may be prepared without being asked, when they are used often enough ('Max Auto Prepare'). The
    /// default is true; false suits a statement whose best plan depends on its values.
    /// </summary>
    public bool AutoPrepare { get; set; } = true;

    /// <summary>
    /// Ask for all results as text, whatever their type: every value is read as a string. Setting it clears
    /// <see cref="UnknownResultTypeList"/>.
    /// </summary>
    public bool AllResultTypesAreUnknown
    {
        get => _allAsText;
        set => (_allAsText, _textColumns) = (value, null);
    }

    /// <summary>
    /// Columns of the first result to ask for as text, in order; null for none. Setting it clears <see cref="AllResultTypesAreUnknown"/>.
    /// </summary>
    public bool[]? UnknownResultTypeList
    {
        get => _textColumns;
        set => (_allAsText, _textColumns) = (false, value);
    }

    /// <inheritdoc/>
    protected override DbConnection? DbConnection
    {
        get => Connection;
        set => Connection = value as PgConnection
            ?? (value is null ? null : throw new InvalidCastException("A PgCommand runs on a PgConnection."));
    }

    /// <inheritdoc/>
    protected override DbTransaction? DbTransaction
    {
        get => Transaction;
        set => Transaction = value as PgTransaction
            ?? (value is null ? null : throw new InvalidCastException("A PgCommand runs in a PgTransaction."));
    }

    /// <inheritdoc/>
    protected override DbParameterCollection DbParameterCollection => Parameters;

    /// <inheritdoc/>
    public new PgParameter CreateParameter() => new();

    /// <summary>Runs the command for its effects.</summary>
    /// <returns>Rows inserted, updated, deleted, merged, copied or moved; -1 when no statement was of these kinds.</returns>
    /// <exception cref="PostgresException">The server refused it. The connection can be used.</exception>
    public override int ExecuteNonQuery() => CommandRunner.NonQuery(this);

    /// <inheritdoc cref="ExecuteNonQuery"/>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public override Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken) =>
        CommandRunner.NonQueryAsync(this, cancellationToken);

    /// <summary>
    /// Runs the command once for each row, for the price of a pipeline: the rows are sent without waiting for each other's results, in
    /// memory that does not depend on their number. The text is a single statement; rows that it returns are skipped.
    /// </summary>
    /// <remarks>
    /// Outside a transaction all rows are one transaction: an error undoes all of them. Inside a transaction an error has the effect of
    /// a failed statement. If <paramref name="rows"/> or <paramref name="bind"/> throws, or a value cannot be written, the rows are undone
    /// in the same way, and the exception is thrown as it is. <see cref="CommandTimeout"/> limits each wait for the server.
    /// </remarks>
    /// <typeparam name="T">The type of a row.</typeparam>
    /// <param name="rows">The rows. They are enumerated while earlier ones are sent; meanwhile the connection runs nothing else.</param>
    /// <param name="bind">
    /// Gives the command's parameters the values of a row. To set <see cref="PgParameter{T}.TypedValue"/> boxes no value.
    /// </param>
    /// <returns>
    /// Rows inserted, updated, deleted, merged, copied or moved in all; -1 when the statement is not of these kinds; 0 when there is no
    /// row, and then nothing is sent.
    /// </returns>
    /// <exception cref="PostgresException">
    /// The server refused a row, whose number is in <see cref="PostgresException.FailedRow"/>. The connection can be used.
    /// </exception>
    /// <exception cref="NotSupportedException">The text has several statements, or there are output parameters.</exception>
    public long ExecuteMany<T>(IEnumerable<T> rows, Action<T, PgParameterCollection> bind)
    {
        ArgumentNullException.ThrowIfNull(rows);
        ArgumentNullException.ThrowIfNull(bind);
        return RepeatedRunner.Run(this, rows, bind);
    }

    /// <inheritdoc cref="ExecuteMany"/>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public Task<long> ExecuteManyAsync<T>(
        IEnumerable<T> rows, Action<T, PgParameterCollection> bind, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(rows);
        ArgumentNullException.ThrowIfNull(bind);
        return RepeatedRunner.RunAsync(this, rows, bind, cancellationToken);
    }

    /// <inheritdoc cref="ExecuteMany"/>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public Task<long> ExecuteManyAsync<T>(
        IAsyncEnumerable<T> rows, Action<T, PgParameterCollection> bind, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(rows);
        ArgumentNullException.ThrowIfNull(bind);
        return RepeatedRunner.RunAsync(this, rows, bind, cancellationToken);
    }

    /// <summary>The first column of the first row: null when there is no row, <see cref="DBNull.Value"/> for NULL.</summary>
    public override object? ExecuteScalar() => WholeRunner.Scalar(this);

    /// <inheritdoc cref="ExecuteScalar"/>
    public override Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken) =>
        WholeRunner.ScalarAsync(this, cancellationToken);

    /// <summary>Runs the command and returns its first result, as soon as its first row or end has arrived.</summary>
    public new PgDataReader ExecuteReader() => CommandRunner.Reader(this, CommandBehavior.Default);

    /// <inheritdoc cref="ExecuteReader()"/>
    /// <exception cref="ArgumentOutOfRangeException">There is no such behavior.</exception>
    public new PgDataReader ExecuteReader(CommandBehavior behavior) => KeyInfoRunner.Reader(this, behavior);

    /// <inheritdoc cref="ExecuteReader()"/>
    public new Task<PgDataReader> ExecuteReaderAsync(CancellationToken cancellationToken = default) =>
        CommandRunner.ReaderAsync<PgDataReader>(this, CommandBehavior.Default, cancellationToken);

    /// <inheritdoc cref="ExecuteReader(CommandBehavior)"/>
    public new Task<PgDataReader> ExecuteReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken = default) =>
        KeyInfoRunner.ReaderAsync<PgDataReader>(this, behavior, cancellationToken);

    /// <summary>Asks the server to stop the command, if it runs. Returns at once; the command itself then throws.</summary>
    public override void Cancel() => _execution.Cancel();

    /// <summary>Prepares every statement of the command, in one round trip of its own, until <see cref="Unprepare"/>.</summary>
    /// <exception cref="InvalidOperationException">A parameter has neither a value nor a type.</exception>
    /// <exception cref="NotSupportedException">The command is one of a data source, which rents another connection each time.</exception>
    public override void Prepare() => Preparer.Prepare(this);

    /// <inheritdoc cref="Prepare"/>
    public override Task PrepareAsync(CancellationToken cancellationToken = default) => Preparer.PrepareAsync(this, cancellationToken);

    /// <summary>Lets the server forget the command's statements. Nothing happens when it is not prepared.</summary>
    public void Unprepare()
    {
        if (IsPrepared)
            Preparer.Unprepare(this);
    }

    /// <inheritdoc cref="Unprepare"/>
    public Task UnprepareAsync(CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested ? Task.FromCanceled(cancellationToken)
        : IsPrepared ? Preparer.UnprepareAsync(this, cancellationToken)
        : Task.CompletedTask;

    /// <summary>A command of the same text, connection and parameters.</summary>
    public PgCommand Clone()
    {
        var clone = new PgCommand(_text, _connection)
        {
            _dataSource = _dataSource,
            _transaction = _transaction,
            _timeout = _timeout,
            CommandType = CommandType,
            _fetchSize = _fetchSize,
            AutoPrepare = AutoPrepare,
            DesignTimeVisible = DesignTimeVisible,
            UpdatedRowSource = UpdatedRowSource,
            _allAsText = _allAsText,
            _textColumns = _textColumns,
        };
        foreach (var parameter in Parameters.ToArray())
            clone.Parameters.Add(parameter.Clone());
        return clone;
    }

    object ICloneable.Clone() => Clone();

    /// <summary>The command cannot run any more, and another may take its parameters. A reader of it goes on.</summary>
    protected override void Dispose(bool disposing)
    {
        _isDisposed = true;
        _parameters?.Release();
        base.Dispose(disposing);
    }

    /// <inheritdoc/>
    protected override DbParameter CreateDbParameter() => CreateParameter();

    /// <inheritdoc/>
    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior) => KeyInfoRunner.Reader(this, behavior);

    /// <inheritdoc/>
    protected override Task<DbDataReader> ExecuteDbDataReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken) =>
        KeyInfoRunner.ReaderAsync<DbDataReader>(this, behavior, cancellationToken);
}
