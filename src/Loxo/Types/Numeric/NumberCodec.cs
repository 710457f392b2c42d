using System.Numerics;

namespace Loxo.Types;

/// <summary>A number of fixed size, whole or IEEE 754, as it is on the wire; and what other types of that size are at bottom.</summary>
/// <typeparam name="TServer">The .NET type that has the same values.</typeparam>
/// <typeparam name="T">The .NET type to read and write.</typeparam>
internal sealed class NumberCodec<TServer, T>(string type) : ValueCodec<T>
    where TServer : unmanaged, INumber<TServer>
    where T : struct, INumber<T>
{
    public override T Read(ReadOnlySpan<byte> value) => Number.FromServer<TServer, T>(FixedBytes.Read<TServer>(value, type), type);

    public override void Write(MessageWriter writer, T value) => FixedBytes.Write(writer, Number.ToServer<T, TServer>(value, type));
}
