using Loxo.Protocol.Frontend;

namespace Loxo.Types.Composed;

/// <summary>oidvector and int2vector: arrays of the catalogue whose first index is 0 (oidvectorrecv, oid.c).</summary>
internal sealed class VectorCodec<T>(Codec<T> element, TypeEntry type) : ReferenceCodec<T[]>
    where T : struct
{
    private readonly ArrayFormat<T> _format = new(element, type, isVector: true);

    public override T[] Read(ReadOnlySpan<byte> value)
    {
        var elements = _format.Open(value, out var count);
        var items = new T[count];
        _format.ReadElements(elements, items);
        return items;
    }

    public override void Write(MessageWriter writer, T[] value) => _format.Write(writer, value);
}
