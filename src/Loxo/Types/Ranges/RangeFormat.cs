using Loxo.Protocol.Frontend;

namespace Loxo.Types;

/// <summary>What the first byte of a range says (rangetypes.h).</summary>
[Flags]
internal enum RangeFlags : byte
{
    None = 0,
    Empty = 0x01,
    LowerInclusive = 0x02,
    UpperInclusive = 0x04,
    LowerInfinite = 0x08,
    UpperInfinite = 0x10,

    /// <summary>All that is sent; the server's other flags are for its own indexes (range_recv, rangetypes.c).</summary>
    All = Empty | LowerInclusive | UpperInclusive | LowerInfinite | UpperInfinite,
}

/// <summary>Ranges on the wire (range_send, rangetypes.c): the flags, then each bound that is finite, behind its length.</summary>
internal sealed class RangeFormat<T>(Codec<T> bound, string type)
{
    // The flags alone.
    public const int LeastSize = 1;

    public PgRange<T> Read(ReadOnlySpan<byte> value)
    {
        var scanner = new BinaryScanner(value, type);
        var flags = (RangeFlags)scanner.TakeByte() & RangeFlags.All;
        var isEmpty = (flags & RangeFlags.Empty) != 0;
        var lower = isEmpty || (flags & RangeFlags.LowerInfinite) != 0 ? default : TakeBound(ref scanner);
        var upper = isEmpty || (flags & RangeFlags.UpperInfinite) != 0 ? default : TakeBound(ref scanner);
        scanner.End();
        return new PgRange<T>(lower, upper, flags);
    }

    public void Write(MessageWriter writer, PgRange<T> value)
    {
        var flags = value.Flags;
        writer.WriteByte((byte)flags);
        if ((flags & (RangeFlags.Empty | RangeFlags.LowerInfinite)) == 0)
            WriteBound(writer, value.LowerBound!);
        if ((flags & (RangeFlags.Empty | RangeFlags.UpperInfinite)) == 0)
            WriteBound(writer, value.UpperBound!);
    }

    private T TakeBound(ref BinaryScanner scanner) =>
        scanner.TryTakeValue(out var value) ? bound.Read(value) : throw scanner.Malformed("a bound of it is NULL");

    private void WriteBound(MessageWriter writer, T value)
    {
        var start = writer.BeginValue();
        bound.Write(writer, value);
        writer.EndValue(start);
    }
}
