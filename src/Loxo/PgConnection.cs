using System.ComponentModel;
using System.Data;
using System.Data.Common;
using Loxo.Commands;
using Loxo.Pool;
using Loxo.Pooling;
using Loxo.Schema;
using Loxo.Session;
using Loxo.Sql;
using Loxo.Transactions;

namespace Loxo;

/// <summary>A connection to a PostgreSQL database. It runs one command at a time, for one caller at a time.</summary>
[DesignerCategory("")]
public sealed partial class PgConnection : DbConnection, ICloneable, ISessionListener
{
    /// <summary>PostgreSQL's usual port.</summary>
    public const int DefaultPort = 5432;

    private string _connectionString = "";
    private PgDataSource? _dataSource;
    private ServerSession? _session;
    private Rental<PooledSession> _rental;
    private bool _isRented;
    private PgTransaction? _transaction;
    private ConnectionExtras? _rare;
    private ConnectionLife _life;
    private bool _isDisposed;
    private bool _hidesPassword;
    private bool _isMultiplexed;

    /// <summary>A connection without a connection string.</summary>
    public PgConnection() => GC.SuppressFinalize(this);

    /// <summary>A connection, not yet open. Connections of the same string share what can be shared.</summary>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI; null for none yet.</param>
    /// <exception cref="ArgumentException">It is malformed.</exception>
    public PgConnection(string? connectionString) : this() => ConnectionString = connectionString;

    internal PgConnection(PgDataSource dataSource)
        : this()
    {
        _dataSource = dataSource;
        _connectionString = dataSource.Settings.ConnectionString;
        _hidesPassword = true;
    }

    /// <summary>Raised for each notice of the server, on the thread that reads it. Exceptions of handlers are swallowed.</summary>
    /// <remarks>A handler cannot use the connection, its pipeline or its readers.</remarks>
    public event NoticeEventHandler? Notice { add => Extras.Notice += value; remove => Extras.Notice -= value; }

    /// <summary>Raised for each notification, on the thread that reads it. Exceptions of handlers are swallowed.</summary>
    /// <remarks>As for <see cref="Notice"/>.</remarks>
    public event NotificationEventHandler? Notification { add => Extras.Notification += value; remove => Extras.Notification -= value; }

    /// <summary>
    /// Where and how to connect. Once it has been opened, and if it comes from a data source, it shows the password only with <c>Persist
    /// Security Info=true</c>.
    /// </summary>
    /// <exception cref="InvalidOperationException">It is set while the connection is open.</exception>
    /// <exception cref="ArgumentException">It is malformed.</exception>
    [AllowNull]
    public override string ConnectionString
    {
        get => Given is { } source && _hidesPassword && !source.Settings.PersistSecurityInfo
            ? source.Settings.ConnectionStringWithoutPassword
            : _connectionString;
        set
        {
            _life.CheckClosed();
            // A string that is refused leaves the former one in place.
            _dataSource = string.IsNullOrEmpty(value) ? null : SharedDataSources.Get(value);
            _connectionString = value ?? "";
            _hidesPassword = false;
        }
    }

    /// <summary>Seconds that opening may take in all; 0 means no limit. The default is 15.</summary>
    public override int ConnectionTimeout => _dataSource is null ? 15 : Seconds(_dataSource.Settings.Session.OpenTimeout);

    /// <summary>Seconds that each wait of a command may last, for commands that set nothing; 0 means no limit. The default is 30.</summary>
    public int CommandTimeout => _dataSource is null ? 30 : Seconds(_dataSource.Settings.Session.CommandTimeout);

    /// <summary>The database; the user's name when none was given.</summary>
    public override string Database => _dataSource?.Settings.Session.Database ?? "";

    /// <summary>The address, <c>tcp://host:port</c> or the path of a Unix socket; of several hosts that in use, or the first.</summary>
    public override string DataSource => _dataSource is not { } source ? ""
        : source.Settings.Transport.Host is { IsUnixSocket: true } socket ? socket.SocketPath
        : $"tcp://{source.Settings.Transport.Host}";

    /// <summary>The host, as in <see cref="DataSource"/>; null when there is no connection string.</summary>
    public string? Host => _dataSource?.Settings.Transport.Host.Host;

    /// <summary>The port, as in <see cref="DataSource"/>.</summary>
    public int Port => _dataSource?.Settings.Transport.Host.Port ?? DefaultPort;

    /// <summary>The user; null when there is no connection string.</summary>
    public string? UserName => _dataSource?.Settings.Session.User;

    /// <summary>Closed, Connecting or Open. A connection that an error has ended is Closed.</summary>
    public override ConnectionState State => _life.IsOpening ? ConnectionState.Connecting
        : IsUnbound || _session is { State: not SessionState.Broken } ? ConnectionState.Open : ConnectionState.Closed;

    /// <summary>As <see cref="State"/>, and whether a command runs, its rows are read, or an error has ended the connection.</summary>
    public ConnectionState FullState => _life.IsOpening ? ConnectionState.Connecting : _session?.State switch
    {
        null => IsUnbound ? ConnectionState.Open : ConnectionState.Closed,
        SessionState.Broken => ConnectionState.Broken,
        SessionState.Busy or SessionState.Cancelling => ConnectionState.Open
            | (Reader is { IsClosed: false } ? ConnectionState.Fetching : ConnectionState.Executing),
        _ => ConnectionState.Open,
    };

    /// <summary>The server's version, as it calls itself.</summary>
    public override string ServerVersion => PostgresParameters.GetValueOrDefault("server_version", "");

    /// <summary>The server's version as numbers.</summary>
    public Version PostgreSqlVersion => ServerVersions.Parse(ServerVersion);

    /// <summary>
    /// The server process that serves the connection; 0 if the server does not say, and with 'Multiplexing' while no process serves it
    /// alone.
    /// </summary>
    public int ProcessID => IsUnbound ? 0 : OpenSession().ProcessId;

    /// <summary>The session's time zone.</summary>
    public string Timezone => PostgresParameters.GetValueOrDefault("TimeZone", "");

    /// <summary>Whether the server keeps times as integers, as all do since PostgreSQL 10.</summary>
    public bool HasIntegerDateTimes => PostgresParameters.GetValueOrDefault("integer_datetimes", "on") == "on";

    /// <summary>The settings that the server reports, by name.</summary>
    public IReadOnlyDictionary<string, string> PostgresParameters => AnySession.Parameters.Values;

    /// <summary>True.</summary>
    public override bool CanCreateBatch => true;

    internal ServerSession? Session => _session;

    internal ref ConnectionLife Life => ref _life;

    /// <summary>The session's part in an ambient transaction; null for none.</summary>
    internal EnlistedSession? Enlisted { get => _rare?.Enlisted; set => Extras.Enlisted = value; }

    /// <summary>
    /// Whether the connection is open and has no session: with 'Multiplexing', its commands share those of the lanes as long as they can.
    /// </summary>
    internal bool IsUnbound => _isMultiplexed && _session is null && _life.IsOpen;

    /// <summary>Whether a command has to wait for a session: for one from the pool, or for a rollback that is under way.</summary>
    internal bool MustBind => IsUnbound || _rare?.Enlisted?.Rollback is not null;

    /// <summary>Whether notices or notifications are listened to, which only a session of its own delivers.</summary>
    internal bool HasListeners => _rare is { Notice: not null } or { Notification: not null };

    internal LaneSet? Lanes => _dataSource!.Lanes;

    internal ConnectionExtras Extras => _rare ??= new ConnectionExtras();

    internal PgDataReader? Reader { get; set; }

    internal bool IncludesFailedBatchedCommand => _dataSource!.Settings.Session.IncludeFailedBatchedCommand;

    internal SqlTextCache SqlTexts => _dataSource!.SqlTexts;

    /// <inheritdoc/>
    protected override DbProviderFactory DbProviderFactory => PgFactory.Instance;

    /// <summary>Closes the idle connections of the connection's pool now, and those in use when they come back.</summary>
    /// <param name="connection">Any of the pool.</param>
    public static void ClearPool(PgConnection connection)
    {
        ArgumentNullException.ThrowIfNull(connection);
        connection.Given?.Clear();
    }

    /// <summary>As <see cref="ClearPool"/> for all pools behind connection strings; for others: <see cref="PgDataSource.Clear"/>.</summary>
    public static void ClearAllPools() => SharedDataSources.ClearAll();

    /// <summary>What is said here of types holds for every data source, those behind connection strings included.</summary>
    public static IPgTypeMapper GlobalTypeMapper => PgTypeMapper.Global;

    /// <inheritdoc cref="PgDataSource.ReloadTypes"/>
    /// <exception cref="InvalidOperationException">The connection is not open.</exception>
    public void ReloadTypes() => OwnSession.Of(this, PgOwnSessionReason.Other, "ReloadTypes").Context.Database.ForgetTypes();

    /// <inheritdoc cref="ReloadTypes()"/>
    public Task ReloadTypesAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled(cancellationToken);
        ReloadTypes();
        return Task.CompletedTask;
    }

    /// <summary>A command on this connection.</summary>
    /// <exception cref="ObjectDisposedException">The connection is disposed.</exception>
    public new PgCommand CreateCommand() => new(null, NotDisposed());

    /// <summary>A batch on this connection.</summary>
    /// <exception cref="ObjectDisposedException">The connection is disposed.</exception>
    public new PgBatch CreateBatch() => new(NotDisposed());

    /// <summary>
    /// Begins a pipeline: its commands are sent without waiting for each other's results. Until it is disposed, the connection runs no
    /// other command.
    /// </summary>
    /// <exception cref="InvalidOperationException">The connection is not open, or runs a command.</exception>
    public PgPipeline CreatePipeline() => Extras.Pipeline = new PgPipeline(this);

    /// <inheritdoc cref="BeginTransaction(IsolationLevel, PgTransactionOptions)"/>
    public new PgTransaction BeginTransaction() => BeginTransaction(IsolationLevel.Unspecified, PgTransactionOptions.None);

    /// <inheritdoc cref="BeginTransaction(IsolationLevel, PgTransactionOptions)"/>
    public new PgTransaction BeginTransaction(IsolationLevel level) => BeginTransaction(level, PgTransactionOptions.None);

    /// <summary>Begins a transaction; the server hears of it with the first command.</summary>
    /// <param name="level">ReadCommitted if Unspecified; Snapshot is RepeatableRead; Chaos is refused.</param>
    /// <param name="options">READ ONLY, DEFERRABLE.</param>
    /// <exception cref="InvalidOperationException">
    /// The connection is not open, or a transaction is in progress; use savepoints inside it.
    /// </exception>
    /// <exception cref="NotSupportedException">The level is Chaos.</exception>
    /// <exception cref="ArgumentOutOfRangeException">There is no such level.</exception>
    public PgTransaction BeginTransaction(IsolationLevel level, PgTransactionOptions options)
    {
        var begin = TransactionText.Begin(level, options);
        var session = OwnSession.Of(this, PgOwnSessionReason.Transaction, begin);
        if (Enlisted is not null)
            throw EnlistmentErrors.IsEnlisted();
        if (HasTransaction)
            throw new InvalidOperationException("A transaction is in progress on this connection already; PostgreSQL has no nested ones, "
                + "use Save and Rollback(name).");
        if (session.State is not (SessionState.Idle or SessionState.Unsettled))
            throw SessionErrors.NotIdle(session, this);
        // A second BEGIN would be no more than a warning of the server, and its isolation level would be lost.
        if (session is { State: SessionState.Idle, TransactionStatus: not Protocol.TransactionStatus.Idle })
            throw new InvalidOperationException(
                "A transaction is in progress that a command began with BEGIN; end it with COMMIT or ROLLBACK.");
        _transaction?.Complete();
        session.ExchangeBegin(this, begin);
        return _transaction = new PgTransaction(this, session, level == IsolationLevel.Unspecified ? IsolationLevel.ReadCommitted : level);
    }

    /// <inheritdoc cref="BeginTransaction(IsolationLevel)"/>
    public new ValueTask<PgTransaction> BeginTransactionAsync(CancellationToken cancellationToken = default) =>
        BeginTransactionAsync(IsolationLevel.Unspecified, PgTransactionOptions.None, cancellationToken);

    /// <inheritdoc cref="BeginTransaction(IsolationLevel)"/>
    public new ValueTask<PgTransaction> BeginTransactionAsync(IsolationLevel level, CancellationToken cancellationToken = default) =>
        BeginTransactionAsync(level, PgTransactionOptions.None, cancellationToken);

    /// <inheritdoc cref="BeginTransaction(IsolationLevel, PgTransactionOptions)"/>
    public async ValueTask<PgTransaction> BeginTransactionAsync(
        IsolationLevel level, PgTransactionOptions options, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        await OwnSession.BindAsync(this, PgOwnSessionReason.Transaction, "BEGIN", cancellationToken).ConfigureAwait(false);
        return BeginTransaction(level, options);
    }

    /// <summary>Closes the connection and opens it again on another database. If that fails, it stays closed.</summary>
    /// <param name="databaseName">Its name.</param>
    /// <exception cref="ArgumentException">The name is empty, or not valid UTF-16.</exception>
    public override void ChangeDatabase(string databaseName)
    {
        var other = ConnectionCopies.ToDatabase(this, databaseName);
        Close();
        Replace(other);
        Open();
    }

    /// <summary>Lists the collections of <see cref="GetSchema(string, string?[])"/>: the collection MetaDataCollections.</summary>
    public override DataTable GetSchema() => GetSchema("MetaDataCollections");

    /// <inheritdoc cref="GetSchema(string, string?[])"/>
    public override DataTable GetSchema(string collectionName) => SchemaReader.Read(this, collectionName, null);

    /// <summary>Describes the database's objects of one kind, or the provider, as a table.</summary>
    /// <param name="collectionName">One of the 19 names that <see cref="GetSchema()"/> lists, in any case.</param>
    /// <param name="restrictionValues">
    /// What to restrict the rows to, in the order that the collection Restrictions tells; null or an empty string restricts nothing.
    /// </param>
    /// <exception cref="ArgumentException">There is no such collection, or it has fewer restrictions.</exception>
    /// <exception cref="InvalidOperationException">
    /// The connection is not open, as all collections but MetaDataCollections and Restrictions need.
    /// </exception>
    public override DataTable GetSchema(string collectionName, string?[] restrictionValues) =>
        SchemaReader.Read(this, collectionName, restrictionValues);

    /// <inheritdoc cref="GetSchema()"/>
    public override Task<DataTable> GetSchemaAsync(CancellationToken cancellationToken = default) =>
        SchemaReader.ReadAsync(this, "MetaDataCollections", null, cancellationToken);

    /// <inheritdoc cref="GetSchema(string, string?[])"/>
    public override Task<DataTable> GetSchemaAsync(string collectionName, CancellationToken cancellationToken = default) =>
        SchemaReader.ReadAsync(this, collectionName, null, cancellationToken);

    /// <inheritdoc cref="GetSchema(string, string?[])"/>
    public override Task<DataTable> GetSchemaAsync(
        string collectionName, string?[] restrictionValues, CancellationToken cancellationToken = default) =>
        SchemaReader.ReadAsync(this, collectionName, restrictionValues, cancellationToken);

    /// <summary>Lets the server forget every prepared statement of the connection.</summary>
    public void UnprepareAll() => OwnCommand.Run(this, ResetText.ForgetStatements, completes: null);

    /// <summary>
    /// A closed connection with the same connection string. It opens with the same password, and shows it only if this connection does.
    /// </summary>
    public PgConnection Clone() =>
        Given is { } source ? new PgConnection(source) { _hidesPassword = _hidesPassword } : new PgConnection();

    object ICloneable.Clone() => Clone();

    /// <summary>
    /// A closed connection with another connection string, and with this one's password where the string has none. It may show its password
    /// only if this connection may.
    /// </summary>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI.</param>
    /// <exception cref="ArgumentException">It is malformed.</exception>
    public PgConnection CloneWith(string connectionString) => ConnectionCopies.Of(this, connectionString);

    /// <inheritdoc cref="CloneWith"/>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI.</param>
    /// <param name="cancellationToken">Cancels asking a password provider.</param>
    public ValueTask<PgConnection> CloneWithAsync(string connectionString, CancellationToken cancellationToken = default) =>
        ConnectionCopies.OfAsync(this, connectionString, cancellationToken);

    /// <summary>
    /// Asked for the password when a physical connection is opened and the connection string has none. It is shared by the connections of
    /// a data source: the one that was set last counts. Null, the default, for none.
    /// </summary>
    [Obsolete("Use PgDataSourceBuilder.UsePasswordProvider or UsePeriodicPasswordProvider.")]
    public ProvidePasswordCallback? ProvidePasswordCallback
    {
        get => _rare?.ProvidePassword;
        set => Extras.ProvidePassword = value;
    }

    /// <summary>Where its session comes from: with several hosts, the data source of one of them while it is open.</summary>
    internal PgDataSource? Source => _dataSource;

    private PgDataSource? Given => _rare?.Given ?? _dataSource; // of which it was made

    internal ServerSession OpenSession()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        _rare?.Enlisted?.Check(this);
        if (IsUnbound)
            Bind();
        return _session ?? throw new InvalidOperationException("The connection is not open: call Open or OpenAsync first.");
    }

    // The answer is not waited for.
    internal void DeferRollback() => OpenSession().Begin(this, DeferredStatements.Rollback, "ROLLBACK");

    internal async ValueTask DeferRollbackAsync() =>
        await OpenSession().BeginAsync(this, DeferredStatements.Rollback, "ROLLBACK").ConfigureAwait(false);

    internal bool HasTransaction => _transaction is { IsCompleted: false };

    // False when the pool has recovered the session because the connection was collected; a finalizer may still close the connection.
    private bool HasSession => !_isRented || _rental.IsValid;

    internal void TransactionEnded(PgTransaction transaction)
    {
        if (Interlocked.CompareExchange(ref _transaction, null, transaction) == transaction)
            CommandEnded();
    }

    /// <inheritdoc/>
    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel) => BeginTransaction(isolationLevel);

    /// <inheritdoc/>
    protected override async ValueTask<DbTransaction> BeginDbTransactionAsync(
        IsolationLevel isolationLevel, CancellationToken cancellationToken) =>
        await BeginTransactionAsync(isolationLevel, cancellationToken).ConfigureAwait(false);

    /// <inheritdoc/>
    protected override DbCommand CreateDbCommand() => CreateCommand();

    /// <inheritdoc/>
    protected override DbBatch CreateDbBatch() => CreateBatch();

    private static readonly StateChangeEventArgs ClosedToOpen = new(ConnectionState.Closed, ConnectionState.Open);
    private static readonly StateChangeEventArgs OpenToClosed = new(ConnectionState.Open, ConnectionState.Closed);

    // Milliseconds for what the connection runs itself.
    internal int OwnTimeout => CommandTimeout is > 0 and var seconds ? (int)Math.Min(int.MaxValue, seconds * 1000L) : Timeout.Infinite;

    private static int Seconds(TimeSpan time) => time == Timeout.InfiniteTimeSpan ? 0 : (int)time.TotalSeconds;

    void ISessionListener.Notice(ServerErrorFields fields) => _rare?.Raise(this, fields);

    void ISessionListener.Notification(PgNotificationEventArgs notification) => _rare?.Raise(this, notification);

    DbCommand? ISessionListener.CommandInProgress => Reader is { IsClosed: false } reader ? reader.Owner as DbCommand : null;
}
