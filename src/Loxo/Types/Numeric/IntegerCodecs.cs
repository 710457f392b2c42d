using System.Numerics;

namespace Loxo.Types;

/// <summary>smallint: 2 bytes.</summary>
internal sealed class Int2Codec<T> : ValueCodec<T>
    where T : struct, INumber<T>
{
    public override T Read(ReadOnlySpan<byte> value) => Number.FromServer<short, T>(FixedBytes.ReadInt16(value, "smallint"), "smallint");

    public override void Write(MessageWriter writer, T value) => writer.WriteInt16(Number.ToServer<T, short>(value, "smallint"));
}

/// <summary>integer: 4 bytes. Also what other types of 4 bytes are at bottom.</summary>
internal sealed class Int4Codec<T>(string type = "integer") : ValueCodec<T>
    where T : struct, INumber<T>
{
    public override T Read(ReadOnlySpan<byte> value) => Number.FromServer<int, T>(FixedBytes.ReadInt32(value, type), type);

    public override void Write(MessageWriter writer, T value) => writer.WriteInt32(Number.ToServer<T, int>(value, type));
}

/// <summary>bigint: 8 bytes. Also what other types of 8 bytes are at bottom.</summary>
internal sealed class Int8Codec<T>(string type = "bigint") : ValueCodec<T>
    where T : struct, INumber<T>
{
    public override T Read(ReadOnlySpan<byte> value) => Number.FromServer<long, T>(FixedBytes.ReadInt64(value, type), type);

    public override void Write(MessageWriter writer, T value) => writer.WriteInt64(Number.ToServer<T, long>(value, type));
}
