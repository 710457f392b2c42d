using System.Collections.Concurrent;

namespace Loxo.Types;

/// <summary>
/// The types of one database: the built-in ones, and those that were looked up so far. What does not exist is never remembered, as it may exist the
/// next moment.
/// </summary>
internal sealed class DatabaseTypes
{
    private readonly ConcurrentDictionary<uint, TypeEntry> _byOid = new();
    private readonly ConcurrentDictionary<TypeName, TypeEntry> _byName = new();
    private readonly DatabaseTypes? _below;
    private readonly bool _hidesPath;

    /// <param name="builtIn">The types of every server, with what users have mapped to them.</param>
    /// <param name="mappings">What users have said.</param>
    public DatabaseTypes(TypeCatalog builtIn, TypeMappings mappings)
    {
        BuiltIn = builtIn;
        Mappings = mappings;
    }

    /// <summary>Types that only one session knows, over those that all know.</summary>
    /// <param name="below">Those that all know.</param>
    /// <param name="hidesPath">Whether the session finds names without a schema in other places than all others.</param>
    public DatabaseTypes(DatabaseTypes below, bool hidesPath)
        : this(below.BuiltIn, below.Mappings)
    {
        _below = below;
        _hidesPath = hidesPath;
    }

    /// <summary>Types that are read and written as was said. Where nothing was, the built-in ones are those of all data sources.</summary>
    public static DatabaseTypes Make(TypeSettings settings, TypeMappings mappings) => new(
        mappings.IsEmpty && settings == TypeSettings.Default ? TypeCatalog.BuiltIn : new TypeCatalog(settings, mappings), mappings);

    /// <summary>The types of every server.</summary>
    public TypeCatalog BuiltIn { get; }

    /// <summary>What users have said of types.</summary>
    public TypeMappings Mappings { get; }

    /// <summary>Another object whenever what was found before may not hold any more.</summary>
    public object Stamp { get; private set; } = new();

    /// <summary>By OID; null for one that has not been looked up.</summary>
    public TypeEntry? Find(uint oid) => _byOid.GetValueOrDefault(oid) ?? _below?.Find(oid) ?? BuiltIn.Find(oid);

    /// <summary>By name; null for one that has not been looked up.</summary>
    public TypeEntry? Find(TypeName name)
    {
        if (name.IsArray)
            return Find(name with { IsArray = false })?.Array;
        if (_byName.GetValueOrDefault(name) is { } found)
            return found;
        return _hidesPath && name.Schema is null ? null : _below?.Find(name);
    }

    /// <summary>Takes in what the catalogue said.</summary>
    /// <param name="found">Types with all that they are made of, in any order.</param>
    /// <param name="byPath">Whether a name without a schema means the same type to all who ask here.</param>
    public void Learn(IReadOnlyList<TypeDescription> found, bool byPath)
    {
        foreach (var entry in new UserTypes(this, found).Make())
        {
            _byOid[entry.Oid] = entry;
            if (entry is not { Element: null, Description: { } description })
                continue;
            var isTemporary = description.Schema.StartsWith("pg_temp_", StringComparison.Ordinal);
            _byName[new TypeName(description.Schema, description.Name)] = entry;
            if (byPath && isTemporary)
                _byName[new TypeName("pg_temp", description.Name)] = entry; // each session has one of its own
            if (byPath && description.IsVisible)
                _byName[new TypeName(null, description.Name)] = entry;
        }
    }

    /// <summary>Composite types, and domains, which may be over one, are looked up again when they are needed next: their fields may be others now.</summary>
    public void ForgetFields()
    {
        var had = false;
        foreach (var (oid, entry) in _byOid)
        {
            if ((entry.Description ?? entry.Element?.Description) is { Kind: 'c' or 'd' })
                had |= _byOid.TryRemove(oid, out _);
        }
        if (!had)
            return;
        Stamp = new object();
        foreach (var (name, entry) in _byName)
        {
            if (entry.Description is { Kind: 'c' or 'd' })
                _byName.TryRemove(name, out _);
        }
    }

    /// <summary>Everything that was looked up is looked up again when it is needed next.</summary>
    public void Forget()
    {
        Stamp = new object();
        _byName.Clear();
        _byOid.Clear();
    }
}
