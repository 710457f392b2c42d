namespace Loxo.Types;

/// <summary>oidvector and int2vector: arrays of the catalogue whose first index is 0.</summary>
internal sealed class VectorCodec<T>(Codec<T> element, TypeEntry type) : ReferenceCodec<T[]>
    where T : struct
{
    private readonly ArrayFormat<T> _format = new(element, type, lowerBound: 0);

    public override T[] Read(ReadOnlySpan<byte> value) => _format.Read(value);

    public override void Write(MessageWriter writer, T[] value)
    {
        // The server makes an array without dimension of an empty one, and then misses the dimension (array_recv, oidvectorrecv).
        if (value.Length == 0)
        {
            throw TypeErrors.NoForm($"An empty {ClrNames.Of(typeof(T[]))}",
                $"a vector of {type.DisplayName}, which the server takes as text only", "Write '' in the SQL text");
        }
        _format.Write(writer, value);
    }
}
