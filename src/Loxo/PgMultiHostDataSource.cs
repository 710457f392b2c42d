using Loxo.Commands;
using Loxo.Pool.Hosts;
using Loxo.Pooling;
using Loxo.Session;
using Loxo.Settings;

namespace Loxo;

/// <summary>
/// A data source of several hosts, each with a pool of its own. Connections are opened on a host that serves what
/// <c>Target Session Attributes</c> asks for: see docs/hosts.md.
/// </summary>
/// <inheritdoc cref="PgDataSource"/>
public sealed class PgMultiHostDataSource : PgDataSource
{
    private readonly Lock _lock = new();
    private readonly List<View> _views = [];
    private bool _isDisposed;

    private PgMultiHostDataSource(ConnectionSettings settings, HostChoice hosts)
        : base(settings, hosts)
    {
    }

    /// <summary>Makes the data sources of the hosts, and that of all of them.</summary>
    /// <param name="settings">Those of each host are in it.</param>
    /// <param name="makeSource">Makes the data source of a host.</param>
    /// <exception cref="NotSupportedException">The settings ask for multiplexing.</exception>
    internal static PgMultiHostDataSource Make(ConnectionSettings settings, Func<ConnectionSettings, PgDataSource> makeSource)
    {
        if (settings.Pool.Multiplexing)
            throw HostErrors.Multiplexing();
        PgDataSource[] sources = [.. settings.Hosts.Select(makeSource)];
        HostEndpoint[] hosts = [.. sources.Select(static (source, index) => new HostEndpoint(source.Context, source.Pool, index))];
        return new(settings, new HostChoice(new HostGroup(hosts, settings.Choice), sources, settings.Choice.Target));
    }

    /// <summary>
    /// The data source of each host, in their order, for its pool and statistics. They belong to this one: do not dispose them.
    /// </summary>
    public IReadOnlyList<PgDataSource> HostDataSources => Sources;

    /// <summary>The same hosts and pools, for connections that ask for something else. It need not be disposed.</summary>
    /// <param name="targetSessionAttributes">What is asked of a host, whatever the connection string says.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such value.</exception>
    public PgDataSource WithTargetSession(TargetSessionAttributes targetSessionAttributes)
    {
        if (!Enum.IsDefined(targetSessionAttributes))
            throw new ArgumentOutOfRangeException(nameof(targetSessionAttributes), targetSessionAttributes, "There is no such target.");
        return ViewOf(Settings with { Choice = Settings.Choice with { Target = targetSessionAttributes } });
    }

    /// <inheritdoc cref="WithTargetSession(TargetSessionAttributes)"/>
    /// <param name="targetSessionAttributes">What is asked of a host, whatever the connection string says.</param>
    /// <param name="freshness">
    /// What a standby must have replayed. Where none has, and the primary does not serve, opening a connection waits for one until
    /// 'Timeout'.
    /// </param>
    public PgDataSource WithTargetSession(TargetSessionAttributes targetSessionAttributes, PgFreshness freshness)
    {
        var view = WithTargetSession(targetSessionAttributes);
        return freshness.IsAny ? view : new View(view.Settings, view.Hosts!.With(freshness), this);
    }

    /// <summary>
    /// Asks the primary where its write-ahead log ends, blocking: a standby that has replayed up to there has everything that was
    /// committed before. See <see cref="PgFreshness.After"/>.
    /// </summary>
    /// <exception cref="PgException">No primary answers within 'Timeout'.</exception>
    public PgLogSequenceNumber GetWritePosition()
    {
        Checked();
        return Hosts!.Group.Search(TargetSessionAttributes.Primary).AskWritePosition();
    }

    /// <inheritdoc cref="GetWritePosition"/>
    /// <param name="cancellationToken">Cancels the question.</param>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public ValueTask<PgLogSequenceNumber> GetWritePositionAsync(CancellationToken cancellationToken = default)
    {
        Checked();
        return Hosts!.Group.Search(TargetSessionAttributes.Primary).AskWritePositionAsync(cancellationToken);
    }

    /// <summary>A connection, not yet open.</summary>
    /// <inheritdoc cref="WithTargetSession(TargetSessionAttributes)"/>
    public PgConnection CreateConnection(TargetSessionAttributes targetSessionAttributes) =>
        WithTargetSession(targetSessionAttributes).CreateConnection();

    /// <summary>An open connection.</summary>
    /// <inheritdoc cref="WithTargetSession(TargetSessionAttributes)"/>
    /// <exception cref="PgException">No host serves, or none could be connected to.</exception>
    public PgConnection OpenConnection(TargetSessionAttributes targetSessionAttributes) =>
        WithTargetSession(targetSessionAttributes).OpenConnection();

    /// <inheritdoc cref="OpenConnection"/>
    public ValueTask<PgConnection> OpenConnectionAsync(
        TargetSessionAttributes targetSessionAttributes, CancellationToken cancellationToken = default) =>
        WithTargetSession(targetSessionAttributes).OpenConnectionAsync(cancellationToken);

    /// <summary>Forgets what is known of the hosts: each is asked before it is used again. Connections stay open.</summary>
    public void ClearDatabaseStates() => Hosts!.Group.Forget();

    /// <summary>What is known of the hosts at this moment, in their order; nothing is asked for it.</summary>
    public IReadOnlyList<PgHostStatus> GetHosts() => [.. Hosts!.Group.Hosts.Select(static host => Describe(host))];

    /// <summary>Asks all hosts at once, each within 'Timeout', and tells what is known of them then. It fails for no host.</summary>
    /// <param name="cancellationToken">Cancels the questions.</param>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public async Task<IReadOnlyList<PgHostStatus>> CheckHostsAsync(CancellationToken cancellationToken = default)
    {
        Checked();
        cancellationToken.ThrowIfCancellationRequested();
        await Hosts!.Group.AskAllAsync(cancellationToken).ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
        return GetHosts();
    }

    internal override PgMultiHostDataSource AllHosts => this;

    /// <summary>The data source of a connection string that differs in its target alone.</summary>
    internal PgDataSource ViewOf(ConnectionSettings settings)
    {
        lock (_lock)
        {
            Checked();
            var view = _views.Find(view => view.Serves(settings));
            if (view is null)
                _views.Add(view = new View(settings, Hosts!.With(settings.Choice.Target), this));
            return view;
        }
    }

    /// <summary>Closes the idle connections of all pools; those in use can be used on and are closed when they come back.</summary>
    protected override void Dispose(bool disposing)
    {
        if (!disposing || !TryBeginDispose())
            return;
        foreach (var source in Sources)
            source.Dispose();
    }

    /// <inheritdoc cref="Dispose(bool)"/>
    protected override async ValueTask DisposeAsyncCore()
    {
        if (!TryBeginDispose())
            return;
        foreach (var source in Sources)
            await source.DisposeAsync().ConfigureAwait(false);
    }

    private bool TryBeginDispose()
    {
        lock (_lock)
        {
            if (_isDisposed)
                return false;
            _isDisposed = true;
            BeDisposed();
            foreach (var view in _views)
                view.Dispose();
        }
        Hosts!.Group.Dispose();
        Notifications.Dispose();
        return true;
    }

    private static PgHostStatus Describe(HostEndpoint host)
    {
        var (state, news) = (host.State, host.State.News);
        return new()
        {
            Host = state.Address.Host,
            Port = state.Address.Port,
            Role = news.Role,
            RoleAge = news.Role == PgHostRole.Unknown ? null : state.Age(news.Learnt),
            IsInDoubt = news.IsDoubted,
            Failure = news.HasFailed ? news.Failure : null,
            Pool = host.Pool?.GetStatistics(),
        };
    }

    /// <summary>The same hosts with another target.</summary>
    private sealed class View(ConnectionSettings settings, HostChoice hosts, PgMultiHostDataSource all)
        : PgDataSource(settings, hosts, all.Notifications)
    {
        public bool Serves(ConnectionSettings other) =>
            Settings.Choice.Target == other.Choice.Target && Settings.ConnectionString == other.ConnectionString;

        internal override PgMultiHostDataSource AllHosts => all;

        // The hosts are not its own. Others may have the same object.
        protected override void Dispose(bool disposing)
        {
            if (all._isDisposed)
                BeDisposed();
        }

        protected override ValueTask DisposeAsyncCore()
        {
            Dispose(disposing: true);
            return default;
        }
    }
}

/// <summary>One of several hosts at one moment.</summary>
public sealed record PgHostStatus
{
    /// <summary>The host's name, address or socket directory.</summary>
    public string Host { get; init; } = "";

    /// <summary>Its port.</summary>
    public int Port { get; init; }

    /// <summary>Its role, when it was last asked.</summary>
    public PgHostRole Role { get; init; }

    /// <summary>How long ago it was asked; null if it has not answered yet.</summary>
    public TimeSpan? RoleAge { get; init; }

    /// <summary>Whether something has spoken against it since then, such as a lost connection: it is asked before it is used.</summary>
    public bool IsInDoubt { get; init; }

    /// <summary>Why no connection to it could be opened; null if the last attempt succeeded, or there was none.</summary>
    public Exception? Failure { get; init; }

    /// <summary>Its pool; null when <c>Pooling=false</c>.</summary>
    public PoolStatistics? Pool { get; init; }
}
