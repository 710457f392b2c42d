using Loxo.Protocol;

namespace Loxo.Session;

/// <summary>
/// Holds groups of a command back. In front of a pooler they are sent one by one, each when the one before it is answered: see
/// <see cref="ServerSession.IsPooledElsewhere"/>. Elsewhere, those that are to run in a transaction wait for the answer to its BEGIN.
/// </summary>
internal sealed class GroupPace(ServerSession session)
{
    // Positions in the output.
    private readonly Queue<long> _ends = [];
    private long _held = long.MaxValue;
    private bool _isOn;

    /// <summary>Whether a group waits for the answer to the one before it.</summary>
    public bool IsHolding => _held != long.MaxValue;

    /// <summary>A command is written.</summary>
    /// <param name="hasBegin">Whether a BEGIN is in front.</param>
    public void Start(bool hasBegin) => _isOn = hasBegin || session.IsPooledElsewhere;

    /// <summary>A group has been written.</summary>
    public void Add()
    {
        if (_isOn)
            _ends.Enqueue(session.Output.Position);
    }

    /// <summary>The server has begun the transaction.</summary>
    public void Begun()
    {
        if (!session.IsPooledElsewhere)
            Stop();
    }

    /// <summary>Nothing is held back any more.</summary>
    public void Stop()
    {
        _ends.Clear();
        Next();
    }

    /// <summary>Lets the next group be sent: all are written, or the one before it is answered.</summary>
    public void Next() =>
        session.Output.HoldAt = _held = _ends.TryDequeue(out var end) && _ends.Count > 0 ? end : long.MaxValue;

    /// <summary>Takes back all groups but the first, none of which has been sent.</summary>
    /// <param name="runs">The statements.</param>
    /// <param name="count">How many there are.</param>
    /// <param name="expected">The replies that are due.</param>
    /// <returns>How many statements are left.</returns>
    public int TakeBack(StatementRun[] runs, int count, ExpectedReplies expected)
    {
        session.Output.TakeBack(_held);
        Stop();
        expected.Clear();
        var left = Array.FindIndex(runs, static run => run.EndsGroup) + 1;
        for (var i = count - 1; i >= left; i--)
            runs[i].Parse?.TakeBack();
        return left;
    }
}
