using System.Buffers.Binary;
using System.Globalization;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Loxo.Types;

/// <summary>
/// What stands in front of an array's elements (array_send, arrayfuncs.c): number of dimensions, whether there are NULLs, the element's OID,
/// then length and lower bound of each dimension. An empty array has no dimension at all.
/// </summary>
internal ref struct ArrayHeader
{
    /// <summary>The most dimensions that the server has (MAXDIM, array.h).</summary>
    public const int MostDimensions = 6;

    private const int FixedSize = 12;
    private const int DimensionSize = 8;

    private Dimensions _lengths;
    private Dimensions _lowerBounds;

    /// <summary>How many dimensions there are; 0 for an array without elements.</summary>
    public int Rank { get; private set; }

    /// <summary>Whether elements may be NULL; the server does not take it back when the last NULL goes.</summary>
    public bool MayHaveNulls { get; private init; }

    public uint ElementOid { get; private init; }

    /// <summary>How many elements there are in all, and no more than <see cref="Elements"/> can hold.</summary>
    public int Count { get; private set; }

    /// <summary>The elements' bytes.</summary>
    public ReadOnlySpan<byte> Elements { get; private set; }

    [UnscopedRef]
    public readonly ReadOnlySpan<int> Lengths => ((ReadOnlySpan<int>)_lengths)[..Rank];

    /// <summary>The first index of each dimension, 1 for most arrays.</summary>
    [UnscopedRef]
    public readonly ReadOnlySpan<int> LowerBounds => ((ReadOnlySpan<int>)_lowerBounds)[..Rank];

    /// <exception cref="PgException">The bytes are no array of <paramref name="element"/>.</exception>
    public static ArrayHeader Read(ReadOnlySpan<byte> value, TypeEntry element)
    {
        if (value.Length < FixedSize)
            throw Malformed(element, "it ends within its header");
        var header = new ArrayHeader
        {
            MayHaveNulls = BinaryPrimitives.ReadInt32BigEndian(value[4..]) != 0,
            ElementOid = BinaryPrimitives.ReadUInt32BigEndian(value[8..]),
        };
        header.CheckElementType(element);
        header.ReadDimensions(BinaryPrimitives.ReadInt32BigEndian(value), value[FixedSize..], element);
        return header;
    }

    public static PgException Malformed(TypeEntry element, string why) => TypeErrors.Malformed(element.DisplayName + "[]", why);

    private readonly void CheckElementType(TypeEntry element)
    {
        if (ElementOid != element.Oid)
            throw Malformed(element, string.Create(CultureInfo.InvariantCulture, $"its elements have type OID {ElementOid}, expected {element.Oid}"));
    }

    private void ReadDimensions(int rank, ReadOnlySpan<byte> rest, TypeEntry element)
    {
        if (rank is < 0 or > MostDimensions)
            throw Malformed(element, string.Create(CultureInfo.InvariantCulture, $"it claims {rank} dimensions"));
        if (rest.Length < rank * DimensionSize)
            throw Malformed(element, "it ends within its header");
        Rank = rank;
        Elements = rest[(rank * DimensionSize)..];
        var count = rank == 0 ? 0L : 1L;
        for (var i = 0; i < rank; i++)
        {
            var length = BinaryPrimitives.ReadInt32BigEndian(rest[(i * DimensionSize)..]);
            _lengths[i] = length;
            _lowerBounds[i] = BinaryPrimitives.ReadInt32BigEndian(rest[(i * DimensionSize + sizeof(int))..]);
            // No product of two ints overflows a long, and none that is too large goes on to the next dimension.
            count *= length;
            if (length < 0 || count > Elements.Length / sizeof(int))
                throw Malformed(element, string.Create(CultureInfo.InvariantCulture, $"it claims {count} elements in {Elements.Length} bytes"));
        }
        Count = (int)count;
        if (count > 0)
            return;
        if (!Elements.IsEmpty)
            throw Malformed(element, "it is empty but has elements");
        _lengths = default; // of [0, 2147483647] .NET would make no array
    }

    [InlineArray(MostDimensions)]
    private struct Dimensions
    {
        private int _first;
    }
}
