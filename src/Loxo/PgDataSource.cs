using System.Collections.Concurrent;
using System.Data.Common;
using Loxo.Commands;
using Loxo.Diagnostics;
using Loxo.Notifications;
using Loxo.Pool;
using Loxo.Pooling;
using Loxo.Schema;
using Loxo.Session;
using Loxo.Settings;
using Loxo.Sql;
using Loxo.Transactions;
using Loxo.Transport;
using Loxo.Types;
using Microsoft.Extensions.Logging;

namespace Loxo;

/// <summary>
/// What connections to one database share, above all their pool. Keep one per database; it is thread-safe. That of several hosts is a
/// <see cref="PgMultiHostDataSource"/>.
/// </summary>
/// <exception cref="ObjectDisposedException">Any member that makes or opens something: the data source is disposed.</exception>
public partial class PgDataSource : DbDataSource
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
        TelemetryOptions? telemetry = null,
        LoginFunctions? login = null,
        HostState? host = null)
    {
        (Settings, SqlTexts, Enlisted) = (settings, new SqlTextCache(), new EnlistedSessions());
        var clock = time ?? TimeProvider.System;
        Context = new SessionContext(settings.Transport, settings.Session, dialer ?? SocketDialer.Create(clock), clock,
            new DatabaseKnowledge(types ?? (() => DatabaseTypes.Make(
                TypeSettings.Default with { IsLikeNpgsql = settings.Session.IsLikeNpgsql }, PgTypeMapper.Global.Mappings()))))
        {
            Host = host,
        };
        Context.Passwords = passwords?.Invoke(clock) ?? new SetPassword();
        login?.AddTo(Context);
        if (initializer is not null)
            Context.Initializer = (session => initializer.Run(this, session), session => initializer.RunAsync(this, session));
        Loggers = SafeLoggers.Of(loggers);
        telemetry ??= new TelemetryOptions();
        Tracing = telemetry.Tracing;
        Context.Telemetry = telemetry.TargetOf(settings, loggers is null ? null : Loggers, name);
        TransactionLogger = Loggers.CreateLogger(TransactionLog.Category);
        if (settings.Pool.Pooling)
            Pool = SessionPool.Create(
                Context, settings.Pool, Loggers, static leak => SessionLeaked?.Invoke(null, leak), name, telemetry.Leaks);
        else
            AuditSchedule.Share(Context);
        Notifications = new NotificationHub(Context, OpenSessionAsync, Loggers.CreateLogger(NotificationLog.Category));
        PoolMeter.Add(_sample = () => _isDisposed ? null : PoolReading.Sample(this));
        if (Pool is not null && settings.Pool.Multiplexing)
            Lanes = new LaneSet(Context, Pool, settings.Pool, lanes ?? new PgLaneOptions(), Loggers.CreateLogger(LaneLog.Category));
    }

    // Of several hosts, each of which has a data source of its own with its pool.
    private protected PgDataSource(ConnectionSettings settings, HostChoice hosts, NotificationHub? notifications = null)
    {
        var first = hosts.First;
        (Settings, Hosts, Context, Loggers, Tracing) = (settings, hosts, first.Context, first.Loggers, first.Tracing);
        (TransactionLogger, SqlTexts, Enlisted) = (first.TransactionLogger, first.SqlTexts, first.Enlisted);
        ChangeStreams = first.ChangeStreams;
        Notifications = notifications
            ?? new NotificationHub(Context, hosts.OpenOnPrimaryAsync, Loggers.CreateLogger(NotificationLog.Category));
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
    public string Password
    {
        set
        {
            foreach (var source in Sources)
                source.OwnPassword.Password = value;
        }
    }

    internal ConnectionSettings Settings { get; }

    internal SetPassword OwnPassword => Context.Passwords as SetPassword
        ?? throw new NotSupportedException("The data source has a password provider: it alone supplies passwords.");

    /// <summary>Those that are being read, with their slots and the bytes that were not acknowledged.</summary>
    internal ConcurrentDictionary<PgChangeStream, (string Slot, Func<long> BytesBehind)> ChangeStreams { get; } = new();

    internal SqlTextCache SqlTexts { get; init; }

    internal KnownColumns KnownColumns { get; } = new();

    internal SessionContext Context { get; }

    internal TimeSpan DefaultCommandTimeout => Settings.Session.CommandTimeout;

    internal NotificationHub Notifications { get; }

    /// <summary>The hosts and the choice between them; null where there is one host and nothing to choose.</summary>
    internal HostChoice? Hosts { get; }

    /// <summary>The data sources of the hosts; this one alone where there is no choice.</summary>
    internal IReadOnlyList<PgDataSource> Sources => Hosts?.Sources ?? [this];

    /// <summary>The same hosts for what only a primary does; this data source itself where there is no choice.</summary>
    internal PgDataSource OfPrimary() => AllHosts?.WithTargetSession(TargetSessionAttributes.Primary) ?? this;

    /// <summary>The data source of all hosts; null where there is no choice.</summary>
    internal virtual PgMultiHostDataSource? AllHosts => null;

    /// <summary>Null when <c>Pooling=false</c>, or where each of several hosts has its own.</summary>
    internal ResourcePool<PooledSession>? Pool { get; }

    /// <summary>Null unless <c>Multiplexing=true</c>.</summary>
    internal LaneSet? Lanes { get; }

    /// <summary>The caller's transaction, which connections join when they are opened; null for none.</summary>
    internal System.Transactions.Transaction? AmbientTransaction => Settings.Enlist ? System.Transactions.Transaction.Current : null;

    /// <summary>The sessions that take part in ambient transactions.</summary>
    internal EnlistedSessions Enlisted { get; init; }

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
    /// Opens connections until the pool holds <paramref name="count"/>, blocking; nothing happens without a pool. With several hosts, the
    /// pool of each; a host that cannot be reached is left out if there is another one.
    /// </summary>
    /// <param name="count">At most 'Maximum Pool Size'. Those above 'Minimum Pool Size' are closed when idle for too long.</param>
    /// <exception cref="PgException">One could not be opened.</exception>
    public void WarmUp(int count)
    {
        if (Checked().Hosts is { } hosts)
            hosts.WarmUp(count);
        else
            Pool?.WarmUp(count);
    }

    /// <inheritdoc cref="WarmUp"/>
    public ValueTask WarmUpAsync(int count, CancellationToken cancellationToken = default) =>
        Checked().Hosts is { } hosts ? hosts.WarmUpAsync(count, cancellationToken) : Pool?.WarmUpAsync(count, cancellationToken) ?? default;

    /// <summary>
    /// Changes the bounds of the pool; with several hosts, of the pool of each. What is in use stays; what is too many is closed when it
    /// comes back.
    /// </summary>
    /// <param name="minimum">As 'Minimum Pool Size'.</param>
    /// <param name="maximum">As 'Maximum Pool Size'.</param>
    /// <exception cref="InvalidOperationException">There is no pool.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A number is too small, or the minimum is more than the maximum.</exception>
    public void ResizePool(int minimum, int maximum)
    {
        foreach (var source in Checked().Sources)
        {
            (source.Pool ?? throw new InvalidOperationException("'Pooling' is false: there is no pool to resize."))
                .Resize(minimum, maximum);
            source.Lanes?.Resize(maximum);
        }
    }

    /// <summary>
    /// Forgets what was found out about types that are not built in. Seldom needed: types that are made are found, those that are changed
    /// through this data source too. A composite type whose fields somebody else renames or swaps is the exception. Nothing is sent; a type
    /// is looked up when it is met again.
    /// </summary>
    public void ReloadTypes()
    {
        foreach (var source in Sources)
            source.Context.Database.ForgetTypes();
    }

    /// <inheritdoc cref="ReloadTypes"/>
    public Task ReloadTypesAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled(cancellationToken);
        ReloadTypes();
        return Task.CompletedTask;
    }

    /// <summary>Closes the pool's idle connections now, and those in use when they come back; with several hosts, of all pools.</summary>
    public void Clear()
    {
        foreach (var source in Sources)
        {
            // In this order: a lane that is being opened meanwhile has a new session, or is not used.
            source.Pool?.Clear();
            source.Lanes?.Clear();
        }
    }

    /// <inheritdoc cref="Clear"/>
    public async ValueTask ClearAsync()
    {
        foreach (var source in Sources)
        {
            var cleared = source.Pool?.ClearAsync() ?? default;
            source.Lanes?.Clear();
            await cleared.ConfigureAwait(false);
        }
    }

    /// <summary>Hands out no more connections and waits until those in use have come back.</summary>
    /// <param name="timeout">How long to wait; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <returns>False if some were still in use when the time was over.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is not positive, or longer than 24 days.</exception>
    public async ValueTask<bool> DrainAsync(TimeSpan timeout)
    {
        var draining = new List<Task<bool>>();
        foreach (var source in Sources)
        {
            source.Lanes?.Dispose();
            if (source.Pool is { } pool)
                draining.Add(pool.DrainAsync(timeout).AsTask());
        }
        var drained = await Task.WhenAll(draining).ConfigureAwait(false);
        return Array.TrueForAll(drained, static isEmpty => isEmpty);
    }

    /// <summary>
    /// How the pool stands at this moment; null when <c>Pooling=false</c>, and with several hosts: see
    /// <see cref="PgMultiHostDataSource.HostDataSources"/>.
    /// </summary>
    public PoolStatistics? GetPoolStatistics() => Pool?.GetStatistics();

    /// <summary>
    /// The pool at this moment, with each physical connection; null when <c>Pooling=false</c>, and with several hosts: see
    /// <see cref="PgMultiHostDataSource.HostDataSources"/>.
    /// </summary>
    public PgPoolSnapshot? GetPoolSnapshot() => Pool is { } pool ? PoolReading.Snapshot(pool) : null;

    /// <summary>What the sessions of the data source have done since it was made: statements, rows, bytes, resets.</summary>
    public PgSessionStatistics GetSessionStatistics() => SessionTotals.Read(Sources.Select(static source => source.Context.Totals));

    /// <summary>What the lanes have done so far; null unless <c>Multiplexing=true</c>.</summary>
    public PgLaneStatistics? GetLaneStatistics() => Lanes?.GetStatistics();

    /// <summary>
    /// What the statements have done so far; null unless the builder was told to count by UseStatementStatistics, and with several hosts:
    /// see <see cref="PgMultiHostDataSource.HostDataSources"/>.
    /// </summary>
    public PgStatementStatistics? GetStatementStatistics() => Hosts is null ? Context.Telemetry!.Statements?.GetStatistics() : null;

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

    /// <summary>From now on, members that make or open something throw.</summary>
    private protected void BeDisposed() => _isDisposed = true;

    internal PgDataSource Checked()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        return this;
    }
}
