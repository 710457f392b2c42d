namespace Loxo.Commands;

/// <summary>The operations of a lane that no caller uses.</summary>
internal sealed class LaneFreeOperations(Lane lane)
{
    // An idle lane keeps so many, each with the memory of a few small values.
    private const int MostOfIdle = 64;

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

    /// <summary>The lane is idle: gives up most of them.</summary>
    public void Trim()
    {
        lock (_lock)
        {
            while (_free.Count > MostOfIdle)
                _free.Pop();
        }
    }
}
