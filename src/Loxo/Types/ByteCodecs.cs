using System.Buffers;

namespace Loxo.Types;

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
