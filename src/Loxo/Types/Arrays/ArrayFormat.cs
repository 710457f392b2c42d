using System.Buffers.Binary;
using System.Globalization;
using Loxo.Protocol.Frontend;

namespace Loxo.Types;

/// <summary>
/// Arrays on the wire (array_send, arrayfuncs.c): an <see cref="ArrayHeader"/>, then each element behind its length (-1 for NULL), the last
/// index running fastest, as in memory.
/// </summary>
/// <param name="element">The codec of an element that is not NULL.</param>
/// <param name="type">The element's type.</param>
/// <param name="lowerBound">The index of the first element: 1, but 0 for oidvector and int2vector.</param>
internal sealed class ArrayFormat<T>(Codec<T> element, TypeEntry type, int lowerBound = 1)
{
    // A reference type or a Nullable<>: an element can be NULL without another type having to be asked for.
    private static readonly bool ElementCanBeNull = default(T) is null;

    private readonly int _plainSize = PlainElements.SizeOf(element);

    /// <summary>Checks the header.</summary>
    public ArrayHeader Open(ReadOnlySpan<byte> value) => ArrayHeader.Read(value, type);

    /// <summary>Checks the header of an array that has at most one dimension, and returns the elements' bytes.</summary>
    public ReadOnlySpan<byte> Open(ReadOnlySpan<byte> value, out int count)
    {
        var header = ArrayHeader.Read(value, type);
        if (header is { Rank: > 1, Count: > 0 })
            throw WrongRank(header.Rank, 1, typeof(T[]));
        count = header.Count;
        return header.Elements;
    }

    /// <summary>Reads as many elements as <paramref name="items"/> has room for; nothing may be left over.</summary>
    public void ReadElements(ReadOnlySpan<byte> elements, Span<T> items)
    {
        if (_plainSize != 0 && PlainElements.TryRead(elements, items, _plainSize))
            return;
        for (var i = 0; i < items.Length; i++)
        {
            var length = elements.Length >= sizeof(int) ? BinaryPrimitives.ReadInt32BigEndian(elements) : int.MaxValue;
            if (length > elements.Length - sizeof(int) || length < -1)
                throw ArrayHeader.Malformed(type, "it ends within an element");
            if (length < 0)
                items[i] = ElementCanBeNull ? default! : throw NullElement(i);
            else
                items[i] = element.Read(elements.Slice(sizeof(int), length));
            elements = elements[(sizeof(int) + Math.Max(length, 0))..];
        }
        if (!elements.IsEmpty)
            throw ArrayHeader.Malformed(type, "bytes are left after its last element");
    }

    /// <summary>Writes an array of one dimension.</summary>
    public void Write(MessageWriter writer, ReadOnlySpan<T> items) => Write(writer, items, [items.Length], [lowerBound]);

    /// <summary>Writes an array of any number of dimensions.</summary>
    /// <param name="writer">Where to.</param>
    /// <param name="items">All elements.</param>
    /// <param name="lengths">The length of each dimension.</param>
    /// <param name="lowerBounds">The server's first index of each.</param>
    public void Write(MessageWriter writer, ReadOnlySpan<T> items, ReadOnlySpan<int> lengths, ReadOnlySpan<int> lowerBounds)
    {
        writer.WriteInt32(items.IsEmpty ? 0 : lengths.Length);
        writer.WriteInt32(ElementCanBeNull && HasNull(items) ? 1 : 0);
        writer.WriteUInt32(type.Oid);
        if (items.IsEmpty)
            return;
        for (var i = 0; i < lengths.Length; i++)
        {
            writer.WriteInt32(lengths[i]);
            writer.WriteInt32(lowerBounds[i]);
        }
        if (_plainSize != 0)
        {
            PlainElements.Write(writer, items, _plainSize);
            return;
        }
        LargeElements.MakeRoom(writer, element, items);
        foreach (var item in items)
            WriteElement(writer, item);
    }

    /// <summary>The error for an array of another number of dimensions than the .NET type has.</summary>
    public InvalidCastException WrongRank(int rank, int expected, Type clrType) => TypeErrors.NoForm(
        string.Create(CultureInfo.InvariantCulture, $"An array of {type.DisplayName} with {rank} dimension{(rank == 1 ? "" : "s")}"),
        string.Create(CultureInfo.InvariantCulture, $"{ClrNames.Of(clrType)}, which has {(expected == 1 ? "one" : expected)}"),
        $"Read it as {ClrNames.Of(typeof(T))}[{new string(',', rank - 1)}], or as object or Array if the number varies");

    private void WriteElement(MessageWriter writer, T item)
    {
        if (ElementCanBeNull && item is null)
        {
            writer.WriteNullValue();
            return;
        }
        var start = writer.BeginValue();
        element.Write(writer, item);
        writer.EndValue(start);
    }

    private static bool HasNull(ReadOnlySpan<T> items)
    {
        foreach (var item in items)
        {
            if (item is null)
                return true;
        }
        return false;
    }

    private InvalidCastException NullElement(int index) => TypeErrors.NoForm(
        string.Create(CultureInfo.InvariantCulture, $"An array of {type.DisplayName} whose element {index} is NULL"),
        ClrNames.Of(typeof(T[])), $"Read it as {ClrNames.Of(typeof(T))}?[]");
}
