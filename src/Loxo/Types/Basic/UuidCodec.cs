using Loxo.Protocol.Frontend;

namespace Loxo.Types;

/// <summary>uuid: 16 bytes, most significant first.</summary>
internal sealed class UuidCodec : ValueCodec<Guid>
{
    public override Guid Read(ReadOnlySpan<byte> value) => new(FixedBytes.Exactly(16, value, "uuid"), bigEndian: true);

    public override void Write(MessageWriter writer, Guid value) => value.TryWriteBytes(writer.Reserve(16), bigEndian: true, out _);
}
