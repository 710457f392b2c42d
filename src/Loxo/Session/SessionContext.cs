using Loxo.Diagnostics;
using Loxo.Protocol.Authentication;
using Loxo.Transport;
using Loxo.Types;

namespace Loxo.Session;

/// <summary>Settings, services and database types that all sessions of a data source share.</summary>
internal sealed record SessionContext(
    TransportSettings Transport, SessionSettings Settings, Dialer Dialer, TimeProvider Time, Func<DatabaseTypes> MakeTypes)
{
    private readonly Lock _makingTypes = new();
    private long _invalidations;
    private volatile DatabaseTypes? _types;
    private int _typesVersion = -1;

    /// <summary>The types of the database, as far as all sessions know them.</summary>
    public DatabaseTypes Types =>
        _types is { IsOutdated: false } types && _typesVersion == PgTypeMapper.Global.Version ? types : NewTypes();

    /// <summary>Certificates and the like, loaded once.</summary>
    public TlsContext Tls { get; } = new(Transport.Tls);

    /// <summary>Keys of SCRAM logins, so that the next one derives none.</summary>
    public ScramKeyCache ScramKeys { get; } = new();

    /// <summary>Which columns of which texts have to be asked for as text.</summary>
    public FormatMemory Formats { get; } = new();

    /// <summary>The types of the columns that COPY has copied.</summary>
    public CopyMemory Copies { get; } = new();

    /// <summary>Where passwords come from before the settings are asked; null for the settings alone.</summary>
    public PasswordSource? Passwords { get; set; }

    /// <summary>What spans, figures and log messages say of the data source; null if it tells nothing.</summary>
    public TelemetryTarget? Telemetry { get; set; }

    /// <summary>What the program does with each new session, in the form of the wait; null for nothing.</summary>
    public (Action<ServerSession> Blocking, Func<ServerSession, ValueTask> Async)? Initializer { get; set; }

    /// <summary>
    /// Called when a statement is sent that may change functions, triggers or other code in the database; null for no call.
    /// </summary>
    public Action? RoutinesMayChange { get; set; }

    /// <summary>
    /// Called with the server process of a session that broke before the outcome of a transaction was known that may have changed such
    /// code; null for no call.
    /// </summary>
    public Action<int>? RoutinesOutcomeUnknown { get; set; }

    /// <summary>
    /// The functions of the database by which statements may change the session or the meaning of names, as known at the moment; null where
    /// the database is not audited.
    /// </summary>
    public Func<ReachableFunctions>? Reachable { get; set; }

    /// <summary>
    /// Whether the database is known to run no code behind a plain statement of the session that could change more than the transaction;
    /// null where the database is not audited.
    /// </summary>
    public Func<ServerSession, bool>? HidesNothing { get; set; }

    /// <summary>What the sessions have done.</summary>
    public SessionTotals Totals { get; } = new();

    /// <summary>How often an answer has shown that a statement's meaning had changed, in any session.</summary>
    public long Invalidations => Volatile.Read(ref _invalidations);

    /// <summary>Forgets the types that were looked up; each is looked up again with its next use.</summary>
    public void ForgetTypes() => Types.MarkOutdated();

    /// <summary>Types or tables may have been defined anew.</summary>
    public void DefinitionsChanged()
    {
        lock (_makingTypes)
            _types = _types?.AfterDefinitions();
    }

    /// <summary>Every session parses its statements again, each at its next use.</summary>
    public void ForgetMeanings() => Interlocked.Increment(ref _invalidations);

    /// <summary>
    /// How long the answer to a cancelled command is waited for; <see cref="Timeout.InfiniteTimeSpan"/> for ever,
    /// <see cref="TimeSpan.Zero"/> not at all: the connection is closed instead.
    /// </summary>
    public TimeSpan CancelWait => Settings.CancellationTimeout;

    private DatabaseTypes NewTypes()
    {
        lock (_makingTypes)
        {
            var version = PgTypeMapper.Global.Version;
            if (_types is { IsOutdated: false } && version == _typesVersion)
                return _types;
            if (_types is not null)
                ForgetMeanings();
            _types = _types is not null && version == _typesVersion ? _types.Emptied() : MakeTypes();
            Volatile.Write(ref _typesVersion, version);
            return _types;
        }
    }
}
