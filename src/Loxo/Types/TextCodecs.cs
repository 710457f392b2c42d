namespace Loxo.Types;

internal sealed class StringCodec : ReferenceCodec<string>
{
    public override string Read(ReadOnlySpan<byte> value) => Utf8.Read(value);

    public override void Write(MessageWriter writer, string value) => Utf8.Write(writer, value);
}

/// <summary>Text of exactly one UTF-16 character.</summary>
/// <param name="takesFirst">Whether the first character of a longer text is read, and the text not refused.</param>
internal sealed class CharCodec(bool takesFirst = false) : ValueCodec<char>
{
    public override char Read(ReadOnlySpan<byte> value)
    {
        var status = Rune.DecodeFromUtf8(value, out var rune, out var length);
        if (status == OperationStatus.Done && (takesFirst || length == value.Length) && rune.IsBmp)
            return (char)rune.Value;
        throw TypeErrors.NoForm(
            string.Create(CultureInfo.InvariantCulture, $"A text of {value.Length} bytes that is not exactly one character"),
            "char", "Read it as string");
    }

    public override void Write(MessageWriter writer, char value) => Utf8.Write(writer, [value]);
}

internal sealed class CharArrayCodec : ReferenceCodec<char[]>
{
    public override char[] Read(ReadOnlySpan<byte> value) => Utf8.ReadChars(value);

    public override void Write(MessageWriter writer, char[] value) => Utf8.Write(writer, value);
}

internal sealed class CharMemoryCodec : ValueCodec<ReadOnlyMemory<char>>
{
    public override ReadOnlyMemory<char> Read(ReadOnlySpan<byte> value) => Utf8.ReadChars(value);

    public override void Write(MessageWriter writer, ReadOnlyMemory<char> value) => Utf8.Write(writer, value.Span);
}

internal sealed class WritableCharMemoryCodec : ValueCodec<Memory<char>>
{
    public override Memory<char> Read(ReadOnlySpan<byte> value) => Utf8.ReadChars(value);

    public override void Write(MessageWriter writer, Memory<char> value) => Utf8.Write(writer, value.Span);
}

internal sealed class CharSegmentCodec : ValueCodec<ArraySegment<char>>
{
    public override ArraySegment<char> Read(ReadOnlySpan<byte> value) => Utf8.ReadChars(value);

    public override void Write(MessageWriter writer, ArraySegment<char> value) => Utf8.Write(writer, value);
}

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

/// <summary>The value's own bytes: bytea, and the UTF-8 of the text family.</summary>
internal sealed class ByteArrayCodec : ReferenceCodec<byte[]>
{
    internal override bool TakesStreams => true;

    public override byte[] Read(ReadOnlySpan<byte> value) => value.ToArray();

    public override void Write(MessageWriter writer, byte[] value) => writer.WriteBytes(value);
}

internal sealed class ReadOnlyByteMemoryCodec : ValueCodec<ReadOnlyMemory<byte>>
{
    public override ReadOnlyMemory<byte> Read(ReadOnlySpan<byte> value) => value.ToArray();

    public override void Write(MessageWriter writer, ReadOnlyMemory<byte> value) => writer.WriteBytes(value.Span);
}

internal sealed class ByteMemoryCodec : ValueCodec<Memory<byte>>
{
    public override Memory<byte> Read(ReadOnlySpan<byte> value) => value.ToArray();

    public override void Write(MessageWriter writer, Memory<byte> value) => writer.WriteBytes(value.Span);
}

internal sealed class ByteSegmentCodec : ValueCodec<ArraySegment<byte>>
{
    public override ArraySegment<byte> Read(ReadOnlySpan<byte> value) => value.ToArray();

    public override void Write(MessageWriter writer, ArraySegment<byte> value) => writer.WriteBytes(value);
}

internal sealed class ByteSequenceCodec : ValueCodec<ReadOnlySequence<byte>>
{
    public override ReadOnlySequence<byte> Read(ReadOnlySpan<byte> value) => new(value.ToArray());

    public override void Write(MessageWriter writer, ReadOnlySequence<byte> value)
    {
        foreach (var part in value)
            writer.WriteBytes(part.Span);
    }
}
