namespace Loxo.Types;

/// <summary>boolean: one byte, 0 or 1.</summary>
internal sealed class BoolCodec : ValueCodec<bool>
{
    public override bool Read(ReadOnlySpan<byte> value) => FixedBytes.Read<byte>(value, "boolean") != 0;

    public override void Write(MessageWriter writer, bool value) => writer.WriteByte(value ? (byte)1 : (byte)0);
}

/// <summary>boolean: t or f.</summary>
internal sealed class BoolTextFormat : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text) => binary.WriteByte(text switch
    {
        [(byte)'t'] => 1,
        [(byte)'f'] => 0,
        _ => throw TextErrors.Malformed("boolean", text),
    });

    public override string ToText(ReadOnlySpan<byte> binary) => FixedBytes.Read<byte>(binary, "boolean") == 0 ? "f" : "t";
}
