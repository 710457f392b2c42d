namespace Loxo.Session;

/// <summary>When a statement's Parse was written.</summary>
/// <param name="Epoch">The session's <see cref="StatementEffects.Epoch"/>; under another the statement may mean something else.</param>
/// <param name="Group">The group of messages; -1 if it was never sent.</param>
/// <param name="MayBeSkipped">Whether the server may skip it: a statement in front of it in its group can fail.</param>
/// <param name="IsAnswered">Whether the server has parsed it.</param>
internal readonly record struct StatementParse(long Epoch, long Group, bool MayBeSkipped, bool IsAnswered = false)
{
    /// <summary>Of a statement that was never parsed.</summary>
    public static StatementParse None { get; } = new(Epoch: -1, Group: -1, MayBeSkipped: false);

    /// <summary>Whether it went to the server.</summary>
    public bool WasSent => Group >= 0;
}

/// <summary>A Parse whose answer is due.</summary>
/// <param name="Statement">The statement.</param>
/// <param name="Epoch">The epoch under which it was written.</param>
/// <param name="Group">The group of messages.</param>
/// <param name="Closes">Whether a Close goes in front of it.</param>
/// <param name="Former">The Parse before.</param>
internal readonly record struct DueParse(CachedStatement Statement, long Epoch, long Group, bool Closes, StatementParse Former)
{
    /// <summary>It has not been sent and will not be.</summary>
    public void TakeBack() => Statement.LastParse = Former;

    /// <summary>CloseComplete has arrived.</summary>
    public void Closed()
    {
        if (Closes)
            Statement.IsOnServer = false;
    }

    /// <summary>ParseComplete has arrived.</summary>
    public void Answered() => Statement.Parsed(Epoch, Group);
}
