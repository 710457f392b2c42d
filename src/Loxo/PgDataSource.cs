using System.Data.Common;
using Loxo.Commands;
using Loxo.Diagnostics;
using Loxo.Notifications;
using Loxo.Pool;
using Loxo.Pooling;
using Loxo.Session;
using Loxo.Settings;
using Loxo.Sql;
using Loxo.Transactions;
using Loxo.Transport;
using Loxo.Types;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Loxo;

/// <summary>What connections to one database share, above all their pool. Keep one per database; it is thread-safe.</summary>
/// <exception cref="ObjectDisposedException">Any member that makes or opens something: the data source is disposed.</exception>
public sealed partial class PgDataSource : DbDataSource
{
    // Kept for as long as the pool is measured.
    private readonly Func<PoolSample?>? _sample;
    private volatile bool _isDisposed;

    internal PgDataSource(
        ConnectionSettings settings,
        ILoggerFactory? loggers = null,
        Dialer? dialer = null,
        TimeProvider? time = null,
        Func<DatabaseTypes>? types = null,
        PgLaneOptions? lanes = null,
        string? name = null,
        Func<TimeProvider, PasswordSource>? passwords = null,
        PhysicalConnectionInitializer? initializer = null,
        TelemetryOptions? telemetry = null)
    {
        Settings = settings;
        var clock = time ?? TimeProvider.System;
        Context = new SessionContext(settings.Transport, settings.Session, dialer ?? SocketDialer.Create(clock), clock,
            types ?? (() => DatabaseTypes.Make(
                TypeSettings.Default with { IsLikeNpgsql = settings.Session.IsLikeNpgsql }, PgTypeMapper.Global.Mappings())));
        Context.Passwords = passwords?.Invoke(clock) ?? new SetPassword();
        if (initializer is not null)
            Context.Initializer = (session => initializer.Run(this, session), session => initializer.RunAsync(this, session));
        Loggers = loggers ?? NullLoggerFactory.Instance;
        telemetry ??= new TelemetryOptions();
        Tracing = telemetry.Tracing;
        Context.Telemetry = telemetry.TargetOf(settings, loggers, name);
        TransactionLogger = Loggers.CreateLogger(TransactionLog.Category);
        if (settings.Pool.Pooling)
            Pool = SessionPool.Create(
                Context, settings.Pool, Loggers, static leak => SessionLeaked?.Invoke(null, leak), name, telemetry.Leaks);
        else
            AuditSchedule.Share(Context);
        Notifications = new NotificationHub(Context, Loggers.CreateLogger(NotificationLog.Category));
        PoolMeter.Add(_sample = () => _isDisposed ? null : PoolReading.Sample(this));
        if (Pool is not null && settings.Pool.Multiplexing)
            Lanes = new LaneSet(Context, Pool, settings.Pool, lanes ?? new PgLaneOptions(), Loggers.CreateLogger(LaneLog.Category));
    }

    /// <summary>
    /// Raised when <see cref="SessionReset.Verify"/> has found that a session of any pool of the process was changed in a way that
    /// <see cref="SessionReset.Auto"/> would not have undone. The sender is null. It is raised when the server's answer is read: by the
    /// next user of the session, or by the pool about a second after the connection was closed. Exceptions of a handler are ignored.
    /// </summary>
    public static event EventHandler<PgSessionLeakEventArgs>? SessionLeaked;

    /// <summary>As given, without the password unless <c>Persist Security Info=true</c>.</summary>
    public override string ConnectionString =>
        Settings.PersistSecurityInfo ? Settings.ConnectionString : Settings.ConnectionStringWithoutPassword;

    /// <summary>
    /// The password for the next logins, in the place of the connection string's. Sessions that are open stay so. It can only be set.
    /// </summary>
    /// <exception cref="NotSupportedException">The data source has a password provider.</exception>
    [SuppressMessage("Design", "CA1044", Justification = "A password is not shown.")]
    public string Password { set => OwnPassword.Password = value; }

    internal ConnectionSettings Settings { get; }

    internal SetPassword OwnPassword => Context.Passwords as SetPassword
        ?? throw new NotSupportedException("The data source has a password provider: it alone supplies passwords.");

    internal SqlTextCache SqlTexts { get; } = new();

    internal SessionContext Context { get; }

    internal TimeSpan DefaultCommandTimeout => Settings.Session.CommandTimeout;

    internal NotificationHub Notifications { get; }

    /// <summary>Null when <c>Pooling=false</c>.</summary>
    internal ResourcePool<PooledSession>? Pool { get; }

    /// <summary>Null unless <c>Multiplexing=true</c>.</summary>
    internal LaneSet? Lanes { get; }

    /// <summary>The caller's transaction, which connections join when they are opened; null for none.</summary>
    internal System.Transactions.Transaction? AmbientTransaction => Settings.Enlist ? System.Transactions.Transaction.Current : null;

    /// <summary>The sessions that take part in ambient transactions.</summary>
    internal EnlistedSessions Enlisted { get; } = new();

    internal ILogger TransactionLogger { get; }

    internal TracingOptions Tracing { get; }

    internal ILoggerFactory Loggers { get; }

    /// <summary>A data source.</summary>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI.</param>
    /// <exception cref="ArgumentException">It is malformed.</exception>
    public static PgDataSource Create(string connectionString) => new PgDataSourceBuilder(connectionString).Build();

    /// <summary>A data source.</summary>
    /// <param name="connectionStringBuilder">What the connection string says; later changes have no effect.</param>
    public static PgDataSource Create(PgConnectionStringBuilder connectionStringBuilder)
    {
        ArgumentNullException.ThrowIfNull(connectionStringBuilder);
        return Create(connectionStringBuilder.ConnectionString);
    }

    /// <summary>A connection, not yet open.</summary>
    public new PgConnection CreateConnection() => new(Checked());

    /// <summary>An open connection.</summary>
    /// <exception cref="PgException">None could be opened, or all of the pool's were in use until the time was over.</exception>
    public new PgConnection OpenConnection()
    {
        var connection = CreateConnection();
        try
        {
            connection.Open();
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    /// <inheritdoc cref="OpenConnection"/>
    public new async ValueTask<PgConnection> OpenConnectionAsync(CancellationToken cancellationToken = default)
    {
        var connection = CreateConnection();
        try
        {
            await connection.OpenAsync(cancellationToken).ConfigureAwait(false);
            return connection;
        }
        catch
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>A command that takes a connection each time it runs. It cannot be prepared explicitly.</summary>
    /// <param name="commandText">The SQL; null for none yet.</param>
    public new PgCommand CreateCommand(string? commandText = null) => new(commandText, Checked());

    /// <summary>A batch that takes a connection each time it runs. It cannot be prepared explicitly.</summary>
    public new PgBatch CreateBatch() => new(Checked());

    /// <summary>
    /// Runs work in a transaction of its own: commits when it returns, rolls back when it throws. With more than one attempt it runs again
    /// after a serialization failure or a deadlock, on another connection; what it does outside of the database it does again, too.
    /// </summary>
    /// <param name="work">
    /// Its commands run on the connection, and the transaction is for savepoints. If the work ends the transaction itself, nothing more is
    /// done.
    /// </param>
    /// <param name="options">Null for one attempt in the server's default isolation.</param>
    /// <exception cref="PgException">
    /// <see cref="PgErrorCode.CommitOutcomeUnknown"/>: the connection was lost during COMMIT; the work is not repeated then.
    /// <see cref="PgErrorCode.TransactionRolledBack"/>: the work has caught the error of a statement and returned.
    /// </exception>
    /// <exception cref="InvalidOperationException">A <see cref="System.Transactions.TransactionScope"/> is active.</exception>
    public void InTransaction(Action<PgConnection, PgTransaction> work, PgInTransactionOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(work);
        TransactionRunner.Run(Checked(), (connection, transaction) =>
        {
            work(connection, transaction);
            return true;
        }, options);
    }

    /// <inheritdoc cref="InTransaction"/>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <returns>What the work has returned.</returns>
    public T InTransaction<T>(Func<PgConnection, PgTransaction, T> work, PgInTransactionOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(work);
        return TransactionRunner.Run(Checked(), work, options);
    }

    /// <inheritdoc cref="InTransaction"/>
    /// <param name="work">As there; it gets <paramref name="cancellationToken"/>.</param>
    /// <param name="options">Null for one attempt in the server's default isolation.</param>
    /// <param name="cancellationToken">Cancels the work and the pauses between its attempts, but not COMMIT.</param>
    public Task InTransactionAsync(
        Func<PgConnection, PgTransaction, CancellationToken, Task> work, PgInTransactionOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return TransactionRunner.RunAsync(Checked(), async (connection, transaction, token) =>
        {
            await work(connection, transaction, token).ConfigureAwait(false);
            return true;
        }, options, cancellationToken);
    }

    /// <inheritdoc cref="InTransaction"/>
    /// <param name="work">As there; it gets <paramref name="cancellationToken"/>.</param>
    /// <param name="options">Null for one attempt in the server's default isolation.</param>
    /// <param name="cancellationToken">Cancels the work and the pauses between its attempts, but not COMMIT.</param>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <returns>What the work has returned.</returns>
    public Task<T> InTransactionAsync<T>(
        Func<PgConnection, PgTransaction, CancellationToken, Task<T>> work, PgInTransactionOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return TransactionRunner.RunAsync(Checked(), work, options, cancellationToken);
    }

    /// <summary>
    /// Listens to a channel, from when the first item is asked for to when the enumeration is ended. All readers of the data source share
    /// one connection of their own, which the pool does not count. When it is lost, it is opened again, and each reader gets a gap marker:
    /// see <see cref="PgNotification"/>.
    /// </summary>
    /// <param name="channel">Its name, as it is: upper case stays upper case, as with quotes in SQL.</param>
    /// <param name="cancellationToken">Ends the enumeration with an <see cref="OperationCanceledException"/>.</param>
    /// <returns>
    /// Throws a <see cref="PgException"/> if the server cannot be reached at first, or refuses the login or the channel later. It is
    /// enumerated by one caller at a time.
    /// </returns>
    /// <exception cref="ArgumentException">The name is empty, contains NUL, or is longer than 63 bytes in UTF-8.</exception>
    /// <exception cref="PgException">'Pooler' says that each transaction may have another server process.</exception>
    public IAsyncEnumerable<PgNotification> ListenAsync(string channel, CancellationToken cancellationToken = default) =>
        ListenAsync([channel], null, cancellationToken);

    /// <summary>Listens to several channels. Notifications come in the order in which their transactions were committed.</summary>
    /// <param name="channels">At least one.</param>
    /// <param name="options">How items are queued; null for the defaults.</param>
    /// <inheritdoc cref="ListenAsync(string, CancellationToken)"/>
    /// <param name="cancellationToken">Ends the enumeration with an <see cref="OperationCanceledException"/>.</param>
    public IAsyncEnumerable<PgNotification> ListenAsync(
        IEnumerable<string> channels, PgListenOptions? options = null, CancellationToken cancellationToken = default) =>
        Checked().Notifications.Listen(channels, options ?? new PgListenOptions(), cancellationToken);

    /// <summary>A stream of the committed transactions of a publication; nothing is opened before it is read.</summary>
    /// <param name="slot">The slot, which is made if there is none: lower-case letters, digits and underscores, at most 63.</param>
    /// <param name="publication">The publication; CREATE PUBLICATION makes one.</param>
    /// <param name="options">Null for the defaults.</param>
    /// <exception cref="ArgumentException">A name is empty.</exception>
    public PgChangeStream CreateChangeStream(string slot, string publication, PgChangeStreamOptions? options = null) =>
        CreateChangeStream(slot, [publication], options);

    /// <inheritdoc cref="CreateChangeStream(string, string, PgChangeStreamOptions?)"/>
    /// <param name="slot">As there.</param>
    /// <param name="publications">At least one.</param>
    /// <param name="options">Null for the defaults.</param>
    public PgChangeStream CreateChangeStream(string slot, IEnumerable<string> publications, PgChangeStreamOptions? options = null) =>
        new(Checked(), slot, publications, options ?? new PgChangeStreamOptions(), Loggers.CreateLogger(ReplicationLog.Category));

    /// <summary>Opens connections until the pool holds <paramref name="count"/>, blocking; nothing happens without a pool.</summary>
    /// <param name="count">At most 'Maximum Pool Size'. Those above 'Minimum Pool Size' are closed when idle for too long.</param>
    /// <exception cref="PgException">One could not be opened.</exception>
    public void WarmUp(int count) => Checked().Pool?.WarmUp(count);

    /// <inheritdoc cref="WarmUp"/>
    public ValueTask WarmUpAsync(int count, CancellationToken cancellationToken = default) =>
        Checked().Pool?.WarmUpAsync(count, cancellationToken) ?? default;

    /// <summary>Changes the bounds of the pool. What is in use stays; what is too many is closed when it comes back.</summary>
    /// <param name="minimum">As 'Minimum Pool Size'.</param>
    /// <param name="maximum">As 'Maximum Pool Size'.</param>
    /// <exception cref="InvalidOperationException">There is no pool.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A number is too small, or the minimum is more than the maximum.</exception>
    public void ResizePool(int minimum, int maximum)
    {
        (Checked().Pool ?? throw new InvalidOperationException("'Pooling' is false: there is no pool to resize."))
            .Resize(minimum, maximum);
        Lanes?.Resize(maximum);
    }

    /// <summary>
    /// Forgets what was found out about types that are not built in. Seldom needed: types that are made are found, those that are changed
    /// through this data source too. A composite type whose fields somebody else renames or swaps is the exception. Nothing is sent; a type
    /// is looked up when it is met again.
    /// </summary>
    public void ReloadTypes() => Context.ForgetTypes();

    /// <inheritdoc cref="ReloadTypes"/>
    public Task ReloadTypesAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled(cancellationToken);
        ReloadTypes();
        return Task.CompletedTask;
    }

    /// <summary>Closes the pool's idle connections now, and those in use when they come back.</summary>
    public void Clear()
    {
        Lanes?.Clear();
        Pool?.Clear();
    }

    /// <inheritdoc cref="Clear"/>
    public ValueTask ClearAsync()
    {
        Lanes?.Clear();
        return Pool?.ClearAsync() ?? default;
    }

    /// <summary>Hands out no more connections and waits until those in use have come back.</summary>
    /// <param name="timeout">How long to wait; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <returns>False if some were still in use when the time was over.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is not positive, or longer than 24 days.</exception>
    public ValueTask<bool> DrainAsync(TimeSpan timeout)
    {
        Lanes?.Dispose();
        return Pool?.DrainAsync(timeout) ?? new(true);
    }

    /// <summary>How the pool stands at this moment; null when <c>Pooling=false</c>.</summary>
    public PoolStatistics? GetPoolStatistics() => Pool?.GetStatistics();

    /// <summary>The pool at this moment, with each physical connection; null when <c>Pooling=false</c>.</summary>
    public PgPoolSnapshot? GetPoolSnapshot() => Pool is { } pool ? PoolReading.Snapshot(pool) : null;

    /// <summary>What the sessions of the data source have done since it was made: statements, rows, bytes, resets.</summary>
    public PgSessionStatistics GetSessionStatistics() => Context.Totals.Read();

    /// <summary>What the lanes have done so far; null unless <c>Multiplexing=true</c>.</summary>
    public PgLaneStatistics? GetLaneStatistics() => Lanes?.GetStatistics();

    /// <summary>What the statements have done so far; null unless the builder was told to count by UseStatementStatistics.</summary>
    public PgStatementStatistics? GetStatementStatistics() => Context.Telemetry!.Statements?.GetStatistics();

    /// <summary>A session of its own, outside any pool.</summary>
    internal ServerSession OpenSession() => SessionOpener.Open(Checked().Context, Settings.Session.OpenTimeout);

    internal ValueTask<ServerSession> OpenSessionAsync(CancellationToken token) =>
        SessionOpener.OpenAsync(Checked().Context, Settings.Session.OpenTimeout, token);

    /// <inheritdoc/>
    protected override DbConnection CreateDbConnection() => CreateConnection();

    /// <inheritdoc/>
    protected override DbConnection OpenDbConnection() => OpenConnection();

    /// <inheritdoc/>
    protected override async ValueTask<DbConnection> OpenDbConnectionAsync(CancellationToken cancellationToken = default) =>
        await OpenConnectionAsync(cancellationToken).ConfigureAwait(false);

    /// <inheritdoc/>
    protected override DbCommand CreateDbCommand(string? commandText = null) => CreateCommand(commandText);

    /// <inheritdoc/>
    protected override DbBatch CreateDbBatch() => CreateBatch();

    /// <summary>Closes the pool's idle connections; those in use can be used on and are closed when they come back.</summary>
    protected override void Dispose(bool disposing)
    {
        _isDisposed = true;
        if (!disposing)
            return;
        Context.Passwords?.Stop();
        Notifications.Dispose();
        Lanes?.Dispose();
        Pool?.Dispose();
    }

    /// <inheritdoc cref="Dispose(bool)"/>
    protected override ValueTask DisposeAsyncCore()
    {
        _isDisposed = true;
        Context.Passwords?.Stop();
        Notifications.Dispose();
        Lanes?.Dispose();
        return Pool?.DisposeAsync() ?? default;
    }

    internal PgDataSource Checked()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        return this;
    }
}
