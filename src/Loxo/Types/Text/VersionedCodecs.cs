namespace Loxo.Types;

/// <summary>jsonb and jsonpath: a version byte, always 1 so far (jsonb_send, jsonpath_send), then the text.</summary>
internal static class VersionedText
{
    private const byte Version = 1;

    /// <summary>The codecs of the text family behind a version byte, the default one first.</summary>
    public static Codec[] All(string type) =>
    [
        new VersionedReferenceCodec<string>(TextFamily.String, type),
        new VersionedValueCodec<char>(new CharCodec(), type),
        new VersionedReferenceCodec<char[]>(new CharArrayCodec(), type),
        new VersionedValueCodec<ReadOnlyMemory<char>>(new CharMemoryCodec(), type),
        new VersionedValueCodec<Memory<char>>(new WritableCharMemoryCodec(), type),
        new VersionedValueCodec<ArraySegment<char>>(new CharSegmentCodec(), type),
        new VersionedReferenceCodec<byte[]>(new ByteArrayCodec(), type),
        new VersionedValueCodec<ReadOnlyMemory<byte>>(new ReadOnlyByteMemoryCodec(), type),
        new VersionedValueCodec<Memory<byte>>(new ByteMemoryCodec(), type),
        new VersionedValueCodec<ArraySegment<byte>>(new ByteSegmentCodec(), type),
        new VersionedValueCodec<ReadOnlySequence<byte>>(new ByteSequenceCodec(), type),
    ];

    /// <summary>What follows the version.</summary>
    public static ReadOnlySpan<byte> Open(ReadOnlySpan<byte> value, string type) => value switch
    {
        [Version, .. var text] => text,
        [] => throw TypeErrors.Malformed(type, "its version is missing"),
        _ => throw TypeErrors.Malformed(type, $"its version is {value[0]}, and only {Version} is known"),
    };

    public static void Begin(MessageWriter writer) => writer.WriteByte(Version);
}

internal sealed class VersionedReferenceCodec<T>(Codec<T> inner, string type) : ReferenceCodec<T>
    where T : class
{
    internal override bool TakesStreams => inner.TakesStreams;

    public override T Read(ReadOnlySpan<byte> value) => inner.Read(VersionedText.Open(value, type));

    public override void Write(MessageWriter writer, T value)
    {
        VersionedText.Begin(writer);
        inner.Write(writer, value);
    }
}

internal sealed class VersionedValueCodec<T>(Codec<T> inner, string type) : ValueCodec<T>
    where T : struct
{
    public override T Read(ReadOnlySpan<byte> value) => inner.Read(VersionedText.Open(value, type));

    public override void Write(MessageWriter writer, T value)
    {
        VersionedText.Begin(writer);
        inner.Write(writer, value);
    }
}
