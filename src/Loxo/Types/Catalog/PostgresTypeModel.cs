namespace Loxo.Types;

/// <summary>Makes what users see of a type from what is known of it.</summary>
internal static class PostgresTypeModel
{
    private const string Catalog = "pg_catalog";

    // One for each type, so that it can be compared by reference.
    private static readonly ConditionalWeakTable<TypeEntry, PostgresType> Made = [];

    /// <summary>The type of that entry; of what is not known, a type that says so.</summary>
    public static PostgresType Of(TypeEntry? entry, uint oid, DatabaseTypes types) =>
        entry is null ? new UnknownBackendType(oid) : Made.GetValue(entry, entry => Make(entry, types));

    /// <summary>The type of an entry that may come from no database.</summary>
    public static PostgresType OfBuiltIn(TypeEntry entry) => Of(entry, entry.Oid, BuiltIn);

    private static readonly DatabaseTypes BuiltIn = DatabaseTypes.Make(TypeSettings.Default, TypeMappings.None);

    private static PostgresType Make(TypeEntry entry, DatabaseTypes types)
    {
        if (entry.Element is { } element)
            return Of(element, element.Oid, types).Array!;
        var type = entry.Description is { } description ? OfUser(description, types) : OfServer(entry, types);
        // The array refers back to it.
        if (entry.Array is { } array)
            Made.AddOrUpdate(array, new PostgresArrayType(type, array.Name, array.Oid));
        return type;
    }

    private static PostgresType OfUser(TypeDescription type, DatabaseTypes types)
    {
        PostgresType Find(uint oid) => Of(types.Find(oid), oid, types);
        return type.Kind switch
        {
            'e' => new PostgresEnumType(type.Schema, type.Name, type.Oid, type.Labels),
            'c' => new PostgresCompositeType(type.Schema, type.Name, type.Oid,
                () => [.. type.Fields.Select(field => new PostgresCompositeType.Field(field.Name, Find(field.TypeOid)))]),
            'd' => new PostgresDomainType(type.Schema, type.Name, type.Oid, Find(type.Base), type.IsNotNull),
            'r' => new PostgresRangeType(type.Schema, type.Name, type.Oid, Find(type.Subtype)),
            'm' when Find(type.Subtype) is PostgresRangeType range => new PostgresMultirangeType(type.Schema, type.Name, type.Oid, range),
            _ => new PostgresBaseType(type.Schema, type.Name, type.Name, type.Oid),
        };
    }

    private static PostgresType OfServer(TypeEntry entry, DatabaseTypes types)
    {
        PostgresType Find(PgDbType dbType) => Of(types.BuiltIn.Find(dbType), 0, types);
        if (entry.PgDbType is { } range && (range & PgDbType.Range) != 0)
            return new PostgresRangeType(Catalog, entry.DisplayName, entry.Oid, Find(range & ~PgDbType.Range));
        return entry.PgDbType is { } multirange && (multirange & PgDbType.Multirange) != 0
            && Find((multirange & ~PgDbType.Multirange) | PgDbType.Range) is PostgresRangeType subrange
            ? new PostgresMultirangeType(Catalog, entry.DisplayName, entry.Oid, subrange)
            : new PostgresBaseType(Catalog, entry.DisplayName, entry.Name, entry.Oid);
    }
}
