namespace Loxo.Session;

/// <summary>
/// A session's state and the number of its current command in one word. Both change in one step, so a request to cancel one command can never hit the next.
/// </summary>
internal sealed class StateWord
{
    // The state in the low byte, the number above it.
    private long _word = (long)SessionState.Opening;

    public SessionState State => (SessionState)(byte)Volatile.Read(ref _word);

    /// <summary>The number of the current command, or of the last one.</summary>
    public long Number => Volatile.Read(ref _word) >> 8;

    /// <summary>Changes the state if it is <paramref name="from"/>.</summary>
    public bool TryChange(SessionState from, SessionState to)
    {
        var word = Volatile.Read(ref _word);
        return (SessionState)(byte)word == from && Interlocked.CompareExchange(ref _word, (word & ~0xffL) | (long)to, word) == word;
    }

    /// <summary>Begins the next command; false unless the session is <see cref="SessionState.Idle"/> or <see cref="SessionState.Unsettled"/>.</summary>
    /// <param name="found">The state before.</param>
    public bool TryClaim(out SessionState found)
    {
        var word = Volatile.Read(ref _word);
        found = (SessionState)(byte)word;
        return found is SessionState.Idle or SessionState.Unsettled
            && Interlocked.CompareExchange(ref _word, (((word >> 8) + 1) << 8) | (long)SessionState.Busy, word) == word;
    }

    /// <summary>Begins to cancel the command of that number; false unless it is running.</summary>
    public bool TryCancel(long number)
    {
        var busy = (number << 8) | (long)SessionState.Busy;
        return Interlocked.CompareExchange(ref _word, (number << 8) | (long)SessionState.Cancelling, busy) == busy;
    }

    /// <summary>The session is <see cref="SessionState.Broken"/> from now on.</summary>
    /// <returns>The state before.</returns>
    public SessionState Break() => (SessionState)(byte)Interlocked.Exchange(ref _word, (Number << 8) | (long)SessionState.Broken);
}
