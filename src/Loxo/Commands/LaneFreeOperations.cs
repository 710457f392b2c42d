namespace Loxo.Commands;

/// <summary>The operations of a lane that no caller uses.</summary>
internal sealed class LaneFreeOperations(Lane lane)
{
    private readonly Lock _lock = new();
    private readonly Stack<LaneOperation> _free = [];

    /// <summary>One of them, or a new one.</summary>
    public LaneOperation Rent()
    {
        lock (_lock)
            return _free.TryPop(out var operation) ? operation : new LaneOperation(lane);
    }

    public void Recycle(LaneOperation operation)
    {
        lock (_lock)
            _free.Push(operation);
    }
}
