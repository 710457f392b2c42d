using System.Runtime.InteropServices;
using Loxo.Protocol.Frontend;

namespace Loxo.Types;

/// <summary>A one-dimensional array as List&lt;T&gt;.</summary>
internal sealed class ListCodec<T>(ArrayFormat<T> format) : Codec<List<T>>
{
    internal override Codec? Nullable => null;

    public override List<T> Read(ReadOnlySpan<byte> value)
    {
        var elements = format.Open(value, out var count);
        var list = new List<T>(count);
        CollectionsMarshal.SetCount(list, count);
        format.ReadElements(elements, CollectionsMarshal.AsSpan(list));
        return list;
    }

    public override void Write(MessageWriter writer, List<T> value) => format.Write(writer, CollectionsMarshal.AsSpan(value));

    internal override IEnumerable<Codec> ArraysOf(TypeEntry element) => [];
}

/// <summary>A one-dimensional array as an interface that T[] implements: read as T[], written from whatever implements it.</summary>
internal sealed class SequenceCodec<TSequence, T>(ArrayFormat<T> format) : Codec<TSequence>
    where TSequence : class, IEnumerable<T>
{
    internal override Codec? Nullable => null;

    public override TSequence Read(ReadOnlySpan<byte> value) => (TSequence)(object)Segments.Read(format, value);

    public override void Write(MessageWriter writer, TSequence value)
    {
        switch ((IEnumerable<T>)value)
        {
            case T[] array:
                format.Write(writer, array);
                break;
            case List<T> list:
                format.Write(writer, CollectionsMarshal.AsSpan(list));
                break;
            case var sequence:
                format.Write(writer, sequence.ToArray());
                break;
        }
    }

    internal override IEnumerable<Codec> ArraysOf(TypeEntry element) => [];
}

/// <summary>A one-dimensional array as a piece of memory, which may be part of a larger array when it is written.</summary>
internal sealed class ReadOnlyMemoryCodec<T>(ArrayFormat<T> format) : Codec<ReadOnlyMemory<T>>
{
    internal override Codec? Nullable => null;

    public override ReadOnlyMemory<T> Read(ReadOnlySpan<byte> value) => Segments.Read(format, value);

    public override void Write(MessageWriter writer, ReadOnlyMemory<T> value) => format.Write(writer, value.Span);

    internal override IEnumerable<Codec> ArraysOf(TypeEntry element) => [];
}

/// <inheritdoc cref="ReadOnlyMemoryCodec{T}"/>
internal sealed class MemoryCodec<T>(ArrayFormat<T> format) : Codec<Memory<T>>
{
    internal override Codec? Nullable => null;

    public override Memory<T> Read(ReadOnlySpan<byte> value) => Segments.Read(format, value);

    public override void Write(MessageWriter writer, Memory<T> value) => format.Write(writer, value.Span);

    internal override IEnumerable<Codec> ArraysOf(TypeEntry element) => [];
}

/// <inheritdoc cref="ReadOnlyMemoryCodec{T}"/>
internal sealed class SegmentCodec<T>(ArrayFormat<T> format) : Codec<ArraySegment<T>>
{
    internal override Codec? Nullable => null;

    public override ArraySegment<T> Read(ReadOnlySpan<byte> value) => Segments.Read(format, value);

    public override void Write(MessageWriter writer, ArraySegment<T> value) => format.Write(writer, value.AsSpan());

    internal override IEnumerable<Codec> ArraysOf(TypeEntry element) => [];
}

file static class Segments
{
    public static T[] Read<T>(ArrayFormat<T> format, ReadOnlySpan<byte> value)
    {
        var elements = format.Open(value, out var count);
        T[] items = count == 0 ? [] : new T[count];
        format.ReadElements(elements, items);
        return items;
    }
}
