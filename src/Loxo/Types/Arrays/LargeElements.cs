namespace Loxo.Types;

/// <summary>Measures large arrays of text or bytes: the buffer grows once, and what no message can carry is refused at once.</summary>
internal static class LargeElements
{
    // Smaller arrays fit a buffer that has doubled a few times; measuring them would cost more than it saves.
    private const int Large = 64 * 1024;

    /// <summary>Makes room if the elements are large. Elements of other types than text and bytea are not measured.</summary>
    public static void MakeRoom<T>(MessageWriter writer, Codec<T> element, ReadOnlySpan<T> items)
    {
        Func<T, long>? length = element switch
        {
            StringCodec => static item => ((string)(object)item!).Length,
            ByteArrayCodec => static item => ((byte[])(object)item!).Length,
            _ => null,
        };
        if (length is null || Sum(items, length) < Large)
            return;
        if (element is StringCodec)
            length = static item => MessageWriter.LengthOf((string)(object)item!);
        writer.MakeRoom(Sum(items, length) + (long)sizeof(int) * items.Length);
    }

    private static long Sum<T>(ReadOnlySpan<T> items, Func<T, long> length)
    {
        long sum = 0;
        foreach (var item in items)
            sum += item is null ? 0 : length(item);
        return sum;
    }
}
