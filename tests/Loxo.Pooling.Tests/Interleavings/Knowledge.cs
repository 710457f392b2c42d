using Loxo.Pooling.Core;

namespace Loxo.Pooling.Tests.Interleavings;

/// <summary>
/// What an actor knows, as a hash: two actors of one program that know the same are in the same place with the same values. A step adds
/// what it reads. A compare-and-swap that has failed leaves no trace, because its loop begins anew; one that has succeeded leaves what it
/// got, and not the tag that it saw. So much fewer states differ.
/// </summary>
internal sealed class Knowledge(CoreView view, bool hasTags)
{
    private ulong _beforeLoop;
    private long _seenTop;
    private Waiter<Thing>? _seenHead;
    private bool _swaps;

    public ulong Value { get; private set; } = 1;

    /// <summary>Whether a compare-and-swap that has begun is bound to fail. Once that is so it stays so: tags do not come again.</summary>
    public bool IsDoomed => _swaps && _seenTop != view.Ends;

    public void Begin(ulong value) => (Value, _swaps) = (value, false);

    public void Add(ulong seen) => Value = Hash.Mix(Value, seen);

    /// <summary>Adds what a step is about to read.</summary>
    public void Add(Point point, ulong others)
    {
        switch (point)
        {
            case Point.ReadTop or Point.ReadTopToPush when hasTags:
                BeginSwap(point);
                break;
            case Point.ReadBelow when hasTags:
                Add((ulong)point);
                break;
            case Point.SwingTop or Point.Push when hasTags:
                EndSwap(_seenTop == view.Ends, point == Point.SwingTop ? (ulong)(int)_seenTop : 3);
                break;
            case Point.ReadSpareWaiters:
                (_beforeLoop, _seenHead) = (Value, view.Returned);
                Add(others);
                break;
            case Point.PushSpareWaiter:
                EndSwap(_seenHead == view.Returned, 7);
                break;
            default:
                Add(Hash.Mix((ulong)point, others));
                break;
        }
    }

    private void BeginSwap(Point point)
    {
        (_beforeLoop, _seenTop) = (Value, view.Ends);
        _swaps = (int)_seenTop != 0 || point == Point.ReadTopToPush;
        Add(_swaps ? (ulong)point : 5);
    }

    private void EndSwap(bool succeeds, ulong gets)
    {
        Value = _beforeLoop;
        _swaps = false;
        if (succeeds)
            Add(gets);
    }
}
