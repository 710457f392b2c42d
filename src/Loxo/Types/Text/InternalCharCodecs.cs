namespace Loxo.Types;

/// <summary>"char": one byte, as the character of that code (ASCII, and Latin-1 beyond it). NUL is the empty value.</summary>
internal sealed class InternalCharCodec : ValueCodec<char>
{
    public override char Read(ReadOnlySpan<byte> value) => (char)FixedBytes.Read<byte>(value, "\"char\"");

    public override void Write(MessageWriter writer, char value) => writer.WriteByte(value <= byte.MaxValue
        ? (byte)value
        : throw TypeErrors.OutOfRange($"The character '{value}'", "PostgreSQL type \"char\", which is one byte", "Write it as text"));
}

/// <summary>"char": nothing for 0, the character for ASCII, \ooo for a byte beyond it (charout, char.c).</summary>
internal sealed class InternalCharTextFormat : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text) => binary.WriteByte(text switch
    {
        [] => 0,
        [var character] => character,
        [(byte)'\\', var a and >= (byte)'0' and <= (byte)'3', var b, var c] when IsOctal(b) && IsOctal(c) =>
            (byte)(((a - '0') << 6) + ((b - '0') << 3) + (c - '0')),
        _ => throw TypeErrors.Malformed("\"char\"", text),
    });

    public override string ToText(ReadOnlySpan<byte> binary) => FixedBytes.Read<byte>(binary, "\"char\"") switch
    {
        0 => "",
        >= 0x80 and var high => "\\" + Convert.ToString(high, 8),
        var ascii => ((char)ascii).ToString(),
    };

    private static bool IsOctal(byte digit) => digit is >= (byte)'0' and <= (byte)'7';
}
