namespace Loxo.Session;

/// <summary>
/// A session's state and the number of its current command in one word. Both change in one step, so a request to cancel one command can
/// never hit the next.
/// </summary>
internal sealed class StateWord
{
    // Beside the state while an idle session is borrowed.
    private const long Borrowed = 0x80;

    // The state in the low byte, the number above it.
    private long _word = (long)SessionState.Opening;
    private int _borrower;

    /// <summary>The state; a session that is borrowed is idle to everybody.</summary>
    public SessionState State => (SessionState)(byte)(Volatile.Read(ref _word) & ~Borrowed);

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
        moment = Read();
        return (SessionState)(byte)moment is SessionState.Idle or SessionState.Unsettled;
    }

    /// <summary>Begins the next command; false if the state or the number has changed since <paramref name="moment"/>.</summary>
    /// <param name="moment">From <see cref="IsFree"/>.</param>
    /// <param name="former">The state before.</param>
    public bool TryBegin(long moment, out SessionState former)
    {
        former = (SessionState)(byte)moment;
        return TryExchange(moment, (((moment >> 8) + 1) << 8) | (long)SessionState.Busy);
    }

    /// <summary>Goes on to the next number without a command; false if a command runs or the session is broken.</summary>
    public bool TrySkip() => IsFree(out var moment) && TryExchange(moment, moment + (1 << 8));

    /// <summary>Begins to cancel the command of that number; false unless it is running.</summary>
    public bool TryCancel(long number)
    {
        var busy = (number << 8) | (long)SessionState.Busy;
        return Interlocked.CompareExchange(ref _word, (number << 8) | (long)SessionState.Cancelling, busy) == busy;
    }

    /// <summary>
    /// Takes an idle session for a moment, without a command: whoever needs it meanwhile waits, so nothing in between may wait for anybody.
    /// False unless it is idle.
    /// </summary>
    public bool TryBorrow()
    {
        var word = Volatile.Read(ref _word);
        if ((byte)word != (byte)SessionState.Idle || Interlocked.CompareExchange(ref _word, word | Borrowed, word) != word)
            return false;
        Volatile.Write(ref _borrower, Environment.CurrentManagedThreadId);
        return true;
    }

    /// <summary>Ends what <see cref="TryBorrow"/> began; the session may have been broken since.</summary>
    public void Return()
    {
        Volatile.Write(ref _borrower, 0);
        var word = Volatile.Read(ref _word);
        if ((word & Borrowed) != 0)
            Interlocked.CompareExchange(ref _word, word & ~Borrowed, word);
    }

    /// <summary>The session is <see cref="SessionState.Broken"/> from now on.</summary>
    /// <returns>The state before; none of <see cref="SessionState"/> if the caller has borrowed it.</returns>
    public SessionState Break()
    {
        var word = Read();
        while (Interlocked.CompareExchange(ref _word, (word & ~0xffL) | (long)SessionState.Broken, word) != word)
            word = Read();
        return (SessionState)(byte)word;
    }

    // Exchanges the word, unless more has come in between than somebody who borrowed the session.
    private bool TryExchange(long moment, long next)
    {
        while (Interlocked.CompareExchange(ref _word, next, moment) != moment)
        {
            if (Read() != moment)
                return false;
        }
        return true;
    }

    private long Read()
    {
        var word = Volatile.Read(ref _word);
        return (word & Borrowed) == 0 ? word : WaitForReturn(word);
    }

    // A handler that is called by the borrower, and needs the session itself, finds it in use.
    private long WaitForReturn(long word)
    {
        var spin = default(SpinWait);
        while ((word & Borrowed) != 0 && Volatile.Read(ref _borrower) != Environment.CurrentManagedThreadId)
        {
            spin.SpinOnce();
            word = Volatile.Read(ref _word);
        }
        return word;
    }
}
