using System.Buffers.Binary;

namespace Loxo.Types;

/// <summary>oid, xid, cid and the reg types: 4 bytes without a sign.</summary>
internal sealed class OidCodec(string type) : ValueCodec<uint>
{
    public override uint Read(ReadOnlySpan<byte> value) => FixedBytes.ReadUInt32(value, type);

    public override void Write(MessageWriter writer, uint value) => writer.WriteUInt32(value);
}

/// <summary>xid8: 8 bytes without a sign.</summary>
internal sealed class Xid8Codec : ValueCodec<ulong>
{
    public override ulong Read(ReadOnlySpan<byte> value) => FixedBytes.ReadUInt64(value, "xid8");

    public override void Write(MessageWriter writer, ulong value) => BinaryPrimitives.WriteUInt64BigEndian(writer.Reserve(8), value);
}
