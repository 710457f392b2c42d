using Loxo.Protocol.Frontend;

namespace Loxo.Types;

/// <summary>boolean: one byte, 0 or 1.</summary>
internal sealed class BoolCodec : ValueCodec<bool>
{
    public override bool Read(ReadOnlySpan<byte> value) => FixedBytes.ReadByte(value, "boolean") != 0;

    public override void Write(MessageWriter writer, bool value) => writer.WriteByte(value ? (byte)1 : (byte)0);
}
