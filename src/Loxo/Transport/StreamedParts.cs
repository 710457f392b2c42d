using Loxo.Protocol.Frontend;

namespace Loxo.Transport;

/// <summary>
/// A value made of bytes in memory and of streams, as one stream. Each stream has its length in front of it; one that cannot seek goes
/// through a <see cref="Spool"/> when its turn comes.
/// </summary>
/// <param name="prefix">What stands in front of each stream's bytes and counts for its length: the version of jsonb, say.</param>
internal sealed class StreamedParts(byte[] prefix) : SourceStream
{
    private readonly List<Part> _parts = [];
    private long _length;
    private int _part;
    // What is left of the bytes in front of the current part's stream, and how much of the stream.
    private ReadOnlyMemory<byte> _front;
    private long _left;
    private Spool? _spool;

    public override bool CanSeek => _parts.TrueForAll(part => part.Length != OutputSource.Unknown);

    public override long Length => CanSeek ? _length : throw new NotSupportedException("One of the streams does not know its length.");

    /// <summary>Zero until something is read. Setting it to zero starts again, with every stream where it stood at first.</summary>
    public override long Position
    {
        get => _part == 0 && _front.Length == _parts[0].Front.Length ? 0 : -1;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNotEqual(value, 0);
            foreach (var part in _parts)
                part.Source?.Position = part.Origin;
            GoTo(0);
        }
    }

    public void Add(byte[] bytes) => Add(new Part(bytes, null, 0, 0));

    public void Add(Stream source)
    {
        if (!source.CanSeek)
        {
            Add(new Part([], source, OutputSource.Unknown, 0));
            return;
        }
        var length = Math.Max(0, source.Length - source.Position);
        Add(new Part(Front(length), source, length, source.Position));
    }

    public override int Read(Span<byte> buffer)
    {
        while (_part < _parts.Count)
        {
            if (MustMeasure)
            {
                _spool = new Spool();
                _spool.Fill(_parts[_part].Source!);
                Measured(_spool);
            }
            if (ReadFront(buffer) is > 0 and var count)
                return count;
            var room = buffer[..(int)Math.Min(buffer.Length, _left)];
            if (_left > 0)
                return Counted(_spool is not null ? _spool.Read(room) : Source().Read(room));
            GoTo(_part + 1);
        }
        return 0;
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (_part < _parts.Count)
        {
            if (MustMeasure)
            {
                _spool = new Spool();
                await _spool.FillAsync(_parts[_part].Source!, cancellationToken).ConfigureAwait(false);
                Measured(_spool);
            }
            if (ReadFront(buffer.Span) is > 0 and var count)
                return count;
            var room = buffer[..(int)Math.Min(buffer.Length, _left)];
            if (_left > 0)
            {
                return Counted(_spool is not null
                    ? await _spool.ReadAsync(room).ConfigureAwait(false)
                    : await Source().ReadAsync(room, cancellationToken).ConfigureAwait(false));
            }
            GoTo(_part + 1);
        }
        return 0;
    }

    protected override void Dispose(bool disposing)
    {
        _spool?.Dispose();
        base.Dispose(disposing);
    }

    private bool MustMeasure => _spool is null && _parts[_part].Length == OutputSource.Unknown;

    private void Add(Part part)
    {
        _parts.Add(part);
        _length += part.Front.Length + Math.Max(0, part.Length);
        if (_parts.Count == 1)
            GoTo(0);
    }

    private void GoTo(int part)
    {
        _spool?.Dispose();
        _spool = null;
        _part = part;
        if (part < _parts.Count)
            (_front, _left) = (_parts[part].Front, _parts[part].Length);
    }

    private void Measured(Spool spool) => (_front, _left) = (Front(spool.Length), spool.Length);

    private byte[] Front(long length)
    {
        var front = new byte[sizeof(int) + prefix.Length];
        // The message is refused if this does not fit.
        BinaryPrimitives.WriteInt32BigEndian(front, unchecked((int)(prefix.Length + length)));
        prefix.CopyTo(front, sizeof(int));
        return front;
    }

    private int ReadFront(Span<byte> buffer)
    {
        var count = Math.Min(_front.Length, buffer.Length);
        _front.Span[..count].CopyTo(buffer);
        _front = _front[count..];
        return count;
    }

    // The same stream may be there more than once, and in other values.
    private Stream Source()
    {
        var part = _parts[_part];
        if (_left == part.Length && part.Source!.Position != part.Origin)
            part.Source.Position = part.Origin;
        return part.Source!;
    }

    private int Counted(int count)
    {
        if (count <= 0)
            throw TransportErrors.PartEnded(_left, _spool?.Length ?? _parts[_part].Length);
        _left -= count;
        return count;
    }

    /// <summary>Bytes in memory, and a stream behind them.</summary>
    private readonly record struct Part(byte[] Front, Stream? Source, long Length, long Origin);
}
