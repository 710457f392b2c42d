using System.Text.Json;

namespace Loxo.Types;

/// <summary>How values are read and written where there is a choice. A data source has one set.</summary>
internal sealed record TypeSettings
{
    public static TypeSettings Default { get; } = new();

    public TimestampPolicy Timestamps { get; init; }

    public NumericPolicy Numerics { get; init; }

    public ArrayNullabilityMode ArrayNullability { get; init; }

    public JsonSerializerOptions? Json { get; init; }
}
