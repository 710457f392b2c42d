using Loxo.Protocol;

namespace Loxo.Types;

/// <summary>The text of a range of .NET values: each bound as the server shows values of the type that it is written as.</summary>
internal static class RangeBounds<T>
{
    private const int ScratchSize = 64;

    public static string ToText(PgRange<T> range) => RangeTextParser.Format(range.Flags,
        range.Flags.HasLower() ? ToText(range.LowerBound!) : null, range.Flags.HasUpper() ? ToText(range.UpperBound!) : null);

    /// <exception cref="NotSupportedException">No built-in type has T for its values.</exception>
    public static bool TryParse(ReadOnlySpan<char> text, out PgRange<T> range)
    {
        range = default;
        var parts = new RangeTextParser();
        var encoded = new byte[Encoding.UTF8.GetMaxByteCount(text.Length)];
        if (!AsciiBlanks.TryEncode(text, encoded, out var length))
            return false;
        ReadOnlySpan<byte> bytes = encoded.AsSpan(0, length);
        if (!parts.TryTake(ref bytes) || !bytes.IsEmpty)
            return false;
        try
        {
            var lower = parts.Flags.HasLower() ? Parse(parts.Lower) : default;
            var upper = parts.Flags.HasUpper() ? Parse(parts.Upper) : default;
            range = new PgRange<T>(lower, upper, parts.Flags);
            return !AreReversed(range);
        }
        catch (Exception error) when (error is PgException or InvalidCastException or OverflowException)
        {
            return false;
        }
    }

    // The server refuses such bounds.
    private static bool AreReversed(PgRange<T> range) =>
        !range.IsEmpty && !range.LowerBoundInfinite && !range.UpperBoundInfinite
        && BoundOrder.Compare(range.LowerBound!, range.UpperBound!) > 0;

    private static string ToText(T bound)
    {
        if (bound is DateTimeOffset { Offset.Ticks: not 0 } moment) // the server shows instants without their offset
            bound = (T)(object)moment.ToUniversalTime();
        if (TypeOf(bound?.GetType() ?? typeof(T), bound)?.CodecFor<T>(FormatCode.Text) is { } codec)
        {
            var writer = new MessageWriter(ScratchSize);
            codec.Write(writer, bound);
            return Encoding.UTF8.GetString(writer.Pending);
        }
        return Convert.ToString(bound, CultureInfo.InvariantCulture) ?? "";
    }

    private static T Parse(ReadOnlySpan<byte> bound)
    {
        var type = TypeOf(typeof(T), null);
        // A DateTime is of either type; only one of them shows an offset, which stands behind the time.
        if (typeof(T) == typeof(DateTime) && bound.IndexOf((byte)':') is >= 0 and var time
            && bound[time..].ContainsAny((byte)'+', (byte)'-'))
            type = ScalarInference.Default.TimestampTz;
        var codec = type?.CodecFor<T>(FormatCode.Text)
            ?? throw new NotSupportedException($"No built-in PostgreSQL type has values of {ClrNames.Of(typeof(T))}, "
                + "so its text cannot be read.");
        return codec.Read(bound);
    }

    private static TypeEntry? TypeOf(Type clrType, object? value)
    {
        if (Nullable.GetUnderlyingType(clrType) is { } underlying)
            return TypeOf(underlying, value);
        if ((ScalarInference.Default.Of(clrType, value) ?? ScalarInference.Default.OfBase(clrType)) is { } scalar)
            return scalar;
        return CollectionTypes.ElementOf(clrType) is { } element ? TypeOf(element, DateTimeSample.In(value))?.Array : null;
    }
}
