namespace Loxo.Types;

/// <summary>bit and varbit: a digit a bit (varbit_out, varbit.c).</summary>
internal sealed class BitTextFormat(string type) : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (text.ContainsAnyExcept((byte)'0', (byte)'1'))
            throw TextErrors.Malformed(type, text);
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
