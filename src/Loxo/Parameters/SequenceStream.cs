using System.Buffers;

namespace Loxo.Parameters;

/// <summary>A sequence of bytes as a stream, so that a long one is sent from where it lies instead of being copied first.</summary>
internal sealed class SequenceStream(ReadOnlySequence<byte> sequence) : Stream
{
    private long _position;

    public override bool CanRead => true;

    public override bool CanSeek => true;

    public override bool CanWrite => false;

    public override long Length => sequence.Length;

    public override long Position { get => _position; set => _position = value; }

    public override int Read(Span<byte> buffer)
    {
        var part = sequence.Slice(_position, Math.Min(buffer.Length, sequence.Length - _position));
        part.CopyTo(buffer);
        _position += part.Length;
        return (int)part.Length;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested ? ValueTask.FromCanceled<int>(cancellationToken) : new(Read(buffer.Span));

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException("Set Position instead.");

    public override void Flush()
    {
    }

    public override void SetLength(long value) => throw new NotSupportedException("A sequence can only be read.");

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException("A sequence can only be read.");
}
