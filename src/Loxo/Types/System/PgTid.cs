namespace Loxo;

/// <summary>A value of PostgreSQL's type <c>tid</c>: where a version of a row lies in its table, as column <c>ctid</c> says it.</summary>
/// <param name="BlockNumber">The block of the table's file, from 0 on.</param>
/// <param name="OffsetNumber">The place within the block, from 1 on.</param>
public readonly record struct PgTid(uint BlockNumber, ushort OffsetNumber) : ISpanParsable<PgTid>
{
    private const string Example = "(0,1)";

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgTid)"/>
    /// <exception cref="FormatException">The text is not.</exception>
    public static PgTid Parse(string s, IFormatProvider? provider = null) => ValueFormat.Parse<PgTid>(s, Example);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgTid Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => ValueFormat.Parse<PgTid>(s, Example);

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgTid)"/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgTid result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <summary>Reads a place as the server shows it: <c>(0,1)</c>.</summary>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgTid result)
    {
        result = default;
        if (s is not ['(', .. var inner, ')'] || inner.IndexOf(',') is not (>= 0 and var comma))
            return false;
        if (!uint.TryParse(inner[..comma], NumberStyles.None, CultureInfo.InvariantCulture, out var block)
            || !ushort.TryParse(inner[(comma + 1)..], NumberStyles.None, CultureInfo.InvariantCulture, out var offset))
            return false;
        result = new PgTid(block, offset);
        return true;
    }

    /// <summary>The place as the server shows it: <c>(0,1)</c>.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"({BlockNumber},{OffsetNumber})");
}
