namespace Loxo.Session;

/// <summary>The groups of messages, each up to a Sync, that a session has written, by their numbers.</summary>
internal sealed class MessageGroups
{
    private long _answered = -1;
    private long _lastOfTransactions = -1;

    /// <summary>The zero-based number of the group that is being written.</summary>
    public long Current { get; private set; }

    /// <summary>Whether no statement of that group has been written: no error in front can make the server skip the next one.</summary>
    public bool IsEmpty { get; set; } = true;

    /// <summary>A Sync was written: the next group begins.</summary>
    public void End()
    {
        Current++;
        IsEmpty = true;
    }

    /// <summary>A statement was written that may begin a transaction.</summary>
    public void AddBegin() => _lastOfTransactions = Current;

    /// <summary>Whether the answer to such a statement is still to come.</summary>
    public bool BeginIsDue => IsDue(_lastOfTransactions);

    /// <summary>ReadyForQuery of a group has arrived.</summary>
    public void Answered(long group) => _answered = Math.Max(_answered, group);

    /// <summary>Whether ReadyForQuery of that group is still to come; false for -1, which was never sent.</summary>
    public bool IsDue(long group) => group > _answered;
}
