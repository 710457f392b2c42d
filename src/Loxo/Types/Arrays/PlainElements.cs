namespace Loxo.Types;

/// <summary>Arrays of numbers that the server keeps as .NET does but for the order of bytes, without a call for each element.</summary>
internal static class PlainElements
{
    // Room for so many elements is asked for at a time: one bounds test for all of them.
    private const int Batch = 1024;

    /// <summary>The bytes of each value, or 0 when its codec does more than turn them round.</summary>
    public static int SizeOf(Codec codec) => codec switch
    {
        NumberCodec<short, short> => sizeof(short),
        NumberCodec<int, int> or NumberCodec<float, float> => sizeof(int),
        NumberCodec<long, long> or NumberCodec<double, double> => sizeof(long),
        _ => 0,
    };

    /// <summary>False when some element has another length: then it is NULL, or the bytes are no array.</summary>
    public static bool TryRead<T>(ReadOnlySpan<byte> elements, Span<T> items, int size)
    {
        if (elements.Length != (long)items.Length * (sizeof(int) + size))
            return false;
        return size switch
        {
            sizeof(short) => TryRead(elements, As<T, short>(items)),
            sizeof(int) => TryRead(elements, As<T, int>(items)),
            _ => TryRead(elements, As<T, long>(items)),
        };
    }

    public static void Write<T>(MessageWriter writer, ReadOnlySpan<T> items, int size)
    {
        writer.MakeRoom((long)items.Length * (sizeof(int) + size));
        for (; !items.IsEmpty; items = items[Math.Min(Batch, items.Length)..])
        {
            var part = items[..Math.Min(Batch, items.Length)];
            var room = writer.Reserve(part.Length * (sizeof(int) + size));
            switch (size)
            {
                case sizeof(short):
                    Write(room, As<T, short>(part));
                    break;
                case sizeof(int):
                    Write(room, As<T, int>(part));
                    break;
                default:
                    Write(room, As<T, long>(part));
                    break;
            }
        }
    }

    private static bool TryRead<T>(ReadOnlySpan<byte> elements, Span<T> items)
        where T : unmanaged
    {
        var size = sizeof(int) + Unsafe.SizeOf<T>();
        for (var i = 0; i < items.Length; i++, elements = elements[size..])
        {
            if (BinaryPrimitives.ReadInt32BigEndian(elements) != Unsafe.SizeOf<T>())
                return false;
            items[i] = FixedBytes.Turned(MemoryMarshal.Read<T>(elements[sizeof(int)..]));
        }
        return true;
    }

    // Length and value are read as one number.
    private static bool TryRead(ReadOnlySpan<byte> elements, Span<int> items)
    {
        var pairs = MemoryMarshal.Cast<byte, ulong>(elements);
        for (var i = 0; i < items.Length && i < pairs.Length; i++)
        {
            var pair = FixedBytes.Turned(pairs[i]);
            if (pair >> 32 != sizeof(int))
                return false;
            items[i] = (int)pair;
        }
        return true;
    }

    private static void Write<T>(Span<byte> room, ReadOnlySpan<T> items)
        where T : unmanaged
    {
        foreach (var item in items)
        {
            BinaryPrimitives.WriteInt32BigEndian(room, Unsafe.SizeOf<T>());
            MemoryMarshal.Write(room[sizeof(int)..], FixedBytes.Turned(item));
            room = room[(sizeof(int) + Unsafe.SizeOf<T>())..];
        }
    }

    private static void Write(Span<byte> room, ReadOnlySpan<int> items)
    {
        var pairs = MemoryMarshal.Cast<byte, ulong>(room);
        for (var i = 0; i < items.Length && i < pairs.Length; i++)
            pairs[i] = FixedBytes.Turned((ulong)sizeof(int) << 32 | (uint)items[i]);
    }

    // SizeOf has told that both are of the same size.
    private static Span<TTo> As<TFrom, TTo>(ReadOnlySpan<TFrom> items) =>
        MemoryMarshal.CreateSpan(ref Unsafe.As<TFrom, TTo>(ref MemoryMarshal.GetReference(items)), items.Length);
}
