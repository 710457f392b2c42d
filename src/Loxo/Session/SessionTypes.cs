using Loxo.Types;

namespace Loxo.Session;

/// <summary>
/// The types of the database as one session sees them. Mostly these are the types that all sessions of the data source share. A session
/// keeps its own when an open transaction may be rolled back, or when its search path may differ from the others'.
/// </summary>
internal sealed class SessionTypes(ServerSession session)
{
    private readonly HashSet<TypeName> _namesToLookUp = [];
    private readonly HashSet<TypeName> _absent = [];
    // What was known when they were asked for: if it is forgotten, they are asked for again.
    private object? _absentFrom;
    private DatabaseTypes? _own;
    private DatabaseTypes? _below;
    private long _epoch;
    private bool _mayBeRolledBack;
    private bool _hasFailed;
    // Of one statement after the other.
    private uint[] _bound = [];
    private int _boundCount;

    /// <summary>The types that are known at this moment.</summary>
    public DatabaseTypes Known => !session.Effects.HasOtherNames && !_mayBeRolledBack ? session.Context.Database.Types : Own();

    /// <summary>An object that is replaced whenever types may have changed.</summary>
    public object Stamp => Known;

    /// <summary>The unknown type names that have to be looked up before the command can be written.</summary>
    public IReadOnlyCollection<TypeName> NamesToLookUp => _namesToLookUp;

    /// <summary>Whether the server can be asked at all: some have no catalogue.</summary>
    public bool HasCatalogue => !_hasFailed && !session.Context.Database.RefusesLookups
        && session.Context.Settings.Compatibility == ServerCompatibilityMode.None;

    /// <summary>Whether the server can be asked now: a failed transaction takes no queries.</summary>
    public bool CanLookUp => HasCatalogue && session.TransactionStatus != Protocol.TransactionStatus.Failed;

    /// <summary>The types to announce for the parameters of the statement that was bound last.</summary>
    public ReadOnlySpan<uint> Bound => _bound.AsSpan(0, _boundCount);

    /// <summary>Whether every one of them that the server is to choose is that of a NULL, which fits any.</summary>
    public bool NullsMatch { get; set; }

    /// <summary>A statement is being bound: its types go here.</summary>
    public Span<uint> BeginBinding(int count)
    {
        if (_bound.Length < count)
            _bound = new uint[count];
        _boundCount = count;
        return _bound.AsSpan(0, count);
    }

    /// <summary>Finds a type by a name as SQL writes it, like <see cref="FindOrRequest"/>.</summary>
    public TypeEntry? Find(string name) => Known.BuiltIn.Find(name) ?? FindOrRequest(TypeName.Parse(name));

    /// <summary>Finds a type by name. Returns null for an unknown name, and notes it for the lookup if one is possible.</summary>
    public TypeEntry? FindOrRequest(TypeName name)
    {
        if (name.Schema == "pg_catalog" && Known.BuiltIn.Find(name.Name) is { } builtIn)
            return name.IsArray ? builtIn.Array : builtIn;
        if (Known.Find(name) is { } found)
            return found;
        var scalar = name with { IsArray = false };
        if (CanLookUp && !(_absent.Contains(scalar) && ReferenceEquals(_absentFrom, Known)))
            _namesToLookUp.Add(scalar);
        return null;
    }

    /// <summary>Clears the names: their lookup has been written.</summary>
    public void LookUpStarted() => _namesToLookUp.Clear();

    /// <summary>Adds the types that the catalogue has. The other names do not exist for the current command.</summary>
    /// <param name="found">The types that exist.</param>
    /// <param name="names">The names that were asked for.</param>
    public void LookUpSucceeded(IReadOnlyList<TypeDescription> found, IReadOnlyCollection<TypeName> names)
    {
        AddAbsent(names);
        _mayBeRolledBack |= found.Any(type => type.MayBeRolledBack);
        // A temporary type was made by this session, which finds other types by the same names than others do from then on.
        if (!_mayBeRolledBack)
            session.Context.Database.Types.Add(found, byPath: !session.Effects.HasOtherNames);
        if (_mayBeRolledBack || session.Effects.HasOtherNames)
            Own().Add(found, byPath: true);
    }

    /// <summary>The query of the catalogue has failed. A server that does not understand it is not asked again.</summary>
    public void LookUpFailed(ServerErrorFields error, IReadOnlyCollection<TypeName> names)
    {
        _hasFailed = true;
        session.Context.Database.RefusesLookups |= StatementErrors.IsNotUnderstood(error);
        AddAbsent(names);
    }

    /// <summary>Forgets failed lookups: a command has been written, and the next one looks again.</summary>
    public void CommandWritten()
    {
        _namesToLookUp.Clear();
        _absent.Clear();
        _hasFailed = false;
    }

    /// <summary>Forgets the types that only the transaction saw, now that it has ended.</summary>
    public void TransactionEnded()
    {
        if (!_mayBeRolledBack)
            return;
        _mayBeRolledBack = false;
        _own = null;
    }

    /// <summary>The transaction has gone back to a savepoint: types may be gone, and the search path may be the one from before.</summary>
    public void RolledBackInPart()
    {
        _own = null;
        if (_mayBeRolledBack || session.Effects.HasOtherNames)
            session.Effects.ForgetMeanings();
    }

    private void AddAbsent(IReadOnlyCollection<TypeName> names)
    {
        _absent.UnionWith(names);
        _absentFrom = Known;
    }

    private DatabaseTypes Own()
    {
        var below = session.Context.Database.Types;
        if (_own is null or { IsOutdated: true } || _epoch != session.Effects.TypesEpoch || !ReferenceEquals(_below, below))
        {
            _own = new DatabaseTypes(below, hidesPath: session.Effects.HasOtherNames);
            _epoch = session.Effects.TypesEpoch;
            _below = below;
        }
        return _own;
    }
}
