using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Data;

namespace Loxo.Types;

/// <summary>The types that are known: by OID, by name, by the enumerations, and by the .NET type of a value.</summary>
internal sealed class TypeCatalog
{
    private readonly FrozenDictionary<uint, TypeEntry> _byOid;
    private readonly FrozenDictionary<string, TypeEntry> _byName;
    private readonly FrozenDictionary<PgDbType, TypeEntry> _byDbType;
    private readonly TypeInference _inference;

    public TypeCatalog(TypeSettings settings, TypeMappings mappings)
    {
        ArrayNullability = settings.ArrayNullability;
        IsLikeNpgsql = settings.IsLikeNpgsql;
        var scalars = BuiltInTypes.Create(settings);
        foreach (var type in scalars)
        {
            if (!mappings.IsEmpty)
                mappings.Apply(type, new TypeName("pg_catalog", type.Name));
        }
        TypeEntry[] all = [.. scalars, .. scalars.Select(type => type.Array).OfType<TypeEntry>()];
        _byOid = all.ToFrozenDictionary(type => type.Oid);
        _byName = all.SelectMany(TypeNames.NamesOf).ToFrozenDictionary(StringComparer.Ordinal);
        _byDbType = all.Where(type => type.PgDbType is not null).ToFrozenDictionary(type => type.PgDbType!.Value);
        _inference = new TypeInference(_byDbType, settings.Timestamps);
    }

    public ArrayNullabilityMode ArrayNullability { get; }

    public bool IsLikeNpgsql { get; }

    public static TypeCatalog BuiltIn { get; } = new(TypeSettings.Default, TypeMappings.None);

    private static readonly ConcurrentDictionary<TimestampPolicy, TypeCatalog> OfPolicies = new();

    public static TypeCatalog With(TimestampPolicy policy) => OfPolicies.GetOrAdd(policy, static policy =>
        new TypeCatalog(TypeSettings.Default with { Timestamps = policy }, TypeMappings.None));

    public TypeEntry? Find(uint oid) => _byOid.GetValueOrDefault(oid);

    /// <summary>By name as in SQL or pg_type: "int4", "pg_catalog.int4", "varchar(10)[]"; char is character, "char" another type.</summary>
    public TypeEntry? Find(string name) => _byName.GetValueOrDefault(name) ?? _byName.GetValueOrDefault(TypeNames.Normalize(name));

    public TypeEntry? Find(PgDbType dbType) => _byDbType.GetValueOrDefault(dbType);

    /// <summary>The type that ADO.NET's enumeration stands for; null for its members that PostgreSQL has no type for.</summary>
    public TypeEntry? Find(DbType dbType) => DbTypes.ToPgDbType(dbType) is { } found ? Find(found) : null;

    /// <summary>The type that a value is written as when nothing is said; null if its .NET type tells nothing.</summary>
    public TypeEntry? Infer(object? value) => value is null ? null : _inference.Of(value.GetType(), value);

    public TypeEntry? Infer(Type clrType, object? value) => _inference.Of(clrType, value);

    /// <summary>As <see cref="Infer(object)"/>, by the declared type, so that null has a type too; nothing is boxed.</summary>
    public TypeEntry? Infer<T>(T? value) => _inference.Of(value);
}

/// <summary>The types of every PostgreSQL server (pg_type.dat), with their array types.</summary>
internal static class BuiltInTypes
{
    public static IReadOnlyCollection<TypeEntry> Create(TypeSettings settings)
    {
        var scalars = ScalarTypes.Create(settings);
        Func<uint, TypeEntry?> find = static oid => TypeCatalog.BuiltIn.Find(oid); // also while these are being made
        TypeEntry[] composed = [ArrayTypes.Any(find), RecordType.Create(find), .. RangeTypes.All(scalars)];
        return [.. scalars, .. Array.ConvertAll(composed, type => type.WithArray(settings.ArrayNullability))];
    }
}
