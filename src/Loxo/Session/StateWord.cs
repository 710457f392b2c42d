namespace Loxo.Session;

/// <summary>
/// A session's state and the number of its current command in one word. Both change in one step, so a request to cancel one command can
/// never hit the next.
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

    /// <summary>Whether the command of that number has not come to its end.</summary>
    public bool IsRunning(long number) => Volatile.Read(ref _word) is var word && word >> 8 == number
        && (SessionState)(byte)word is SessionState.Busy or SessionState.Cancelling;

    /// <summary>Whether a command may begin, and the moment that <see cref="TryBegin"/> compares with.</summary>
    public bool IsFree(out long moment)
    {
        moment = Volatile.Read(ref _word);
        return (SessionState)(byte)moment is SessionState.Idle or SessionState.Unsettled;
    }

    /// <summary>Begins the next command; false if the state or the number has changed since <paramref name="moment"/>.</summary>
    /// <param name="moment">From <see cref="IsFree"/>.</param>
    /// <param name="former">The state before.</param>
    public bool TryBegin(long moment, out SessionState former)
    {
        former = (SessionState)(byte)moment;
        return Interlocked.CompareExchange(ref _word, (((moment >> 8) + 1) << 8) | (long)SessionState.Busy, moment) == moment;
    }

    /// <summary>Goes on to the next number without a command; false if a command runs or the session is broken.</summary>
    public bool TrySkip() => IsFree(out var moment) && Interlocked.CompareExchange(ref _word, moment + (1 << 8), moment) == moment;

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
