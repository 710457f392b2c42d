using System.Collections;
using System.Collections.Specialized;

namespace Loxo.Types;

/// <summary>bit and varbit: the number of bits in 4 bytes, then the bits, the first one highest (varbit_send, varbit.c).</summary>
internal static class BitFormat
{
    /// <summary>The bytes that hold the bits: no less and no more than their number needs.</summary>
    public static ReadOnlySpan<byte> Open(ReadOnlySpan<byte> value, string type, out int count)
    {
        var scanner = new BinaryScanner(value, type);
        count = scanner.TakeInt32();
        if (count < 0)
            throw scanner.Malformed("its number of bits is negative");
        var bits = scanner.Take(BytesFor(count));
        scanner.End();
        return bits;
    }

    public static Span<byte> Begin(MessageWriter writer, int count)
    {
        writer.WriteInt32(count);
        return writer.Reserve(BytesFor(count));
    }

    /// <summary>Copies bits from bytes that start with the highest to bytes that start with the lowest, or the other way round.</summary>
    public static void CopyReversed(ReadOnlySpan<byte> from, Span<byte> to)
    {
        for (var i = 0; i < from.Length; i++)
        {
            var bits = (uint)from[i];
            bits = (bits & 0xF0) >> 4 | (bits & 0x0F) << 4;
            bits = (bits & 0xCC) >> 2 | (bits & 0x33) << 2;
            bits = (bits & 0xAA) >> 1 | (bits & 0x55) << 1;
            to[i] = (byte)bits;
        }
    }

    public static int BytesFor(int count) => (int)(((long)count + 7) / 8);
}

/// <summary>bit and varbit as bits, the first one at index 0.</summary>
internal sealed class BitArrayCodec(string type) : ReferenceCodec<BitArray>
{
    public override BitArray Read(ReadOnlySpan<byte> value)
    {
        var bits = BitFormat.Open(value, type, out var count);
        var array = new BitArray(count);
        BitFormat.CopyReversed(bits, CollectionsMarshal.AsBytes(array));
        return array;
    }

    public override void Write(MessageWriter writer, BitArray value)
    {
        var bits = BitFormat.Begin(writer, value.Count);
        BitFormat.CopyReversed(CollectionsMarshal.AsBytes(value)[..bits.Length], bits);
        if (value.Count % 8 != 0)
            bits[value.Count / 8] &= (byte)(0xFF00 >> value.Count % 8); // nothing behind the last bit
    }
}

internal sealed class SingleBitCodec(string type) : ValueCodec<bool>
{
    public override bool Read(ReadOnlySpan<byte> value)
    {
        var bits = BitFormat.Open(value, type, out var count);
        if (count == 1)
            return (bits[0] & 0x80) != 0;
        throw TypeErrors.NoForm(string.Create(CultureInfo.InvariantCulture, $"A value of PostgreSQL type {type} with {count} bits"),
            "bool", "Read it as BitArray");
    }

    public override void Write(MessageWriter writer, bool value) => BitFormat.Begin(writer, 1)[0] = value ? (byte)0x80 : (byte)0;
}

/// <summary>Up to 32 bits, the first one highest, and zeros behind the last one. Always written as 32 bits.</summary>
internal sealed class BitVectorCodec(string type) : ValueCodec<BitVector32>
{
    private const int Bits = 32;

    public override BitVector32 Read(ReadOnlySpan<byte> value)
    {
        var bits = BitFormat.Open(value, type, out var count);
        if (count > Bits)
        {
            throw TypeErrors.OutOfRange(string.Create(CultureInfo.InvariantCulture, $"A value of PostgreSQL type {type} with {count} bits"),
                "BitVector32, which has 32", "Read it as BitArray");
        }
        Span<byte> whole = stackalloc byte[sizeof(uint)];
        bits.CopyTo(whole);
        return new BitVector32(BinaryPrimitives.ReadInt32BigEndian(whole));
    }

    public override void Write(MessageWriter writer, BitVector32 value) =>
        BinaryPrimitives.WriteInt32BigEndian(BitFormat.Begin(writer, Bits), value.Data);
}

/// <summary>bit and varbit: a digit a bit (varbit_out, varbit.c).</summary>
internal sealed class BitTextFormat(string type) : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (text.ContainsAnyExcept((byte)'0', (byte)'1'))
            throw TypeErrors.Malformed(type, text);
        var bits = BitFormat.Begin(binary, text.Length);
        bits.Clear();
        for (var i = 0; i < text.Length; i++)
            bits[i / 8] |= (byte)((text[i] - '0') << (7 - i % 8));
    }

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var bits = BitFormat.Open(binary, type, out var count);
        return string.Create(count, bits, static (digits, bits) =>
        {
            for (var i = 0; i < digits.Length; i++)
                digits[i] = (bits[i / 8] >> (7 - i % 8) & 1) == 0 ? '0' : '1';
        });
    }
}
