namespace Loxo.Session;

/// <summary>
/// In front of a pooler, sends the groups of a command one by one, each when the one before it is answered: see
/// <see cref="ServerSession.IsPooledElsewhere"/>.
/// </summary>
internal sealed class GroupPace(MessageWriter output)
{
    // Positions in the output.
    private readonly Queue<long> _ends = [];

    /// <summary>A group has been written.</summary>
    public void Add() => _ends.Enqueue(output.Position);

    /// <summary>The groups have been taken back.</summary>
    public void Stop()
    {
        _ends.Clear();
        Next();
    }

    /// <summary>Lets the next group be sent: all are written, or the one before it is answered.</summary>
    public void Next() => output.HoldAt = _ends.TryDequeue(out var end) && _ends.Count > 0 ? end : long.MaxValue;
}
