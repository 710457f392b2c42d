namespace Loxo.Types;

/// <summary>The first byte of a range (rangetypes.h).</summary>
[Flags]
internal enum RangeFlags : byte
{
    None = 0,
    Empty = 0x01,
    LowerInclusive = 0x02,
    UpperInclusive = 0x04,
    LowerInfinite = 0x08,
    UpperInfinite = 0x10,
    /// <summary>All that are sent; the server's other flags are for its own indexes (range_recv, rangetypes.c).</summary>
    All = Empty | LowerInclusive | UpperInclusive | LowerInfinite | UpperInfinite,
}

internal static class RangeFlagsExtensions
{
    public static bool IsEmpty(this RangeFlags flags) => (flags & RangeFlags.Empty) != 0;

    public static bool HasLower(this RangeFlags flags) => (flags & (RangeFlags.Empty | RangeFlags.LowerInfinite)) == 0;

    public static bool HasUpper(this RangeFlags flags) => (flags & (RangeFlags.Empty | RangeFlags.UpperInfinite)) == 0;
}

/// <summary>A view over a range's bytes (range_send, rangetypes.c): the flags, then each bound that is finite, behind its length.</summary>
internal ref struct RangeReader
{
    // In a multirange: the length, and the flags.
    private const int LeastSize = sizeof(int) + 1;

    private BinaryScanner _scanner;

    public RangeReader(ReadOnlySpan<byte> value, string type)
    {
        _scanner = new BinaryScanner(value, type);
        Flags = (RangeFlags)_scanner.TakeByte() & RangeFlags.All;
    }

    public RangeFlags Flags { get; }

    public bool TryTakeLower(out ReadOnlySpan<byte> bound) => TryTake(Flags.HasLower(), out bound);

    /// <summary>Takes the upper bound, which follows the lower one; false if there is none.</summary>
    public bool TryTakeUpper(out ReadOnlySpan<byte> bound) => TryTake(Flags.HasUpper(), out bound);

    public readonly void End() => _scanner.End();

    /// <summary>Takes a multirange's number of ranges, which follow, each behind its length (multirange_send).</summary>
    public static int TakeCount(ref BinaryScanner multirange) => multirange.TakeCount(LeastSize);

    public static ReadOnlySpan<byte> TakeRange(ref BinaryScanner multirange) =>
        multirange.TryTakeValue(out var range) ? range : throw multirange.Malformed("a range of it is NULL");

    private bool TryTake(bool isThere, out ReadOnlySpan<byte> bound)
    {
        bound = default;
        if (isThere && !_scanner.TryTakeValue(out bound))
            throw _scanner.Malformed("a bound of it is NULL");
        return isThere;
    }
}
