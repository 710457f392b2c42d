namespace Loxo.Types;

/// <summary>Reads and writes arrays in binary format (see <see cref="ArrayReader"/>), from index 1 on; vectors from 0 on.</summary>
internal sealed class ArrayFormat<T>(Codec<T> element, TypeEntry type, int lowerBound = 1)
{
    // A reference type or a Nullable<>: an element can be NULL without another type having to be asked for.
    private static readonly bool ElementCanBeNull = default(T) is null;

    private static readonly bool ElementsAreObjects = typeof(T) == typeof(object);

    // Smaller arrays fit a buffer that has doubled a few times; measuring them would cost more than it saves.
    private const int Large = 64 * 1024;

    private readonly int _plainSize = PlainElements.SizeOf(element);

    public ArrayReader Open(ReadOnlySpan<byte> value) => new(value, type);

    /// <summary>Checks the header of an array that has at most one dimension, and returns the elements' bytes.</summary>
    public ReadOnlySpan<byte> Open(ReadOnlySpan<byte> value, out int count)
    {
        var reader = new ArrayReader(value, type);
        if (reader is { Rank: > 1, Count: > 0 })
            throw WrongRank(reader.Rank, 1, typeof(T[]));
        count = reader.Count;
        return reader.Elements;
    }

    public T[] Read(ReadOnlySpan<byte> value)
    {
        var elements = Open(value, out var count);
        T[] items = count == 0 ? [] : new T[count];
        ReadElements(elements, items);
        return items;
    }

    public List<T> ReadList(ReadOnlySpan<byte> value)
    {
        var elements = Open(value, out var count);
        var list = new List<T>(count);
        CollectionsMarshal.SetCount(list, count);
        ReadElements(elements, CollectionsMarshal.AsSpan(list));
        return list;
    }

    /// <summary>Reads as many elements as <paramref name="items"/> has room for; nothing may be left over.</summary>
    public void ReadElements(ReadOnlySpan<byte> elements, Span<T> items)
    {
        if (_plainSize != 0 && PlainElements.TryRead(elements, items, _plainSize))
            return;
        for (var i = 0; i < items.Length; i++)
        {
            var length = ArrayReader.LengthOfFirst(elements, type);
            if (length < 0)
                items[i] = ElementCanBeNull ? default! : throw NullElement(i);
            else
                items[i] = element.Read(elements.Slice(sizeof(int), length));
            elements = elements[(sizeof(int) + Math.Max(length, 0))..];
        }
        ArrayReader.End(elements, type);
    }

    public void Write(MessageWriter writer, ReadOnlySpan<T> items) => Write(writer, items, [items.Length], [lowerBound]);

    public void Write(MessageWriter writer, ReadOnlySpan<T> items, ReadOnlySpan<int> lengths, ReadOnlySpan<int> lowerBounds)
    {
        ArrayReader.WriteHeader(writer, type, ElementCanBeNull && HasNull(items), items.IsEmpty ? [] : lengths, lowerBounds);
        if (items.IsEmpty)
            return;
        if (_plainSize != 0)
        {
            PlainElements.Write(writer, items, _plainSize);
            return;
        }
        MakeRoom(writer, items);
        foreach (var item in items)
            WriteElement(writer, item);
    }

    public InvalidCastException WrongRank(int rank, int expected, Type clrType) => TypeErrors.NoForm(
        string.Create(CultureInfo.InvariantCulture, $"An array of {type.DisplayName} with {rank} dimension{(rank == 1 ? "" : "s")}"),
        string.Create(CultureInfo.InvariantCulture, $"{ClrNames.Of(clrType)}, which has {(expected == 1 ? "one" : expected)}"),
        $"Read it as {ClrNames.Of(typeof(T))}[{new string(',', rank - 1)}], or as object or Array if the number varies");

    // Measures large arrays of text or bytes: the buffer grows once, and what no message can carry is refused at once.
    private void MakeRoom(MessageWriter writer, ReadOnlySpan<T> items)
    {
        Func<T, long>? length = element switch
        {
            StringCodec => static item => ((string)(object)item!).Length,
            ByteArrayCodec => static item => ((byte[])(object)item!).Length,
            _ => null,
        };
        if (length is null || Sum(items, length) < Large)
            return;
        if (element is StringCodec)
            length = static item => MessageWriter.LengthOf((string)(object)item!);
        writer.MakeRoom(Sum(items, length) + (long)sizeof(int) * items.Length);
    }

    private static long Sum(ReadOnlySpan<T> items, Func<T, long> length)
    {
        long sum = 0;
        foreach (var item in items)
            sum += item is null ? 0 : length(item);
        return sum;
    }

    private void WriteElement(MessageWriter writer, T item)
    {
        if (ElementCanBeNull && IsNull(item))
            writer.WriteNullValue();
        else
            element.WriteWithLength(writer, item);
    }

    // An object array may say NULL in ADO.NET's way.
    private static bool IsNull(T item) => item is null || (ElementsAreObjects && item is DBNull);

    private static bool HasNull(ReadOnlySpan<T> items)
    {
        foreach (var item in items)
        {
            if (IsNull(item))
                return true;
        }
        return false;
    }

    private InvalidCastException NullElement(int index) => TypeErrors.NoForm(
        string.Create(CultureInfo.InvariantCulture, $"An array of {type.DisplayName} whose element {index} is NULL"),
        ClrNames.Of(typeof(T[])), $"Read it as {ClrNames.Of(typeof(T))}?[], or set 'Array Nullability Mode=PerInstance'");
}
