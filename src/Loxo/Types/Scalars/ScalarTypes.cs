using System.Text.Json;

namespace Loxo.Types;

internal static class ScalarTypes
{
    public static IReadOnlyList<TypeEntry> Create(TypeSettings settings)
    {
        TypeEntry[] families =
        [
            .. BasicTypes.All(), .. NumericTypes.All(settings.Numerics, settings.IsLikeNpgsql), .. TextTypes.All(settings.IsLikeNpgsql),
            .. JsonTypes.All(settings.Json), .. TemporalTypes.All(settings.Timestamps), .. NetworkTypes.All(settings.IsLikeNpgsql),
            .. GeometricTypes.All(), .. BitTypes.All(), .. TextSearchTypes.All(), .. SystemTypes.All(),
        ];
        TypeEntry[] all = [.. families, .. ArrayTypes.Vectors(oid: Find("oid"), smallint: Find("int2"))];
        return Array.ConvertAll(all, type => type.WithArray(settings.ArrayNullability));

        TypeEntry Find(string name) => Array.Find(families, type => type.Name == name)!;
    }
}

/// <summary>How values are read and written where there is a choice. A data source has one set.</summary>
internal sealed record TypeSettings
{
    public static TypeSettings Default { get; } = new();

    public TimestampPolicy Timestamps { get; init; } = LocalTime.DefaultPolicy;

    public NumericPolicy Numerics { get; init; }

    public ArrayNullabilityMode ArrayNullability { get; init; }

    public JsonSerializerOptions? Json { get; init; }

    /// <summary>Whether values are read and written as Npgsql does where Loxo refuses to lose a part of them.</summary>
    public bool IsLikeNpgsql { get; init; }
}
