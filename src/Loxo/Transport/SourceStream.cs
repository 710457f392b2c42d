namespace Loxo.Transport;

/// <summary>A stream that is only read, and only rewound to a position where it was before.</summary>
internal abstract class SourceStream : Stream
{
    public sealed override bool CanRead => true;

    public sealed override bool CanWrite => false;

    public sealed override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public abstract override int Read(Span<byte> buffer);

    public sealed override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException("Set Position instead.");

    public sealed override void Flush()
    {
    }

    public sealed override void SetLength(long value) => throw new NotSupportedException("A parameter's bytes can only be read.");

    public sealed override void Write(byte[] buffer, int offset, int count) =>
        throw new NotSupportedException("A parameter's bytes can only be read.");
}
