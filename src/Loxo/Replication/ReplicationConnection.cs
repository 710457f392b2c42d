using System.Text;
using Loxo.Commands;
using Loxo.Diagnostics;
using Loxo.Replication;
using Loxo.Session;
using Loxo.Sql;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Loxo;

/// <summary>
/// A connection that speaks the replication protocol. It is never pooled, has no keepalive of its own and takes part in no
/// <see cref="System.Transactions.Transaction"/>. All members wait asynchronously. Only <see cref="SetReplicationStatus"/>,
/// <see cref="SendStatusUpdate"/> and the places may be used while another thread uses the connection.
/// </summary>
/// <exception cref="InvalidOperationException">
/// Any member that asks the server: the connection is not open, or a replication runs on it.
/// </exception>
/// <exception cref="ObjectDisposedException">Any member that asks the server: the connection is disposed.</exception>
/// <exception cref="ArgumentException">Any member with a name: it is empty, or contains NUL.</exception>
public abstract class ReplicationConnection : IAsyncDisposable
{
    private readonly string _mode;
    private readonly PgDataSource? _givenSource;
    private readonly ReplicationStatus _status = new();
    private string _connectionString;
    private TimeSpan? _commandTimeout;
    private PgDataSource? _source;
    private PgDataSource? _host;
    private ServerSession? _session;
    private WalStream? _stream;
    private ILogger _log = NullLogger.Instance;
    private bool _isDisposed;

    private protected ReplicationConnection(string mode, string? connectionString) =>
        (_mode, _connectionString) = (mode, connectionString ?? "");

    private protected ReplicationConnection(string mode, PgDataSource dataSource)
    {
        ArgumentNullException.ThrowIfNull(dataSource);
        (_mode, _givenSource, _connectionString) = (mode, dataSource, dataSource.ConnectionString);
    }

    /// <summary>
    /// Keywords and values. Pooling, multiplexing, enlisting and <c>KeepAlive</c> are turned off whatever they say. Once the connection is
    /// open, it is without the password unless <c>Persist Security Info=true</c>.
    /// </summary>
    /// <exception cref="InvalidOperationException">It is set while the connection is open, or the connection has a data source.</exception>
    [AllowNull]
    public string ConnectionString
    {
        get => _source?.ConnectionString ?? _connectionString;
        set
        {
            if (_session is not null || _givenSource is not null)
                throw ReplicationErrors.AlreadyOpen();
            _connectionString = value ?? "";
        }
    }

    /// <summary>The place up to which everything has arrived.</summary>
    public PgLogSequenceNumber LastReceivedLsn => _status.Received;

    /// <summary>
    /// The place up to which the program has stored everything, which the server is told with the next status: it keeps no log in front of
    /// it. 0/0, the initial value, tells nothing.
    /// </summary>
    public PgLogSequenceNumber LastFlushedLsn
    {
        get => _status.Flushed;
        set => _status.Flushed = value;
    }

    /// <summary>The place up to which the program has applied everything, which the server is told with the next status.</summary>
    public PgLogSequenceNumber LastAppliedLsn
    {
        get => _status.Applied;
        set => _status.Applied = value;
    }

    /// <summary>
    /// How often the server is told how far the program has come, whether it reads or not. The default is 10 seconds;
    /// <see cref="Timeout.InfiniteTimeSpan"/> or 0 for only when the server asks. A server that hears nothing for its
    /// <c>wal_sender_timeout</c> (60 seconds by default) closes the connection.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative or longer than 24 days.</exception>
    public TimeSpan WalReceiverStatusInterval
    {
        get;
        set
        {
            field = Checked(value);
            _stream?.SetIntervals(field, WalReceiverTimeout);
        }
    } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long the server may send nothing while the program waits for a message: the connection is closed then, with a
    /// <see cref="PgException"/>. After half of the time the server is asked for a sign of life. The default is 60 seconds;
    /// <see cref="Timeout.InfiniteTimeSpan"/> or 0 for no limit.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative or longer than 24 days.</exception>
    public TimeSpan WalReceiverTimeout
    {
        get;
        set
        {
            field = Checked(value);
            _stream?.SetIntervals(WalReceiverStatusInterval, field);
        }
    } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// How long the answer to a command may take; the default is that of the connection string. <see cref="Timeout.InfiniteTimeSpan"/> or 0
    /// for no limit.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative or longer than 24 days.</exception>
    public TimeSpan CommandTimeout
    {
        get => _commandTimeout ?? (_source ?? Source()).DefaultCommandTimeout;
        set => _commandTimeout = Checked(value);
    }

    /// <summary>UTF-8.</summary>
    public Encoding Encoding => Encoding.UTF8;

    /// <summary>The server's version as it says it.</summary>
    /// <exception cref="InvalidOperationException">The connection is not open.</exception>
    public string ServerVersion => Session.Parameters.Values.GetValueOrDefault("server_version", "");

    /// <summary>The server's version.</summary>
    /// <exception cref="InvalidOperationException">The connection is not open.</exception>
    public Version PostgreSqlVersion => ServerVersions.Parse(ServerVersion);

    /// <summary>The server process.</summary>
    /// <exception cref="InvalidOperationException">The connection is not open.</exception>
    public int ProcessID => Session.ProcessId;

    internal ReplicationStatus Status => _status;

    /// <summary>The data source of the host that it is open on.</summary>
    internal PgDataSource Host => _host!;

    internal SessionContext Context => _host!.Context;

    internal int Timeout => Milliseconds(CommandTimeout);

    private ServerSession Session => _session ?? throw ReplicationErrors.NotOpen();

    /// <summary>Connects and logs in.</summary>
    /// <exception cref="PgException">The server cannot be reached, or refuses: the role needs the attribute REPLICATION.</exception>
    /// <exception cref="InvalidOperationException">The connection is open.</exception>
    public async Task Open(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (_session is not null)
            throw ReplicationErrors.AlreadyOpen();
        _source = Source();
        try
        {
            _host = _source.Hosts is { } hosts ? await hosts.FindAsync(hosts.Target, cancellationToken).ConfigureAwait(false) : _source;
            var settings = _host.Context.Settings with
            {
                Replication = _mode,
                KeepAlive = TimeSpan.Zero,
                AutoPrepare = new AutoPrepareSettings(Most: 0, MinUsages: 1),
            };
            var context = _host.Context with { Settings = settings, Telemetry = null, Initializer = null };
            _session = await SessionOpener.OpenAsync(context, settings.OpenTimeout, cancellationToken).ConfigureAwait(false);
            _log = _source.Loggers.CreateLogger(ReplicationLog.Category);
            ReplicationLog.Opened(_log, _session.ProcessId);
        }
        catch when (_givenSource is null)
        {
            await _source.DisposeAsync().ConfigureAwait(false);
            _source = null;
            throw;
        }
    }

    /// <summary>Asks the server who it is.</summary>
    /// <exception cref="PgException">The server refuses, or the connection is lost.</exception>
    public async Task<ReplicationSystemIdentification> IdentifySystem(CancellationToken cancellationToken = default)
    {
        var row = await AskForRow("IDENTIFY_SYSTEM", columns: 4, cancellationToken).ConfigureAwait(false);
        return new(row[0]!, Number(row[1], "IDENTIFY_SYSTEM"), Place(row[2]), row[3]);
    }

    /// <summary>Asks for a run-time parameter of the server.</summary>
    /// <param name="parameterName">Its name.</param>
    /// <param name="cancellationToken">Cancels the command.</param>
    /// <exception cref="PgException">There is none of that name, or the connection is lost.</exception>
    public async Task<string> Show(string parameterName, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(parameterName);
        var name = string.Join('.', parameterName.Split('.').Select(SqlIdentifier.Quote));
        return (await AskForRow("SHOW " + name, columns: 1, cancellationToken).ConfigureAwait(false))[0] ?? "";
    }

    /// <summary>Asks for the history of a timeline.</summary>
    /// <param name="tli">The timeline; 1 has none.</param>
    /// <param name="cancellationToken">Cancels the command.</param>
    /// <exception cref="PgException">There is none, or the connection is lost.</exception>
    public async Task<TimelineHistoryFile> TimelineHistory(uint tli, CancellationToken cancellationToken = default)
    {
        var command = string.Create(CultureInfo.InvariantCulture, $"TIMELINE_HISTORY {tli}");
        return await Ask(command, cancellationToken).ConfigureAwait(false) is [[{ } name, { } content]]
            ? new(Encoding.UTF8.GetString(name), content)
            : throw ReplicationErrors.UnexpectedAnswer(command);
    }

    /// <summary>
    /// Sets <see cref="LastAppliedLsn"/> and <see cref="LastFlushedLsn"/>: the program has stored everything up to there. The server is
    /// told with the next status; <see cref="SendStatusUpdate"/> tells it at once.
    /// </summary>
    /// <param name="lastAppliedAndFlushedLsn">The end of the last message, or of the last transaction, that is done with.</param>
    public void SetReplicationStatus(PgLogSequenceNumber lastAppliedAndFlushedLsn) =>
        (_status.Applied, _status.Flushed) = (lastAppliedAndFlushedLsn, lastAppliedAndFlushedLsn);

    /// <summary>Tells the server at once how far the program has come.</summary>
    /// <exception cref="InvalidOperationException">No replication runs on the connection.</exception>
    public Task SendStatusUpdate(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled(cancellationToken);
        return Volatile.Read(ref _stream)?.TrySendStatus() == true
            ? Task.CompletedTask
            : throw ReplicationErrors.NotStreaming();
    }

    /// <summary>Drops a replication slot.</summary>
    /// <param name="slotName">Its name.</param>
    /// <param name="wait">Whether to wait while another connection uses it; otherwise that is an error.</param>
    /// <param name="cancellationToken">Cancels the command.</param>
    /// <exception cref="PgException">There is none of that name, it is in use, or the connection is lost.</exception>
    public Task DropReplicationSlot(string slotName, bool wait = false, CancellationToken cancellationToken = default) =>
        Run($"DROP_REPLICATION_SLOT {SqlIdentifier.Quote(slotName)}{(wait ? " WAIT" : "")}", cancellationToken);

    /// <summary>Ends what runs, and closes the connection.</summary>
    public async ValueTask DisposeAsync()
    {
        _isDisposed = true;
        GC.SuppressFinalize(this);
        if (_stream is { } stream)
            await stream.DisposeAsync().ConfigureAwait(false);
        if (_session is { } session)
        {
            session.Dispose();
            ReplicationLog.Closed(_log, session.ProcessId);
        }
        _session = null;
        if (_source is not null && _givenSource is null)
            await _source.DisposeAsync().ConfigureAwait(false);
    }

    internal static string Quoted(string value) => $"'{value.Replace("'", "''", StringComparison.Ordinal)}'";

    internal static PgLogSequenceNumber Place(string? text) => text is null ? default : PgLogSequenceNumber.Parse(text);

    internal static uint Number(string? text, string command) =>
        uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
            ? number
            : throw ReplicationErrors.UnexpectedAnswer(command);

    internal Task Run(string command, CancellationToken token) => Ask(command, token);

    internal async Task<string?[]> AskForRow(string command, int columns, CancellationToken token) =>
        await Ask(command, token).ConfigureAwait(false) is [{ } row] && row.Length >= columns
            ? Array.ConvertAll(row, column => column is null ? null : Encoding.UTF8.GetString(column))
            : throw ReplicationErrors.UnexpectedAnswer(command);

    /// <summary>Starts a replication. It is to be disposed before another command runs.</summary>
    /// <param name="command">START_REPLICATION.</param>
    /// <param name="isPhysical">Whether the log comes as it is.</param>
    /// <param name="isLast">Whether the connection is closed when the replication has ended.</param>
    /// <param name="token">Cancels the start.</param>
    internal async Task<WalStream> Start(string command, bool isPhysical, bool isLast, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        CheckIdle();
        ReplicationLog.Running(_log, Session.ProcessId, command);
        var stream = await WalStream.StartAsync(Session, command, _status, isPhysical, isLast, Timeout, token).ConfigureAwait(false);
        Volatile.Write(ref _stream, stream);
        stream.SetIntervals(WalReceiverStatusInterval, WalReceiverTimeout);
        return stream;
    }

    private async Task<IReadOnlyList<byte[]?[]>> Ask(string command, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        CheckIdle();
        var session = Session;
        ReplicationLog.Running(_log, session.ProcessId, command);
        var exchange = await session.BeginAsync(owner: null, static (session, command) => new ReplicationCommand(session, command), command)
            .ConfigureAwait(false);
        await session.PumpAsync(exchange, Timeout, token).ConfigureAwait(false);
        var error = exchange.Error is { } fields ? CommandRunner.ErrorOf(session, fields, session.StopReason, token) : null;
        session.End();
        return error is null ? exchange.Rows : throw error;
    }

    private void CheckIdle()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (_stream is { IsOpen: true })
            throw ReplicationErrors.Streaming();
    }

    private PgDataSource Source()
    {
        if (_givenSource is not null)
            return _givenSource;
        if (_connectionString.Length == 0)
            throw ReplicationErrors.NoConnectionString();
        var settings = new PgConnectionStringBuilder(_connectionString) { Pooling = false, Multiplexing = false, Enlist = false };
        return new PgDataSourceBuilder(settings.ConnectionString).UseLoggerFactory(PgLoggingConfiguration.LoggerFactory).Build();
    }

    private static TimeSpan Checked(TimeSpan time)
    {
        if (time != System.Threading.Timeout.InfiniteTimeSpan && (time < TimeSpan.Zero || time.TotalMilliseconds > int.MaxValue))
            throw new ArgumentOutOfRangeException(nameof(time), time, "The time must be at most 24 days and not negative, or infinite.");
        return time;
    }

    private static int Milliseconds(TimeSpan time) =>
        time > TimeSpan.Zero ? (int)Math.Min(int.MaxValue, Math.Ceiling(time.TotalMilliseconds)) : System.Threading.Timeout.Infinite;
}
