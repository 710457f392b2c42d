namespace Loxo.Session;

/// <summary>
/// In front of a pooler, has the groups of a command sent one by one, each when the one before it is answered: see
/// <see cref="ServerSession.IsPooledElsewhere"/>. Elsewhere all of them are sent at once.
/// </summary>
internal sealed class GroupPace(ServerSession session)
{
    // Positions in the output; null except in front of a pooler.
    private Queue<long>? _ends;

    /// <summary>A group has been written.</summary>
    public void Add()
    {
        if (session.IsPooledElsewhere)
            (_ends ??= []).Enqueue(session.Output.Position);
    }

    /// <summary>The groups have been taken back.</summary>
    public void Stop()
    {
        _ends?.Clear();
        Next();
    }

    /// <summary>Lets the next group be sent: all are written, or the one before it is answered.</summary>
    public void Next()
    {
        if (_ends is not null)
            session.Output.HoldAt = _ends.TryDequeue(out var end) && _ends.Count > 0 ? end : long.MaxValue;
    }
}
