using System.Numerics;
using Loxo.Protocol.Frontend;

namespace Loxo.Types.Codecs;

/// <summary>smallint: 2 bytes.</summary>
internal sealed class Int2Codec<T> : ValueCodec<T>
    where T : struct, INumber<T>
{
    public override T Read(ReadOnlySpan<byte> value) => Number.Convert<short, T>(FixedBytes.ReadInt16(value, "smallint"), "smallint");

    public override void Write(MessageWriter writer, T value) => writer.WriteInt16(Number.ToWhole<T, short>(value, "smallint"));
}

/// <summary>integer: 4 bytes.</summary>
internal sealed class Int4Codec<T> : ValueCodec<T>
    where T : struct, INumber<T>
{
    public override T Read(ReadOnlySpan<byte> value) => Number.Convert<int, T>(FixedBytes.ReadInt32(value, "integer"), "integer");

    public override void Write(MessageWriter writer, T value) => writer.WriteInt32(Number.ToWhole<T, int>(value, "integer"));
}

/// <summary>bigint: 8 bytes.</summary>
internal sealed class Int8Codec<T> : ValueCodec<T>
    where T : struct, INumber<T>
{
    public override T Read(ReadOnlySpan<byte> value) => Number.Convert<long, T>(FixedBytes.ReadInt64(value, "bigint"), "bigint");

    public override void Write(MessageWriter writer, T value) => writer.WriteInt64(Number.ToWhole<T, long>(value, "bigint"));
}
