namespace Loxo.Pooling.Core;

/// <summary>
/// The steps of a pool that other threads can come between. Each is named for what happens next: a read or write that is shared
/// without a lock, or entering the lock.
/// </summary>
internal enum Point
{
    /// <summary>Pop reads the top of the stack.</summary>
    ReadTop,

    /// <summary>Pop reads what lies below the top.</summary>
    ReadBelow,

    /// <summary>Pop swings the top to what lay below it.</summary>
    SwingTop,

    /// <summary>Push reads the top of the stack.</summary>
    ReadTopToPush,

    /// <summary>Push puts its slot on the top that it has read.</summary>
    Push,

    /// <summary>The whole stack is taken off.</summary>
    DetachAll,

    /// <summary>What was taken off is put back, onto an empty stack.</summary>
    Reattach,

    /// <summary>A FIFO store is changed, under its own lock.</summary>
    Queue,

    /// <summary>Whoever gives a rental back claims it from others who hold the same rental.</summary>
    ClaimRental,

    /// <summary>A renter or returner compares a slot's generation with the pool's.</summary>
    ReadGeneration,

    /// <summary>A returner looks whether anything is wanted of it, before it puts the slot into the store.</summary>
    ReadPressure,

    /// <summary>A returner looks again, after it has put the slot into the store.</summary>
    ReadPressureAgain,

    /// <summary>A returner looks for a clear that came in between, after it has put the slot into the store.</summary>
    ReadGenerationAgain,

    /// <summary>Who has opened a resource looks whether the pool has ended meanwhile.</summary>
    ReadClosed,

    /// <summary>Enters the lock.</summary>
    Enter,

    /// <summary>Under the lock: says what returners must know.</summary>
    WritePressure,

    /// <summary>Under the lock: all that exists becomes old.</summary>
    WriteGeneration,

    /// <summary>Resumes a waiter that was served, refused or given up, after the lock.</summary>
    Wake,

    /// <summary>A waiter that is to be used again reads the list of those.</summary>
    BringBack,

    /// <summary>It puts itself on top of the list that it has read.</summary>
    BringBackOnto,

    /// <summary>A waiter that was not served in time takes itself out of the line.</summary>
    GiveUp,
}
