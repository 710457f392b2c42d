using System.Runtime.InteropServices;
using Loxo.Protocol.Frontend;

namespace Loxo.Types.Composed;

/// <summary>A one-dimensional array as T[]. T is the element's type or, for elements that may be NULL, its nullable form.</summary>
internal sealed class ArrayCodec<T>(Codec<T> element, TypeEntry type) : Codec<T[]>
{
    private readonly ArrayFormat<T> _format = new(element, type);

    internal override Codec? Nullable => null;

    public override T[] Read(ReadOnlySpan<byte> value)
    {
        var elements = _format.Open(value, out var count);
        T[] items = count == 0 ? [] : new T[count];
        _format.ReadElements(elements, items);
        return items;
    }

    public override void Write(MessageWriter writer, T[] value) => _format.Write(writer, value);

    internal override IEnumerable<Codec> ArraysOf(TypeEntry element) => [];
}

/// <summary>A one-dimensional array as List&lt;T&gt;.</summary>
internal sealed class ListCodec<T>(Codec<T> element, TypeEntry type) : Codec<List<T>>
{
    private readonly ArrayFormat<T> _format = new(element, type);

    internal override Codec? Nullable => null;

    public override List<T> Read(ReadOnlySpan<byte> value)
    {
        var elements = _format.Open(value, out var count);
        var list = new List<T>(count);
        CollectionsMarshal.SetCount(list, count);
        _format.ReadElements(elements, CollectionsMarshal.AsSpan(list));
        return list;
    }

    public override void Write(MessageWriter writer, List<T> value) => _format.Write(writer, CollectionsMarshal.AsSpan(value));

    internal override IEnumerable<Codec> ArraysOf(TypeEntry element) => [];
}

/// <summary>A one-dimensional array as IList&lt;T&gt;: read as T[], written from whatever implements it.</summary>
internal sealed class InterfaceListCodec<T>(Codec<T> element, TypeEntry type) : Codec<IList<T>>
{
    private readonly ArrayCodec<T> _array = new(element, type);

    internal override Codec? Nullable => null;

    public override IList<T> Read(ReadOnlySpan<byte> value) => _array.Read(value);

    public override void Write(MessageWriter writer, IList<T> value)
    {
        var items = value as T[] ?? [.. value];
        _array.Write(writer, items);
    }

    internal override IEnumerable<Codec> ArraysOf(TypeEntry element) => [];
}
