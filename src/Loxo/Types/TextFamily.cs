namespace Loxo.Types;

/// <summary>The codecs that all text types share. Binary is the text itself, so they read any type in text format too.</summary>
internal static class TextFamily
{
    public static readonly Codec<string> String = new StringCodec();

    /// <summary>The value's own bytes, as bytea has them too.</summary>
    public static readonly Codec[] Bytes =
        [new ByteArrayCodec(), new ReadOnlyByteMemoryCodec(), new ByteMemoryCodec(), new ByteSegmentCodec(), new ByteSequenceCodec()];

    /// <summary>All of them, the default one first.</summary>
    public static readonly Codec[] All =
    [
        String, new CharCodec(), new CharArrayCodec(), new CharMemoryCodec(), new WritableCharMemoryCodec(),
        new CharSegmentCodec(), .. Bytes,
    ];
}
