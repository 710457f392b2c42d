namespace Loxo.Pooling.Core;

/// <summary>
/// The steps of a pool between which other threads can come in, or which a test can leave out. Each is named for what happens next, mostly
/// a shared read or write without the lock.
/// </summary>
internal enum Point
{
    /// <summary>Pop reads the top of the stack.</summary>
    ReadTop,

    /// <summary>Pop reads the link of the slot on top.</summary>
    ReadBelow,

    /// <summary>Pop replaces the top by the slot below it.</summary>
    SwingTop,

    /// <summary>Push reads the top of the stack.</summary>
    ReadTopToPush,

    /// <summary>Push puts its slot on the top that it has read.</summary>
    Push,

    /// <summary>Each change of the top changes its tag.</summary>
    ChangeTag,

    /// <summary>The whole stack is detached.</summary>
    DetachAll,

    /// <summary>Detached slots are put back onto an empty stack.</summary>
    Reattach,

    /// <summary>A FIFO store is changed, under its own lock.</summary>
    Queue,

    /// <summary>A returner claims the rental from others that hold a copy of it.</summary>
    ClaimRental,

    /// <summary>A rental that was claimed before is refused.</summary>
    RefuseClaim,

    /// <summary>A renter or returner compares a slot's generation with the pool's.</summary>
    ReadGeneration,

    /// <summary>A returner reads the pressure, before it puts its slot into the store.</summary>
    ReadPressure,

    /// <summary>A returner reads the pressure again, after it has put its slot into the store.</summary>
    ReadPressureAgain,

    /// <summary>A returner looks for a clear that came in between, after it has put its slot into the store.</summary>
    ReadGenerationAgain,

    /// <summary>After opening a resource, the opener looks whether the pool was disposed meanwhile.</summary>
    ReadClosed,

    /// <summary>A thread enters the lock.</summary>
    Enter,

    /// <summary>Under the lock, the pressure is published.</summary>
    WritePressure,

    /// <summary>Under the lock, a waiter that joined the line is counted in the pressure before it looks into the store.</summary>
    AnnounceWaiter,

    /// <summary>Under the lock, all existing resources become old.</summary>
    WriteGeneration,

    /// <summary>Under the lock, a waiter that gives up is taken out of the line.</summary>
    LeaveLine,

    /// <summary>Under the lock, the permit of a failed opening goes to the next waiter.</summary>
    ServeAfterFailure,

    /// <summary>After the lock, a waiter that was served, refused or expired is woken.</summary>
    Wake,

    /// <summary>A waiter that is no longer used reads the list of spare waiters.</summary>
    ReadSpareWaiters,

    /// <summary>It is pushed onto the list that it has read.</summary>
    PushSpareWaiter,

    /// <summary>It has been pushed. Left out, it is pushed again.</summary>
    SpareWaiterPushed,

    /// <summary>A waiter that was not served in time enters the lock to leave the line.</summary>
    GiveUp,
}
