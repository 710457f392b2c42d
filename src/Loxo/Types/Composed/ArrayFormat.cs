using System.Buffers.Binary;
using System.Globalization;
using Loxo.Protocol.Frontend;

namespace Loxo.Types.Composed;

/// <summary>
/// Arrays on the wire (array_send, arrayfuncs.c): number of dimensions, whether there are NULLs, the element's OID, then length and
/// lower bound of each dimension, then each element behind its length (-1 for NULL). An empty array has no dimension at all.
/// </summary>
/// <param name="element">The codec of an element that is not NULL.</param>
/// <param name="type">The element's type.</param>
/// <param name="lowerBound">The index of the first element: 1, but 0 for oidvector and int2vector.</param>
internal sealed class ArrayFormat<T>(Codec<T> element, TypeEntry type, int lowerBound = 1)
{
    private const int HeaderSize = 12;
    private const int DimensionSize = 8;

    // A reference type or a Nullable<>: an element can be NULL without another type having to be asked for.
    private static readonly bool ElementCanBeNull = default(T) is null;

    /// <summary>Checks the header and returns the elements' bytes. The count is no larger than those bytes can hold.</summary>
    public ReadOnlySpan<byte> Open(ReadOnlySpan<byte> value, out int count)
    {
        if (value.Length < HeaderSize)
            throw Malformed("it ends within its header");
        var dimensions = BinaryPrimitives.ReadInt32BigEndian(value);
        CheckElementType(BinaryPrimitives.ReadUInt32BigEndian(value[8..]));
        count = 0;
        if (dimensions == 0)
            return value.Length == HeaderSize ? [] : throw Malformed("it is empty but has elements");
        if (dimensions != 1)
            throw WrongRank(dimensions);
        if (value.Length < HeaderSize + DimensionSize)
            throw Malformed("it ends within its header");
        count = BinaryPrimitives.ReadInt32BigEndian(value[HeaderSize..]);
        var elements = value[(HeaderSize + DimensionSize)..];
        if (count < 0 || count > elements.Length / sizeof(int))
            throw Malformed(string.Create(CultureInfo.InvariantCulture, $"it claims {count} elements in {elements.Length} bytes"));
        return elements;
    }

    /// <summary>Reads as many elements as <paramref name="items"/> has room for; nothing may be left over.</summary>
    public void ReadElements(ReadOnlySpan<byte> elements, Span<T> items)
    {
        for (var i = 0; i < items.Length; i++)
        {
            var length = elements.Length >= sizeof(int) ? BinaryPrimitives.ReadInt32BigEndian(elements) : int.MaxValue;
            if (length > elements.Length - sizeof(int) || length < -1)
                throw Malformed("it ends within an element");
            if (length < 0)
                items[i] = ElementCanBeNull ? default! : throw NullElement(i);
            else
                items[i] = element.Read(elements.Slice(sizeof(int), length));
            elements = elements[(sizeof(int) + Math.Max(length, 0))..];
        }
        if (!elements.IsEmpty)
            throw Malformed("bytes are left after its last element");
    }

    public void Write(MessageWriter writer, ReadOnlySpan<T> items)
    {
        writer.WriteInt32(items.IsEmpty ? 0 : 1);
        writer.WriteInt32(ElementCanBeNull && HasNull(items) ? 1 : 0);
        writer.WriteUInt32(type.Oid);
        if (items.IsEmpty)
            return;
        writer.WriteInt32(items.Length);
        writer.WriteInt32(lowerBound);
        foreach (var item in items)
            WriteElement(writer, item);
    }

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

    private void CheckElementType(uint oid)
    {
        if (oid != type.Oid)
            throw Malformed(string.Create(CultureInfo.InvariantCulture, $"its elements have type OID {oid}, expected {type.Oid}"));
    }

    private PgException Malformed(string why) => TypeErrors.Malformed(type.DisplayName + "[]", why);

    private InvalidCastException NullElement(int index) => TypeErrors.NoForm(
        string.Create(CultureInfo.InvariantCulture, $"An array of {type.DisplayName} whose element {index} is NULL"),
        ClrNames.Of(typeof(T[])), $"Read it as {ClrNames.Of(typeof(T))}?[]");

    private InvalidCastException WrongRank(int dimensions) => TypeErrors.NoForm(
        string.Create(CultureInfo.InvariantCulture, $"An array of {type.DisplayName} with {dimensions} dimensions"),
        ClrNames.Of(typeof(T[])) + ", which has one", "Unnest it or cast it to text in SQL");
}
