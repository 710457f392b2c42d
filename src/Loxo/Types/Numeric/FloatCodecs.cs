using System.Numerics;

namespace Loxo.Types;

/// <summary>real: 4 bytes, IEEE 754.</summary>
internal sealed class Float4Codec<T> : ValueCodec<T>
    where T : struct, INumber<T>
{
    public override T Read(ReadOnlySpan<byte> value) => Number.FromServer<float, T>(FixedBytes.ReadSingle(value, "real"), "real");

    public override void Write(MessageWriter writer, T value) => writer.WriteSingle(Number.ToServer<T, float>(value, "real"));
}

/// <summary>double precision: 8 bytes, IEEE 754.</summary>
internal sealed class Float8Codec<T> : ValueCodec<T>
    where T : struct, INumber<T>
{
    public override T Read(ReadOnlySpan<byte> value) =>
        Number.FromServer<double, T>(FixedBytes.ReadDouble(value, "double precision"), "double precision");

    public override void Write(MessageWriter writer, T value) =>
        writer.WriteDouble(Number.ToServer<T, double>(value, "double precision"));
}
