using System.Collections.Frozen;

namespace Loxo.Types;

/// <summary>The types that are known, by OID, name and enumeration member.</summary>
internal sealed class TypeCatalog
{
    private readonly FrozenDictionary<uint, TypeEntry> _byOid;
    private readonly FrozenDictionary<string, TypeEntry> _byName;
    private readonly FrozenDictionary<PgDbType, TypeEntry> _byDbType;

    public TypeCatalog(IReadOnlyCollection<TypeEntry> scalars)
    {
        TypeEntry[] all = [.. scalars, .. scalars.Select(entry => entry.Array).OfType<TypeEntry>()];
        _byOid = all.ToFrozenDictionary(entry => entry.Oid);
        _byName = all.SelectMany(NamesOf).ToFrozenDictionary(StringComparer.OrdinalIgnoreCase);
        _byDbType = all.Where(entry => entry.DbType is not null).ToFrozenDictionary(entry => entry.DbType!.Value);
    }

    /// <summary>The types that every server has.</summary>
    public static TypeCatalog BuiltIn { get; } = new(BuiltInTypes.All);

    public TypeEntry? Find(uint oid) => _byOid.GetValueOrDefault(oid);

    /// <summary>By name as in SQL or in pg_type, qualified or not, with or without a modifier: "int4", "pg_catalog.int4", "integer[]", "varchar(10)".</summary>
    public TypeEntry? Find(string name) => _byName.GetValueOrDefault(name);

    public TypeEntry? Find(PgDbType dbType) => _byDbType.GetValueOrDefault(dbType);

    private static IEnumerable<KeyValuePair<string, TypeEntry>> NamesOf(TypeEntry entry)
    {
        yield return new(entry.Name, entry);
        if (entry.DisplayName != entry.Name)
            yield return new(entry.DisplayName, entry);
    }
}
