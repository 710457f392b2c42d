using Loxo.Protocol.Authentication;
using Loxo.Transport;
using Loxo.Types;

namespace Loxo.Session;

/// <summary>What all sessions of one data source share: settings, services and the types of the database.</summary>
internal sealed record SessionContext(TransportSettings Transport, SessionSettings Settings, Dialer Dialer, TimeProvider Time, Func<DatabaseTypes> MakeTypes)
{
    private readonly Lock _makingTypes = new();
    private long _invalidations;
    private volatile DatabaseTypes? _types;
    private int _typesVersion = -1;

    /// <summary>The types of the database, as far as all sessions know them.</summary>
    public DatabaseTypes Types => _types is { IsOutdated: false } types && _typesVersion == PgTypeMapper.Global.Version ? types : NewTypes();

    /// <summary>Certificates and the like, loaded once.</summary>
    public TlsContext Tls { get; } = new(Transport.Tls);

    /// <summary>Keys of SCRAM logins, so that the next one derives none.</summary>
    public ScramKeyCache ScramKeys { get; } = new();

    /// <summary>Which columns of which texts have to be asked for as text.</summary>
    public FormatMemory Formats { get; } = new();

    /// <summary>Called when a statement is sent that may change the code that others run unseen; null when nobody wants to know.</summary>
    public Action? RoutinesMayChange { get; set; }

    /// <summary>
    /// Called with the server process of a session that broke before a transaction that may have changed such code was known to have ended; null when
    /// nobody wants to know.
    /// </summary>
    public Action<int>? RoutinesOutcomeUnknown { get; set; }

    /// <summary>What attribute notation reaches in the database, as far as it is known; null when nobody asks the database.</summary>
    public Func<ReachableFunctions>? Reachable { get; set; }

    /// <summary>How often an answer has shown that a statement's meaning had changed, in any session.</summary>
    public long Invalidations => Volatile.Read(ref _invalidations);

    /// <summary>What was looked up is looked up again when it is met.</summary>
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
