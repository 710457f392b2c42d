using Loxo.Session;

namespace Loxo.Reading;

/// <summary>A column of a row that has arrived whole, behind the bytes to skip: nothing is copied, and nothing waits.</summary>
internal sealed class BufferedColumnStream(Rows rows, int ordinal, int skip = 0) : ColumnStream(rows)
{
    private readonly int _length = rows.Place(ordinal).Length - skip;
    private long _position;

    public override bool CanSeek => CanRead;

    public override long Length => _length;

    public override long Position
    {
        get => _position;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            _position = value;
        }
    }

    public override int Read(Span<byte> buffer)
    {
        var rest = Rest();
        var count = Math.Min(rest.Length, buffer.Length);
        rest.Span[..count].CopyTo(buffer);
        Check();
        _position += count;
        return count;
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested ? ValueTask.FromCanceled<int>(cancellationToken) : new(Read(buffer.Span));

    public override void CopyTo(Stream destination, int bufferSize)
    {
        ValidateCopyToArguments(destination, bufferSize);
        var rest = Rest();
        destination.Write(rest.Span);
        Check();
        _position += rest.Length;
    }

    public override async Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
    {
        ValidateCopyToArguments(destination, bufferSize);
        var rest = Rest();
        await destination.WriteAsync(rest, cancellationToken).ConfigureAwait(false);
        Check();
        _position += rest.Length;
    }

    public override long Seek(long offset, SeekOrigin origin)
    {
        var position = offset + origin switch
        {
            SeekOrigin.Begin => 0,
            SeekOrigin.Current => _position,
            SeekOrigin.End => _length,
            _ => throw new ArgumentOutOfRangeException(nameof(origin), origin, "Begin, Current and End are the places to seek from."),
        };
        return position >= 0 ? _position = position : throw new IOException("The position is before the value's start.");
    }

    private ReadOnlyMemory<byte> Rest()
    {
        Check();
        var taken = (int)Math.Min(_position, _length);
        return Rows.Buffer.AsMemory(Rows.Place(ordinal).Start + skip + taken, _length - taken);
    }
}
