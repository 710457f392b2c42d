using System.Buffers;

namespace Loxo.Protocol.Frontend;

/// <summary>The places in a writer's queue where the bytes of a source belong, and the piece of the first that is being sent.</summary>
internal sealed class SourceQueue
{
    // A few system calls for a megabyte, and little enough to be in memory for each session that streams.
    private const int PieceSize = 64 * 1024;

    private readonly List<Place> _places = [];
    // Places before the first are done with; they are removed together, since removing one moves all others.
    private int _first;
    // Up to here the lengths of all sources are known.
    private int _measured;
    private byte[] _piece = [];
    private int _start;
    private int _end;
    private long _pulled;

    public bool IsEmpty => _first == _places.Count;

    public IEnumerable<OutputSource> Sources => _places.Skip(_first).Select(place => place.Source);

    public OutputSource? Unmeasured
    {
        get
        {
            while (_measured < _places.Count && _places[_measured].Source.Length != OutputSource.Unknown)
                _measured++;
            return _measured < _places.Count ? _places[_measured].Source : null;
        }
    }

    /// <summary>Where the first source's bytes belong: behind that many bytes of the writer.</summary>
    public long Next => _places[_first].At;

    public ReadOnlyMemory<byte> Piece => _piece.AsMemory(_start, _end - _start);

    public void Add(Place place) => _places.Add(place);

    public Place MeasuredPlace => _places[_measured];

    public OutputSource First => _places[_first].Source;

    public Memory<byte> Room()
    {
        if (_piece.Length == 0)
            _piece = ArrayPool<byte>.Shared.Rent(PieceSize);
        return _piece.AsMemory(0, (int)Math.Min(_piece.Length, First.Length - _pulled));
    }

    public void Pulled(int count)
    {
        (_start, _end) = (0, count);
        _pulled += count;
    }

    public void Consume(int count)
    {
        _start += count;
        RemoveFinished();
    }

    public void RemoveFinished()
    {
        while (_start == _end && !IsEmpty && First.Length == _pulled)
        {
            First.Release();
            _places[_first++] = default;
            _pulled = 0;
        }
        if (!IsEmpty)
            return;
        Forget();
        if (_piece.Length == 0)
            return;
        ArrayPool<byte>.Shared.Return(_piece);
        _piece = [];
    }

    /// <summary>Removes sources that belong behind <paramref name="position"/>; nothing of them has been pulled.</summary>
    public void RemoveFrom(long position)
    {
        var kept = _places.Count;
        while (kept > _first && _places[kept - 1].At > position)
            _places[--kept].Source.Release();
        _places.RemoveRange(kept, _places.Count - kept);
        _measured = Math.Min(_measured, kept);
        if (IsEmpty)
            Forget();
    }

    /// <summary>Removes all sources. The piece is not given back: it may be on its way.</summary>
    public void Clear()
    {
        foreach (var source in Sources)
            source.Release();
        Forget();
        _start = _end = 0;
        _piece = [];
    }

    private void Forget()
    {
        _places.Clear();
        _first = _measured = 0;
    }

    /// <summary>A source's place, and those of the lengths of its value and message, in bytes written since the writer was made.</summary>
    internal readonly record struct Place(long At, long Value, long Message, OutputSource Source);
}

/// <summary>Bytes too many to be written: the writer marks their place, and the sender pulls them when their turn comes.</summary>
internal abstract class OutputSource
{
    public const long Unknown = -1;

    /// <summary>Has to be known before the first byte of the message is sent, since the message begins with it.</summary>
    public abstract long Length { get; }

    /// <summary>Whether the same bytes could be had again, from the start.</summary>
    public abstract bool CanRewind { get; }

    public abstract void Rewind();

    /// <summary>All bytes have been pulled, or are no longer needed.</summary>
    public abstract void Release();
}
