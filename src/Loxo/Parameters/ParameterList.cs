using System.Runtime.CompilerServices;

namespace Loxo.Parameters;

/// <summary>Parameters in order. The first few need no array: most commands have no more.</summary>
internal struct ParameterList
{
    private Few _few;
    private PgParameter[]? _more;

    public int Count { get; private set; }

    /// <summary>The parameters. The span holds until one comes or goes.</summary>
    [UnscopedRef]
    public readonly ReadOnlySpan<PgParameter> Span => _more is null ? ((ReadOnlySpan<PgParameter>)_few)[..Count] : _more.AsSpan(0, Count);

    [UnscopedRef]
    private Span<PgParameter> Room => _more ?? (Span<PgParameter>)_few;

    public readonly PgParameter this[int index] => Span[index];

    public void Set(int index, PgParameter value) => Room[..Count][index] = value;

    public void Insert(int index, PgParameter value)
    {
        if (Count == Room.Length)
            Grow();
        var room = Room;
        room[index..Count].CopyTo(room[(index + 1)..]);
        room[index] = value;
        Count++;
    }

    public void RemoveAt(int index)
    {
        var room = Room;
        room[(index + 1)..Count].CopyTo(room[index..]);
        room[--Count] = null!;
    }

    public void Clear()
    {
        Room[..Count].Clear();
        Count = 0;
    }

    public readonly int IndexOf(PgParameter value)
    {
        var all = Span;
        for (var i = 0; i < all.Length; i++)
        {
            if (ReferenceEquals(all[i], value))
                return i;
        }
        return -1;
    }

    private void Grow()
    {
        var more = new PgParameter[Count * 2];
        Span.CopyTo(more);
        _more = more;
        _few = default;
    }

    [InlineArray(2)]
    private struct Few
    {
        private PgParameter _first;
    }
}
