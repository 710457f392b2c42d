using System.Collections.Concurrent;

namespace Loxo.Types;

/// <summary>
/// The types of one database: the built-in ones, and those looked up so far. A missing type is not remembered, as it may be created at any
/// moment. Types are never removed, since readers may hold on to them: when types become invalid, another instance takes over.
/// </summary>
internal sealed class DatabaseTypes
{
    private readonly ConcurrentDictionary<uint, TypeEntry> _byOid = new();
    private readonly ConcurrentDictionary<TypeName, TypeEntry> _byName = new();
    private readonly TypeEntry _record;
    private readonly DatabaseTypes? _below;
    private readonly bool _hidesPath;
    private volatile bool _isOutdated;

    public DatabaseTypes(TypeCatalog builtIn, TypeMappings mappings)
    {
        BuiltIn = builtIn;
        Mappings = mappings;
        // Its fields may be of any type that is known here.
        _record = RecordType.Create(Find).WithArray(builtIn.ArrayNullability);
    }

    // Types that only one session knows, on top of the shared ones. It may resolve names without a schema differently from other sessions.
    public DatabaseTypes(DatabaseTypes below, bool hidesPath)
        : this(below.BuiltIn, below.Mappings)
    {
        _below = below;
        _hidesPath = hidesPath;
    }

    /// <summary>Makes the types for settings and mappings. With defaults, the built-in types are shared by all data sources.</summary>
    public static DatabaseTypes Make(TypeSettings settings, TypeMappings mappings) => new(
        mappings.IsEmpty && settings == TypeSettings.Default ? TypeCatalog.BuiltIn : new TypeCatalog(settings, mappings), mappings);

    public TypeCatalog BuiltIn { get; }

    public TypeMappings Mappings { get; }

    public bool IsOutdated => _isOutdated;

    public TypeEntry? Find(uint oid) => oid switch
    {
        TypeEntry.RecordOid => _record,
        TypeEntry.RecordArrayOid => _record.Array,
        _ => BuiltIn.Find(oid) ?? _byOid.GetValueOrDefault(oid) ?? _below?.Find(oid),
    };

    public TypeEntry? Find(TypeName name)
    {
        if (name.IsArray)
            return Find(name with { IsArray = false })?.Array;
        if (_byName.GetValueOrDefault(name) is { } found)
            return found;
        return _hidesPath && name.Schema is null ? null : _below?.Find(name);
    }

    /// <summary>Adds types that the catalogue has described.</summary>
    // By path: a name without a schema means the same type to everyone who uses this instance.
    public void Add(IReadOnlyList<TypeDescription> found, bool byPath)
    {
        foreach (var entry in new UserTypes(this, found).Make())
        {
            _byOid[entry.Oid] = entry;
            if ((entry.Element ?? entry).Description is { } description)
                AddNames(entry, description, byPath);
        }
    }

    private void AddNames(TypeEntry entry, TypeDescription description, bool byPath)
    {
        _byName[new TypeName(description.Schema, entry.Name)] = entry;
        if (byPath && description.Schema.StartsWith("pg_temp_", StringComparison.Ordinal))
            _byName[new TypeName("pg_temp", entry.Name)] = entry; // each session has one of its own
        if (byPath && description.IsVisible)
            _byName[new TypeName(null, entry.Name)] = entry;
    }

    /// <summary>A type has changed since it was looked up here or below: every type is looked up again when it is needed next.</summary>
    public void MarkOutdated()
    {
        _isOutdated = true;
        _below?.MarkOutdated();
    }

    /// <summary>A new instance with the built-in types only; other types are looked up again when they are needed next.</summary>
    public DatabaseTypes Emptied() => new(BuiltIn, Mappings);

    /// <summary>A new instance without names and composite types, and types made of them, which new definitions may have changed.</summary>
    public DatabaseTypes AfterDefinitions()
    {
        if (_byName.IsEmpty && _byOid.IsEmpty)
            return this;
        var rest = Emptied();
        foreach (var (oid, entry) in _byOid)
        {
            if ((entry.Element ?? entry).Description is { Kind: 'e' or 'b' })
                rest._byOid.TryAdd(oid, entry);
        }
        return rest;
    }
}
