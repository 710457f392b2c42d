using Loxo.Session;

namespace Loxo.Reading;

/// <summary>A column's value as a stream. After the reader has moved on it throws, so that it can never show another row's bytes.</summary>
internal abstract class ColumnStream(Rows rows) : Stream
{
    private readonly long _version = rows.Version;
    private bool _isClosed;

    protected Rows Rows => rows;

    public override bool CanRead => !_isClosed;

    public override bool CanWrite => false;

    public sealed override int Read(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        return Read(buffer.AsSpan(offset, count));
    }

    public sealed override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();
    }

    // The inherited one makes an array for each byte.
    public sealed override int ReadByte()
    {
        byte value = 0;
        return Read(new Span<byte>(ref value)) == 0 ? -1 : value;
    }

    public override void Flush()
    {
    }

    public override void SetLength(long value) => throw new NotSupportedException("A column's value can only be read.");

    public override void Write(byte[] buffer, int offset, int count) =>
        throw new NotSupportedException("A column's value can only be read.");

    protected override void Dispose(bool disposing)
    {
        _isClosed = true;
        base.Dispose(disposing);
    }

    /// <summary>Before bytes are read, and again behind it: another thread may have left the row meanwhile.</summary>
    protected void Check()
    {
        Volatile.ReadBarrier();
        ObjectDisposedException.ThrowIf(_isClosed, typeof(Stream));
        if (!rows.IsAt(_version))
            throw ReaderErrors.StreamEnded("the reader has left the row that it belongs to");
    }
}
