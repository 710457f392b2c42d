namespace Loxo.Pooling.Core;

/// <summary>
/// Where the core of the pool meets other threads. <see cref="NoSteps"/> is what runs; tests have one that decides which thread goes
/// on at each <see cref="Point"/>, and so try all orders.
/// </summary>
internal interface ISteps
{
    /// <summary>
    /// Whether a test decides who runs: who is woken then goes on where <see cref="IWaiter.Signal"/> is called, and a blocking wait is over
    /// when the test says so.
    /// </summary>
    static abstract bool IsControlled { get; }

    /// <summary>Others may come in here.</summary>
    static abstract void Step(Point point);

    static abstract void Enter(Lock gate);

    static abstract void Exit(Lock gate);

    /// <summary>Blocks the calling thread until the waiter is woken (true), or for so many milliseconds (false); -1 for no limit.</summary>
    static abstract bool Block(IWaiter waiter, int milliseconds);

    /// <summary>An asynchronous caller is about to await this waiter.</summary>
    static abstract void Awaits(IWaiter waiter);

    static abstract void Wake(IWaiter waiter);

    /// <summary>Whether a known flaw is put back, to see that the tests find it.</summary>
    static abstract bool Has(Flaw flaw);
}

/// <summary>Mistakes that are easily made here, and that the interleaving tests are shown to find.</summary>
internal enum Flaw
{
    /// <summary>A waiter does not look again once it stands in the line.</summary>
    NoSecondLook,

    /// <summary>A returner does not look again once its slot is in the store.</summary>
    NoLookAfterPush,

    /// <summary>One who gives up stays in the line, and what it is handed is lost.</summary>
    HandOverToOneWhoGaveUp,

    /// <summary>A failed open gives its permit back, but tells nobody.</summary>
    FailedOpenWakesNobody,

    /// <summary>The top of the stack has no tag, so a popper cannot tell that it is another one with the same index.</summary>
    NoTag,

    /// <summary>A rental that is given back is not claimed first.</summary>
    NoClaim,

    /// <summary>A returner does not look for a clear that came in between.</summary>
    NoLookForClear,

    /// <summary>A waiter that is brought back to be used again compares with its own link, which its next user may have changed by then.</summary>
    BringsBackTwice,
}

/// <summary>What a pool runs with: the compiler removes all traces of the steps.</summary>
internal readonly struct NoSteps : ISteps
{
    public static bool IsControlled => false;

    public static void Step(Point point)
    {
    }

    public static void Enter(Lock gate) => gate.Enter();

    public static void Exit(Lock gate) => gate.Exit();

    public static bool Block(IWaiter waiter, int milliseconds) => waiter.Block(milliseconds);

    public static void Awaits(IWaiter waiter)
    {
    }

    public static void Wake(IWaiter waiter) => waiter.Signal();

    public static bool Has(Flaw flaw) => false;
}
