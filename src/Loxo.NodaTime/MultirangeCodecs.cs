using System.Buffers.Binary;
using System.Globalization;

namespace Loxo.Noda;

/// <summary>A codec of ranges that knows how many bytes it will write: they go behind their length.</summary>
internal interface IRangeSize<in T>
{
    int SizeOf(T value);
}

/// <summary>A multirange: the number of ranges, then these behind their lengths (multirange_send, multirangetypes.c).</summary>
internal static class MultirangeCodec
{
    public static IEnumerable<Codec> Of<T, TCodec>(TCodec range, string type)
        where TCodec : Codec<T>, IRangeSize<T> =>
            [new MultirangeArrayCodec<T, TCodec>(range, type), new MultirangeListCodec<T, TCodec>(range, type)];
}

/// <inheritdoc cref="MultirangeCodec"/>
internal sealed class MultirangeArrayCodec<T, TCodec>(TCodec range, string type) : ReferenceCodec<T[]>
    where TCodec : Codec<T>, IRangeSize<T>
{
    private const int LeastSize = sizeof(int) + sizeof(byte); // the length and the flags

    public override T[] Read(ReadOnlySpan<byte> value)
    {
        var count = value.Length >= sizeof(int) ? BinaryPrimitives.ReadInt32BigEndian(value) : -1;
        if (count < 0 || count > (value.Length - sizeof(int)) / LeastSize)
            throw Wire.Malformed(type, string.Create(CultureInfo.InvariantCulture, $"it claims {count} ranges in {value.Length} bytes"));
        var rest = value[sizeof(int)..];
        var ranges = new T[count];
        for (var i = 0; i < count; i++)
            ranges[i] = range.Read(Wire.TakeValue(ref rest, type));
        return rest.IsEmpty ? ranges : throw Wire.Malformed(type, "bytes are left over");
    }

    public override void Write(MessageWriter writer, T[] value)
    {
        writer.WriteInt32(value.Length);
        foreach (var item in value)
        {
            writer.WriteInt32(range.SizeOf(item));
            range.Write(writer, item);
        }
    }
}

/// <inheritdoc cref="MultirangeCodec"/>
internal sealed class MultirangeListCodec<T, TCodec>(TCodec range, string type) : ReferenceCodec<List<T>>
    where TCodec : Codec<T>, IRangeSize<T>
{
    private readonly MultirangeArrayCodec<T, TCodec> _array = new(range, type);

    public override List<T> Read(ReadOnlySpan<byte> value) => [.. _array.Read(value)];

    public override void Write(MessageWriter writer, List<T> value) => _array.Write(writer, [.. value]);
}
