using Loxo.Session;

namespace Loxo.Commands;

/// <content>What Prepare made of the statements.</content>
internal partial struct CommandPlan
{
    /// <summary>Whether there are statements and all of them were prepared on that session.</summary>
    public readonly bool IsPreparedOn(ServerSession session)
    {
        foreach (var statement in _statements)
        {
            if (statement.Prepared is not { IsOnServer: true } prepared || !session.Statements.Contains(prepared))
                return false;
        }
        return _statements.Length > 0;
    }

    /// <summary>Holds what was prepared for a statement; null gives it up.</summary>
    public void Hold(int statement, CachedStatement? prepared)
    {
        var former = _statements[statement].Prepared;
        if (ReferenceEquals(former, prepared))
            return;
        if (former is not null)
            former.Holders--;
        if (prepared is not null)
            prepared.Holders++;
        // The others belong to every command with this text.
        _statements = [.. _statements];
        _statements[statement] = _statements[statement].With(prepared);
    }

    /// <summary>Forgets what was prepared: the command no longer holds it.</summary>
    public void Detach()
    {
        for (var i = 0; i < _statements.Length; i++)
            Hold(i, null);
    }
}
