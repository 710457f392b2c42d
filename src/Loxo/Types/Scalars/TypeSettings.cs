using System.Text.Json;

namespace Loxo.Types;

/// <summary>How values are read and written where there is a choice. A data source has one set.</summary>
internal sealed record TypeSettings
{
    public static TypeSettings Default { get; } = new();

    /// <summary>What becomes of a DateTime whose kind does not fit the type it is written as.</summary>
    public TimestampPolicy Timestamps { get; init; }

    /// <summary>What becomes of a numeric that is too large or too precise for decimal.</summary>
    public NumericPolicy Numerics { get; init; }

    /// <summary>What an array of a value type becomes when nothing is asked.</summary>
    public ArrayNullabilityMode ArrayNullability { get; init; }

    /// <summary>How objects become JSON and back; null for System.Text.Json's defaults.</summary>
    public JsonSerializerOptions? Json { get; init; }
}
