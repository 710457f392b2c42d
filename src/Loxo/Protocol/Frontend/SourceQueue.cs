using System.Buffers;

namespace Loxo.Protocol.Frontend;

/// <summary>The places in a writer's queue where the bytes of a source belong, and the piece of the first that is being sent.</summary>
internal sealed class SourceQueue
{
    // A few system calls for a megabyte, and little enough to be in memory for each session that streams.
    private const int PieceSize = 64 * 1024;

    private readonly List<Place> _places = [];
    private byte[] _piece = [];
    private int _start;
    private int _end;
    private long _pulled;

    /// <summary>Whether nothing is left.</summary>
    public bool IsEmpty => _places.Count == 0;

    /// <summary>The sources that are left, in order.</summary>
    public IEnumerable<OutputSource> Sources => _places.Select(place => place.Source);

    /// <summary>The first source whose length is not known; null when there is none.</summary>
    public OutputSource? Unmeasured => _places.Find(static place => place.Source.Length == OutputSource.Unknown).Source;

    /// <summary>Where the first source's bytes belong: behind that many bytes of the writer.</summary>
    public long Next => _places[0].At;

    /// <summary>What has been pulled and not sent.</summary>
    public ReadOnlyMemory<byte> Piece => _piece.AsMemory(_start, _end - _start);

    /// <summary>Adds a source.</summary>
    public void Add(Place place) => _places.Add(place);

    /// <summary>The place of <paramref name="source"/>.</summary>
    public Place PlaceOf(OutputSource source) => _places.Find(place => ReferenceEquals(place.Source, source));

    /// <summary>The source to pull from.</summary>
    public OutputSource First => _places[0].Source;

    /// <summary>Room for what is pulled from <see cref="First"/>, never more than it has left.</summary>
    public Memory<byte> Room()
    {
        if (_piece.Length == 0)
            _piece = ArrayPool<byte>.Shared.Rent(PieceSize);
        return _piece.AsMemory(0, (int)Math.Min(_piece.Length, First.Length - _pulled));
    }

    /// <summary>That many bytes were put into <see cref="Room"/>.</summary>
    public void Pulled(int count)
    {
        (_start, _end) = (0, count);
        _pulled += count;
    }

    /// <summary>Bytes of <see cref="Piece"/> have been sent.</summary>
    public void Consume(int count)
    {
        _start += count;
        RemoveFinished();
    }

    /// <summary>Removes sources at the front that have nothing left.</summary>
    public void RemoveFinished()
    {
        while (_start == _end && !IsEmpty && First.Length == _pulled)
        {
            First.Release();
            _places.RemoveAt(0);
            _pulled = 0;
        }
        if (!IsEmpty || _piece.Length == 0)
            return;
        ArrayPool<byte>.Shared.Return(_piece);
        _piece = [];
    }

    /// <summary>Removes sources that belong behind <paramref name="position"/>; nothing of them has been pulled.</summary>
    public void RemoveFrom(long position)
    {
        foreach (var place in _places.Where(place => place.At > position))
            place.Source.Release();
        _places.RemoveAll(place => place.At > position);
    }

    /// <summary>Removes all sources. The piece is not given back: it may be on its way.</summary>
    public void Clear()
    {
        foreach (var place in _places)
            place.Source.Release();
        _places.Clear();
        _start = _end = 0;
        _piece = [];
    }

    /// <summary>A source's place, in bytes written by the writer since it was made.</summary>
    /// <param name="At">Behind which byte the source's bytes belong.</param>
    /// <param name="Value">Where the length of its value is.</param>
    /// <param name="Message">Where the length of its message is.</param>
    /// <param name="Source">The source.</param>
    internal readonly record struct Place(long At, long Value, long Message, OutputSource Source);
}
