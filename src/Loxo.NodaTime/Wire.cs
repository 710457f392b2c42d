using System.Buffers.Binary;
using System.Globalization;

namespace Loxo.Noda;

/// <summary>What the codecs share: numbers of a fixed size, and what can be wrong with a value.</summary>
internal static class Wire
{
    // The driver's own switch, for its own types.
    private const string InfinitySwitch = "Loxo.DisableDateTimeInfinityConversions";

    public const long MicrosecondsPerDay = 86_400_000_000;
    public const int NanosecondsPerMicrosecond = 1000;

    /// <summary>Whether infinity and -infinity are the largest and the least value. Asked for those values only.</summary>
    public static bool ConvertsInfinity => !(AppContext.TryGetSwitch(InfinitySwitch, out var off) && off);

    public static int ReadInt32(ReadOnlySpan<byte> value, string type) =>
        BinaryPrimitives.ReadInt32BigEndian(Exactly(sizeof(int), value, type));

    public static long ReadInt64(ReadOnlySpan<byte> value, string type) =>
        BinaryPrimitives.ReadInt64BigEndian(Exactly(sizeof(long), value, type));

    public static ReadOnlySpan<byte> Exactly(int length, ReadOnlySpan<byte> value, string type) => value.Length == length
        ? value
        : throw Malformed(type, string.Create(CultureInfo.InvariantCulture, $"expected {length} bytes, got {value.Length}"));

    /// <summary>A value behind its length, which is taken off <paramref name="rest"/>.</summary>
    public static ReadOnlySpan<byte> TakeValue(ref ReadOnlySpan<byte> rest, string type)
    {
        var length = rest.Length >= sizeof(int) ? BinaryPrimitives.ReadInt32BigEndian(rest) : -1;
        if (length < 0 || length > rest.Length - sizeof(int))
            throw Malformed(type, "it ends too early");
        var value = rest.Slice(sizeof(int), length);
        rest = rest[(sizeof(int) + length)..];
        return value;
    }

    public static PgException Malformed(string type, string why) =>
        new($"The server sent bytes that are not a value of PostgreSQL type {type}: {why}.");

    /// <summary>A value that one side has and the other has not.</summary>
    public static OverflowException OutOfRange(string what, string target, string remedy) =>
        new($"{what} does not fit into {target}. {remedy}.");

    /// <summary>A value whose kind, not its size, has no counterpart on the other side.</summary>
    public static InvalidCastException NoForm(string what, string target, string remedy) =>
        new($"{what} cannot become {target}. {remedy}.");
}
