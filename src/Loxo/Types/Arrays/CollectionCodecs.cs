namespace Loxo.Types;

internal sealed class ListCodec<T>(ArrayFormat<T> format) : Codec<List<T>>
{
    public override List<T> Read(ReadOnlySpan<byte> value) => format.ReadList(value);

    public override void Write(MessageWriter writer, List<T> value) => format.Write(writer, CollectionsMarshal.AsSpan(value));
}

/// <summary>
/// A one-dimensional array as an interface of collections, written from whatever implements it. It is read as a list where the interface
/// has Add, as T[] otherwise.
/// </summary>
internal sealed class SequenceCodec<TSequence, T>(ArrayFormat<T> format) : Codec<TSequence>
    where TSequence : class, IEnumerable<T>
{
    private static readonly bool HasAdd = typeof(TSequence) == typeof(IList<T>) || typeof(TSequence) == typeof(ICollection<T>);

    public override TSequence Read(ReadOnlySpan<byte> value) =>
        HasAdd ? (TSequence)(object)format.ReadList(value) : (TSequence)(object)format.Read(value);

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
}

/// <summary>A one-dimensional array as a piece of memory, which may be part of a larger array when it is written.</summary>
internal sealed class ReadOnlyMemoryCodec<T>(ArrayFormat<T> format) : Codec<ReadOnlyMemory<T>>
{
    public override ReadOnlyMemory<T> Read(ReadOnlySpan<byte> value) => format.Read(value);

    public override void Write(MessageWriter writer, ReadOnlyMemory<T> value) => format.Write(writer, value.Span);
}

internal sealed class MemoryCodec<T>(ArrayFormat<T> format) : Codec<Memory<T>>
{
    public override Memory<T> Read(ReadOnlySpan<byte> value) => format.Read(value);

    public override void Write(MessageWriter writer, Memory<T> value) => format.Write(writer, value.Span);
}

internal sealed class SegmentCodec<T>(ArrayFormat<T> format) : Codec<ArraySegment<T>>
{
    public override ArraySegment<T> Read(ReadOnlySpan<byte> value) => format.Read(value);

    public override void Write(MessageWriter writer, ArraySegment<T> value) => format.Write(writer, value.AsSpan());
}

/// <summary>Elements of an array of object: each is read as the type's default and written as what it is.</summary>
internal sealed class LateBoundCodec(TypeEntry type) : ReferenceCodec<object>
{
    public override object Read(ReadOnlySpan<byte> value) => type.HasBinaryCodec
        ? type.Default.ReadObject(value)
        : throw ConversionErrors.NotReadable(type, typeof(object));

    public override void Write(MessageWriter writer, object value)
    {
        var codec = type.CodecForValue(value) ?? throw ConversionErrors.NotWritable(type, value.GetType());
        codec.WriteObject(writer, value);
    }
}

internal static class CollectionTypes
{
    private static readonly HashSet<Type> Generic =
    [
        typeof(List<>), typeof(IList<>), typeof(IReadOnlyList<>), typeof(ICollection<>), typeof(IReadOnlyCollection<>),
        typeof(IEnumerable<>), typeof(ReadOnlyMemory<>), typeof(Memory<>), typeof(ArraySegment<>),
    ];

    /// <summary>The element type of an array or list; null for other types, even for classes that implement a list's interface.</summary>
    public static Type? ElementOf(Type clrType)
    {
        if (clrType.IsArray)
            return clrType.GetElementType();
        return clrType.IsGenericType && Generic.Contains(clrType.GetGenericTypeDefinition()) ? clrType.GetGenericArguments()[0] : null;
    }
}
