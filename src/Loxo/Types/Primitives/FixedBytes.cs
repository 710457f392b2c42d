namespace Loxo.Types;

/// <summary>Values of a fixed size, in network byte order. One of another size is refused.</summary>
internal static class FixedBytes
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static T Read<T>(ReadOnlySpan<byte> value, string type)
        where T : unmanaged => value.Length == Unsafe.SizeOf<T>()
            ? Turned(Unsafe.ReadUnaligned<T>(ref MemoryMarshal.GetReference(value)))
            : throw TypeErrors.WrongLength(type, Unsafe.SizeOf<T>(), value.Length);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Write<T>(MessageWriter writer, T value)
        where T : unmanaged => Unsafe.WriteUnaligned(ref MemoryMarshal.GetReference(writer.Reserve(Unsafe.SizeOf<T>())), Turned(value));

    /// <summary>Behind its length.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void WriteWithLength<T>(MessageWriter writer, T value)
        where T : unmanaged
    {
        ref var room = ref MemoryMarshal.GetReference(writer.Reserve(sizeof(int) + Unsafe.SizeOf<T>()));
        Unsafe.WriteUnaligned(ref room, Turned(Unsafe.SizeOf<T>()));
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref room, sizeof(int)), Turned(value));
    }

    /// <summary>The value itself, once it is known to have <paramref name="length"/> bytes.</summary>
    public static ReadOnlySpan<byte> Exactly(int length, ReadOnlySpan<byte> value, string type) =>
        value.Length == length ? value : throw TypeErrors.WrongLength(type, length, value.Length);

    // Between network byte order and this machine's. The size of each type is known when this is compiled: one instruction is left.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static T Turned<T>(T value)
        where T : unmanaged => Unsafe.SizeOf<T>() switch
        {
            _ when !BitConverter.IsLittleEndian => value,
            sizeof(short) => Unsafe.BitCast<short, T>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<T, short>(value))),
            sizeof(int) => Unsafe.BitCast<int, T>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<T, int>(value))),
            sizeof(long) => Unsafe.BitCast<long, T>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<T, long>(value))),
            _ => value,
        };
}
