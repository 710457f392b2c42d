using Loxo.Protocol.Frontend;

namespace Loxo.Types;

/// <summary>"char": one byte, as the character of that code (ASCII, and Latin-1 beyond it). NUL is the empty value.</summary>
internal sealed class InternalCharCodec : ValueCodec<char>
{
    public override char Read(ReadOnlySpan<byte> value) => (char)FixedBytes.ReadByte(value, "\"char\"");

    public override void Write(MessageWriter writer, char value) => writer.WriteByte(value <= byte.MaxValue
        ? (byte)value
        : throw TypeErrors.OutOfRange($"The character '{value}'", "PostgreSQL type \"char\", which is one byte", "Write it as text"));
}

/// <summary>"char" as the byte that it is.</summary>
internal sealed class InternalCharByteCodec : ValueCodec<byte>
{
    public override byte Read(ReadOnlySpan<byte> value) => FixedBytes.ReadByte(value, "\"char\"");

    public override void Write(MessageWriter writer, byte value) => writer.WriteByte(value);
}
