namespace Loxo.Types;

/// <summary>
/// A view over an array's bytes (array_send, arrayfuncs.c): number of dimensions (0 if empty), whether there are NULLs, the element's OID,
/// length and lower bound of each dimension; then each element behind its length (-1 for NULL), the last index running fastest.
/// </summary>
internal ref struct ArrayReader
{
    /// <summary>The server's maximum number of dimensions (MAXDIM, array.h).</summary>
    public const int MostDimensions = 6;

    private const int FixedSize = 12;
    private const int DimensionSize = 8;

    private readonly TypeEntry _type;
    private Dimensions _lengths;
    private Dimensions _lowerBounds;

    public ArrayReader(ReadOnlySpan<byte> value, TypeEntry element)
    {
        _type = element;
        if (value.Length < FixedSize)
            throw Malformed("it ends within its header");
        MayHaveNulls = BinaryPrimitives.ReadInt32BigEndian(value[4..]) != 0;
        var oid = ElementOidOf(value);
        if (oid != element.Oid)
            throw Malformed(string.Create(CultureInfo.InvariantCulture, $"its elements have type OID {oid}, expected {element.Oid}"));
        ReadDimensions(BinaryPrimitives.ReadInt32BigEndian(value), value[FixedSize..]);
    }

    public int Rank { get; private set; }

    /// <summary>Whether elements may be NULL; the server leaves the flag set when the last NULL is replaced.</summary>
    public bool MayHaveNulls { get; }

    /// <summary>Number of elements, and no more than <see cref="Elements"/> can hold.</summary>
    public int Count { get; private set; }

    /// <summary>The bytes of the elements that have not been taken.</summary>
    public ReadOnlySpan<byte> Elements { get; private set; }

    [UnscopedRef]
    public readonly ReadOnlySpan<int> Lengths => ((ReadOnlySpan<int>)_lengths)[..Rank];

    /// <summary>The first index of each dimension, 1 for most arrays.</summary>
    [UnscopedRef]
    public readonly ReadOnlySpan<int> LowerBounds => ((ReadOnlySpan<int>)_lowerBounds)[..Rank];

    /// <summary>The OID of the elements' type; 0 if the bytes end before it.</summary>
    public static uint ElementOidOf(ReadOnlySpan<byte> value) =>
        value.Length < FixedSize ? 0 : BinaryPrimitives.ReadUInt32BigEndian(value[8..]);

    /// <summary>The length of the first of several elements, -1 for NULL; it stands in front of the element's bytes.</summary>
    public static int LengthOfFirst(ReadOnlySpan<byte> elements, TypeEntry type)
    {
        var length = elements.Length >= sizeof(int) ? BinaryPrimitives.ReadInt32BigEndian(elements) : int.MaxValue;
        return length <= elements.Length - sizeof(int) && length >= -1 ? length : throw Malformed(type, "it ends within an element");
    }

    public static void End(ReadOnlySpan<byte> rest, TypeEntry type)
    {
        if (!rest.IsEmpty)
            throw Malformed(type, "bytes are left after its last element");
    }

    public static void WriteHeader(
        MessageWriter writer, TypeEntry element, bool hasNull, ReadOnlySpan<int> lengths, ReadOnlySpan<int> lowerBounds)
    {
        writer.WriteInt32(lengths.Length);
        writer.WriteInt32(hasNull ? 1 : 0);
        writer.WriteUInt32(element.Oid);
        for (var i = 0; i < lengths.Length; i++)
        {
            writer.WriteInt32(lengths[i]);
            writer.WriteInt32(lowerBounds[i]);
        }
    }

    /// <summary>Takes the next element; false for NULL. There must be one.</summary>
    public bool TryTake(out ReadOnlySpan<byte> element)
    {
        var length = LengthOfFirst(Elements, _type);
        element = length < 0 ? default : Elements.Slice(sizeof(int), length);
        Elements = Elements[(sizeof(int) + element.Length)..];
        return length >= 0;
    }

    public readonly void End() => End(Elements, _type);

    private readonly PgException Malformed(string why) => Malformed(_type, why);

    private static PgException Malformed(TypeEntry element, string why) => TypeErrors.Malformed(element.DisplayName + "[]", why);

    private void ReadDimensions(int rank, ReadOnlySpan<byte> rest)
    {
        if (rank is < 0 or > MostDimensions)
            throw Malformed(string.Create(CultureInfo.InvariantCulture, $"it claims {rank} dimensions"));
        if (rest.Length < rank * DimensionSize)
            throw Malformed("it ends within its header");
        Rank = rank;
        Elements = rest[(rank * DimensionSize)..];
        var count = rank == 0 ? 0L : 1L;
        for (var i = 0; i < rank; i++)
        {
            var length = BinaryPrimitives.ReadInt32BigEndian(rest[(i * DimensionSize)..]);
            _lengths[i] = length;
            _lowerBounds[i] = BinaryPrimitives.ReadInt32BigEndian(rest[(i * DimensionSize + sizeof(int))..]);
            // No product of two ints overflows a long, and a product that is too large does not reach the next dimension.
            count *= length;
            if (length < 0 || count > Elements.Length / sizeof(int))
                throw Malformed(string.Create(CultureInfo.InvariantCulture, $"it claims {count} elements in {Elements.Length} bytes"));
        }
        Count = (int)count;
        if (count > 0)
            return;
        if (!Elements.IsEmpty)
            throw Malformed("it is empty but has elements");
        _lengths = default; // .NET makes no array of lengths such as [0, 2147483647]
    }

    [InlineArray(MostDimensions)]
    private struct Dimensions
    {
        private int _first;
    }
}
