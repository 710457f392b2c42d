namespace Loxo.Session;

/// <summary>The Close of statements that made room, which an exchange has written and the server has not answered.</summary>
internal sealed class DueCloses(ServerSession session)
{
    private int _count;

    /// <summary>Another flight begins.</summary>
    public void Clear() => _count = 0;

    /// <inheritdoc cref="StatementCache.TakeCloses"/>
    public void Write(RequestWriter requests, bool goOn)
    {
        foreach (var name in session.Statements.TakeCloses(goOn))
        {
            requests.CloseStatement(name);
            _count++;
        }
    }

    /// <summary>CloseComplete has arrived, and these come first. False if it is another one.</summary>
    public bool TryTake()
    {
        if (_count == 0)
            return false;
        _count--;
        session.Statements.CloseAnswered();
        return true;
    }

    /// <summary>The server skips the rest of the group.</summary>
    public void Skipped()
    {
        session.Statements.ClosesSkipped(_count);
        _count = 0;
    }
}
