using Loxo.Types;

namespace Loxo.Session;

/// <summary>
/// What is known of a database as one server has it: types, the formats of columns, and the code behind plain statements. It says nothing
/// of how the server is reached. Servers of one data source do not share it: nothing in the protocol proves that they have the same OIDs.
/// </summary>
internal sealed class DatabaseKnowledge(Func<DatabaseTypes> makeTypes)
{
    private readonly Lock _makingTypes = new();
    private long _invalidations;
    private long _definitions;
    private volatile DatabaseTypes? _types;
    private volatile bool _refusesLookups;
    private int _typesVersion = -1;

    /// <summary>The types of the database, as far as all sessions know them.</summary>
    public DatabaseTypes Types =>
        _types is { IsOutdated: false } types && _typesVersion == PgTypeMapper.Global.Version ? types : NewTypes();

    /// <summary>Whether the server does not understand the query of its types: it has another catalogue, or none.</summary>
    public bool RefusesLookups
    {
        get => _refusesLookups;
        set => _refusesLookups = value;
    }

    /// <summary>Which columns of which texts have to be asked for as text.</summary>
    public FormatMemory Formats { get; } = new();

    /// <summary>The types of the columns that COPY has copied.</summary>
    public CopyMemory Copies { get; } = new();

    /// <summary>
    /// Called when a statement is sent that may change functions, triggers or other code in the database, and when its transaction has
    /// ended; null for no call. The number is 1 with the first such statement of a transaction, -1 with its end, and 0 otherwise.
    /// </summary>
    public Action<int>? RoutinesMayChange { get; set; }

    /// <summary>
    /// Called with the server process of a session that broke before the outcome of a transaction was known that may have changed such
    /// code; null for no call.
    /// </summary>
    public Action<int>? RoutinesOutcomeUnknown { get; set; }

    /// <summary>
    /// Called with the name of a database that may be another one from then on, null for any, and with the server process if the session
    /// broke before that was known; null for no call.
    /// </summary>
    public Action<string?, int?>? DatabaseMayChange { get; set; }

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

    /// <summary>How often an answer has shown that a statement's meaning had changed, in any session.</summary>
    public long Invalidations => Volatile.Read(ref _invalidations);

    /// <summary>How often types or tables may have been defined anew by a session, or were said to be.</summary>
    public long Definitions => Volatile.Read(ref _definitions);

    /// <summary>Forgets the types that were looked up; each is looked up again with its next use.</summary>
    public void ForgetTypes()
    {
        Interlocked.Increment(ref _definitions);
        Types.MarkOutdated();
    }

    /// <summary>Types or tables may have been defined anew.</summary>
    public void DefinitionsChanged()
    {
        Interlocked.Increment(ref _definitions);
        lock (_makingTypes)
            _types = _types?.AfterDefinitions();
    }

    /// <summary>Every session parses its statements again, each at its next use.</summary>
    public void ForgetMeanings() => Interlocked.Increment(ref _invalidations);

    private DatabaseTypes NewTypes()
    {
        lock (_makingTypes)
        {
            var version = PgTypeMapper.Global.Version;
            if (_types is { IsOutdated: false } && version == _typesVersion)
                return _types;
            if (_types is not null)
                ForgetMeanings();
            _types = _types is not null && version == _typesVersion ? _types.Emptied() : makeTypes();
            Volatile.Write(ref _typesVersion, version);
            return _types;
        }
    }
}
