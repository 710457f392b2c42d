namespace Loxo.Copy;

/// <summary>A text as its UTF-8, made as it is read.</summary>
/// <param name="text">Without NUL characters.</param>
internal sealed class Utf8Stream(string text) : Stream
{
    private readonly long _length = MessageWriter.LengthOf(text);
    private readonly Encoder _encoder = MessageWriter.StrictUtf8.GetEncoder();
    private int _at;

    public override bool CanRead => true;

    public override bool CanSeek => true;

    public override bool CanWrite => false;

    public override long Length => _length;

    public override long Position { get => 0; set => throw new NotSupportedException("The text is read from its start only."); }

    public override int Read(Span<byte> buffer)
    {
        _encoder.Convert(text.AsSpan(_at), buffer, flush: true, out var used, out var written, out _);
        _at += used;
        return written;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested ? ValueTask.FromCanceled<int>(cancellationToken) : new(Read(buffer.Span));

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException("The text is read from its start only.");

    public override void Flush()
    {
    }

    public override void SetLength(long value) => throw new NotSupportedException("A text can only be read.");

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException("A text can only be read.");
}
