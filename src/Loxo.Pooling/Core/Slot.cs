using System.Diagnostics;

namespace Loxo.Pooling.Core;

internal enum SlotState
{
    /// <summary>There is no resource in it.</summary>
    Free,

    /// <summary>In the store, or on the way into it or out of it.</summary>
    Idle,

    /// <summary>A renter has it.</summary>
    Rented,

    /// <summary>The pool has it, to check, reset, hand over or close it.</summary>
    Held,
}

/// <summary>
/// A place for one resource. State and version are one word: each rent has a version of its own, so an old <see cref="Rental{T}"/>
/// never ends a later one. Everything else is written only by the one who has the slot, or under the lock while it is free.
/// </summary>
internal sealed class Slot<T>(int index, object pool)
    where T : class
{
    private const int StateBits = 2;
    private const long StateMask = (1 << StateBits) - 1;

    private long _word;
    private object? _tag;

    /// <summary>Its place in the table of slots.</summary>
    public int Index { get; } = index;

    /// <summary>The core it belongs to.</summary>
    public object Pool { get; } = pool;

    /// <summary>The slot below this one in the store, as its index + 1; 0 for none.</summary>
    public int Below;

    public T? Resource;

    /// <summary>The pool's generation when its opening began.</summary>
    public int Generation;

    /// <summary>In milliseconds of the pool's clock, as all times here; long.MaxValue for never.</summary>
    public long ExpiresAt;

    public long IdleSince;

    public long RentedAt;

    /// <summary>How often slots at this place were rented.</summary>
    public long Rents;

    public StackTrace? Stack;

    /// <summary>What follows in a list of slots to be closed, and why this one is in it.</summary>
    public Slot<T>? NextToClose;

    public CloseReason Reason;

    /// <summary>Whether it was chosen to make the pool smaller, and counts as gone already.</summary>
    public bool IsRetiring;

    public SlotState State => (SlotState)(Volatile.Read(ref _word) & StateMask);

    /// <summary>State and version, to see whether anything has happened in between.</summary>
    public long Word => Volatile.Read(ref _word);

    public object? Tag => Volatile.Read(ref _tag);

    public static SlotState StateOf(long word) => (SlotState)(word & StateMask);

    public static long VersionOf(long word) => word >> StateBits;

    /// <summary>Only for the one who has the slot.</summary>
    public void Mark(SlotState state) => Volatile.Write(ref _word, (_word & ~StateMask) | (long)state);

    /// <summary>Only for the one who has the slot: the next rent begins. Returns its version.</summary>
    public long MarkRented()
    {
        var version = (_word >> StateBits) + 1;
        Volatile.Write(ref _word, (version << StateBits) | (long)SlotState.Rented);
        return version;
    }

    public bool IsRented(long version) => Volatile.Read(ref _word) == ((version << StateBits) | (long)SlotState.Rented);

    /// <summary>Ends a rent; true for the first who tries.</summary>
    public bool TryClaim(long version)
    {
        var rented = (version << StateBits) | (long)SlotState.Rented;
        return Interlocked.CompareExchange(ref _word, (version << StateBits) | (long)SlotState.Held, rented) == rented;
    }

    public void SetTag(long version, object? tag)
    {
        if (IsRented(version))
            Volatile.Write(ref _tag, tag);
    }

    /// <summary>Forgets what belongs to one rent.</summary>
    public void ForgetRent()
    {
        if (_tag is not null)
            _tag = null;
        if (Stack is not null)
            Stack = null;
    }
}
