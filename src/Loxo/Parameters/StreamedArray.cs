using System.Collections;
using Loxo.Transport;
using Loxo.Types;

namespace Loxo.Parameters;

/// <summary>Arrays with streams for elements.</summary>
internal static class StreamedArray
{
    /// <summary>Whether the value is an array or another collection that has streams for elements, and the type takes them.</summary>
    public static bool Is<T>(T value, TypeEntry? type) =>
        type is { Element: { } element, HasBinaryCodec: true } && (IsOfStreams(value) || HasStream(value)) && element.TakesStreams;

    /// <summary>Whether all elements of the value are streams.</summary>
    public static bool IsOfStreams<T>(T value) =>
        value is IEnumerable<Stream>
        || (value is Array { Rank: > 1 } matrix && typeof(Stream).IsAssignableFrom(matrix.GetType().GetElementType()));

    /// <summary>Whether one value of a .NET type may have streams for elements and another one none.</summary>
    public static bool MayHaveStreams(Type clrType) => clrType == typeof(object[]) || clrType == typeof(List<object>);

    /// <summary>The array in binary format, as a stream.</summary>
    /// <param name="value">One for which <see cref="Is"/> is true.</param>
    /// <param name="element">The type of its elements.</param>
    /// <exception cref="ArgumentException">A stream cannot be read.</exception>
    /// <exception cref="InvalidCastException">An element has no form in the type.</exception>
    public static StreamedParts StreamOf(object value, TypeEntry element)
    {
        var writer = new MessageWriter();
        element.CodecFor<byte[]>(element.Format)!.Write(writer, []);
        var parts = new StreamedParts(Take(writer));
        object?[] items = [.. ((IEnumerable)value).Cast<object?>()];
        WriteHeader(writer, value as Array ?? items, Array.Exists(items, item => item is null or DBNull), element);
        foreach (var item in items)
        {
            if (item is Stream stream)
            {
                StreamedParameter.CheckReadable(stream);
                parts.Add(Take(writer));
                parts.Add(stream);
            }
            else
            {
                Write(writer, item, element);
            }
        }
        parts.Add(Take(writer));
        return parts;
    }

    private static bool HasStream<T>(T value) =>
        value is IEnumerable<object> objects && MayHaveStreams(value.GetType()) && objects.Any(item => item is Stream);

    private static void WriteHeader(MessageWriter writer, Array array, bool hasNull, TypeEntry element)
    {
        Span<int> lengths = stackalloc int[array.Rank];
        Span<int> lowerBounds = stackalloc int[array.Rank];
        Matrices.MeasureShape(array, lengths, lowerBounds);
        ArrayReader.WriteHeader(writer, element, hasNull, array.Length == 0 ? [] : lengths, lowerBounds);
    }

    private static void Write(MessageWriter writer, object? item, TypeEntry element)
    {
        if (item is null or DBNull)
        {
            writer.WriteNullValue();
            return;
        }
        var codec = element.CodecForValue(item) ?? throw ConversionErrors.NotWritable(element, item.GetType());
        var start = writer.BeginValue();
        codec.WriteObject(writer, item);
        writer.EndValue(start);
    }

    private static byte[] Take(MessageWriter writer)
    {
        var bytes = writer.Pending.ToArray();
        writer.Consume(bytes.Length);
        return bytes;
    }
}
