using Loxo.Session;

namespace Loxo.Reading;

/// <summary>A column of a row that is still arriving: the receive buffer never holds more than a small part of the value.</summary>
internal sealed class ArrivingColumnStream(CommandExchange command, int ordinal, int timeout) : ColumnStream(command.Rows)
{
    private readonly PartialRow _row = command.Rows.Part;
    private readonly int _skipped = command.Rows.Part.Length - command.Rows.Part.Left;
    private readonly int _length = command.Rows.Part.Left;

    public override bool CanSeek => false;

    public override long Length => _length;

    public override long Position
    {
        get
        {
            CheckColumn();
            return _row.Length - _row.Left - _skipped;
        }

        set => throw NoSeek();
    }

    public override int Read(Span<byte> buffer)
    {
        CheckColumn();
        if (!buffer.IsEmpty && !_row.TryReach(ordinal, Reach.More))
            command.Session.Pump(command, timeout);
        return Take(buffer);
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
            return ValueTask.FromCanceled<int>(cancellationToken);
        CheckColumn();
        return buffer.IsEmpty || _row.TryReach(ordinal, Reach.More)
            ? new(Take(buffer.Span))
            : ReadAfterFillAsync(buffer, cancellationToken);
    }

    public override long Seek(long offset, SeekOrigin origin) => throw NoSeek();

    private async ValueTask<int> ReadAfterFillAsync(Memory<byte> buffer, CancellationToken token)
    {
        await command.Session.PumpAsync(command, timeout, token).ConfigureAwait(false);
        return Take(buffer.Span);
    }

    private int Take(Span<byte> buffer)
    {
        var arrived = _row.Arrived;
        var count = Math.Min(arrived.Length, buffer.Length);
        arrived[..count].CopyTo(buffer);
        _row.Take(count);
        return count;
    }

    private void CheckColumn()
    {
        Check();
        if (_row.Ordinal != ordinal)
            throw ReaderErrors.StreamEnded("the reader has gone on to another column");
    }

    private static NotSupportedException NoSeek() =>
        new("With CommandBehavior.SequentialAccess a long value is read from its start to its end; leave SequentialAccess out to seek in "
            + "it.");
}
