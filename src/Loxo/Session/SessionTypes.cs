using Loxo.Types;

namespace Loxo.Session;

/// <summary>
/// The types of the database as one session sees them. Mostly that is what all sessions of the data source have found out together. A
/// session keeps to itself what an open transaction may take back, and what names without a schema mean once its search path may be another
/// than the others'.
/// </summary>
internal sealed class SessionTypes(ServerSession session)
{
    private readonly HashSet<TypeName> _namesToLookUp = [];
    private readonly HashSet<TypeName> _absent = [];
    private DatabaseTypes? _own;
    private DatabaseTypes? _below;
    private long _epoch;
    private bool _mayBeRolledBack;
    private bool _hasFailed;

    /// <summary>The types that are known at this moment.</summary>
    public DatabaseTypes Known => !session.Effects.HasOtherNames && !_mayBeRolledBack ? session.Context.Types : Own();

    /// <summary>Another object whenever what was found before may not hold any more.</summary>
    public object Stamp => Known;

    /// <summary>Names that were asked for and have to be looked up before the command can be written.</summary>
    public IReadOnlyCollection<TypeName> NamesToLookUp => _namesToLookUp;

    /// <summary>Whether the server can be asked at all: some have no catalogue.</summary>
    public bool HasCatalogue => !_hasFailed && session.Context.Settings.Compatibility != ServerCompatibilityMode.NoTypeLoading;

    /// <summary>Whether the server can be asked now: a failed transaction takes no queries.</summary>
    public bool CanLookUp => HasCatalogue && session.TransactionStatus != Protocol.TransactionStatus.Failed;

    /// <summary>By a name as SQL writes it, as <see cref="FindOrRequest"/>.</summary>
    public TypeEntry? Find(string name) => Known.BuiltIn.Find(name) ?? FindOrRequest(TypeName.Parse(name));

    /// <summary>By name. A name that is not known is looked up, if that can help, and null for now.</summary>
    public TypeEntry? FindOrRequest(TypeName name)
    {
        if (name.Schema == "pg_catalog" && Known.BuiltIn.Find(name.Name) is { } builtIn)
            return name.IsArray ? builtIn.Array : builtIn;
        if (Known.Find(name) is { } found)
            return found;
        var scalar = name with { IsArray = false };
        if (CanLookUp && !_absent.Contains(scalar))
            _namesToLookUp.Add(scalar);
        return null;
    }

    /// <summary>The names that were wanted are being looked up.</summary>
    public void LookUpStarted() => _namesToLookUp.Clear();

    /// <summary>Takes the answer of the catalogue. Names that it does not contain do not exist for the current command.</summary>
    /// <param name="found">The types that exist.</param>
    /// <param name="names">The names that were asked for.</param>
    public void LookUpSucceeded(IReadOnlyList<TypeDescription> found, IReadOnlyCollection<TypeName> names)
    {
        _mayBeRolledBack |= found.Any(type => type.MayBeRolledBack);
        // A temporary type was made by this session, which finds other types by the same names than others do from then on.
        if (!_mayBeRolledBack)
            session.Context.Types.Add(found, byPath: !session.Effects.HasOtherNames);
        if (_mayBeRolledBack || session.Effects.HasOtherNames)
            Own().Add(found, byPath: true);
        _absent.UnionWith(names);
    }

    /// <summary>The catalogue could not be asked.</summary>
    public void LookUpFailed(IReadOnlyCollection<TypeName> names)
    {
        _hasFailed = true;
        _absent.UnionWith(names);
    }

    /// <summary>A command has been written: the next one may find what this one did not.</summary>
    public void CommandWritten()
    {
        _namesToLookUp.Clear();
        _absent.Clear();
        _hasFailed = false;
    }

    /// <summary>The transaction is over, and with it what only it could see.</summary>
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

    private DatabaseTypes Own()
    {
        var below = session.Context.Types;
        if (_own is null or { IsOutdated: true } || _epoch != session.Effects.Epoch || !ReferenceEquals(_below, below))
        {
            _own = new DatabaseTypes(below, hidesPath: session.Effects.HasOtherNames);
            _epoch = session.Effects.Epoch;
            _below = below;
        }
        return _own;
    }
}
