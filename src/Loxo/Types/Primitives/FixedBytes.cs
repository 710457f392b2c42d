using System.Buffers.Binary;

namespace Loxo.Types;

/// <summary>Values of a fixed size, in network byte order. One of another size is refused.</summary>
internal static class FixedBytes
{
    public static byte ReadByte(ReadOnlySpan<byte> value, string type) => value.Length == 1 ? value[0] : throw Wrong(type, 1, value);

    public static short ReadInt16(ReadOnlySpan<byte> value, string type) =>
        value.Length == 2 ? BinaryPrimitives.ReadInt16BigEndian(value) : throw Wrong(type, 2, value);

    public static int ReadInt32(ReadOnlySpan<byte> value, string type) =>
        value.Length == 4 ? BinaryPrimitives.ReadInt32BigEndian(value) : throw Wrong(type, 4, value);

    public static uint ReadUInt32(ReadOnlySpan<byte> value, string type) =>
        value.Length == 4 ? BinaryPrimitives.ReadUInt32BigEndian(value) : throw Wrong(type, 4, value);

    public static long ReadInt64(ReadOnlySpan<byte> value, string type) =>
        value.Length == 8 ? BinaryPrimitives.ReadInt64BigEndian(value) : throw Wrong(type, 8, value);

    public static ulong ReadUInt64(ReadOnlySpan<byte> value, string type) =>
        value.Length == 8 ? BinaryPrimitives.ReadUInt64BigEndian(value) : throw Wrong(type, 8, value);

    public static float ReadSingle(ReadOnlySpan<byte> value, string type) =>
        value.Length == 4 ? BinaryPrimitives.ReadSingleBigEndian(value) : throw Wrong(type, 4, value);

    public static double ReadDouble(ReadOnlySpan<byte> value, string type) =>
        value.Length == 8 ? BinaryPrimitives.ReadDoubleBigEndian(value) : throw Wrong(type, 8, value);

    /// <summary>The value itself, once it is known to have <paramref name="length"/> bytes.</summary>
    public static ReadOnlySpan<byte> Exactly(int length, ReadOnlySpan<byte> value, string type) =>
        value.Length == length ? value : throw Wrong(type, length, value);

    private static PgException Wrong(string type, int expected, ReadOnlySpan<byte> value) =>
        TypeErrors.WrongLength(type, expected, value.Length);
}
