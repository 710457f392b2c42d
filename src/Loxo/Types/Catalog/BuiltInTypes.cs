namespace Loxo.Types;

/// <summary>The types of every PostgreSQL server (pg_type.dat), with their array types.</summary>
internal static class BuiltInTypes
{
    public static IReadOnlyCollection<TypeEntry> Create(TypeSettings settings)
    {
        var scalars = ScalarTypes.Create(settings);
        TypeEntry[] composed =
            [ArrayTypes.Any(TypeCatalog.FindBuiltIn), RecordType.Create(TypeCatalog.FindBuiltIn), .. RangeTypes.All(scalars)];
        return [.. scalars, .. Array.ConvertAll(composed, type => type.WithArray(settings.ArrayNullability))];
    }
}
