using System.Diagnostics;

namespace Loxo.Pooling.Core;

internal enum SlotState
{
    /// <summary>It holds no resource.</summary>
    Free,

    /// <summary>In the store, or on the way into it or out of it.</summary>
    Idle,

    /// <summary>A renter has it.</summary>
    Rented,

    /// <summary>The pool has it, to check, reset, hand over or close it.</summary>
    Held,
}

/// <summary>
/// A place for one resource. State and version are one word: each rent has a version of its own, so an old <see cref="Rental{T}"/> never
/// ends a later one. Only the owner of the slot writes the other fields: the renter, the pool while it holds the slot, or the holder of the
/// lock while the slot is free.
/// </summary>
internal sealed class Slot<T>(int index, SlotTable<T> table)
    where T : class
{
    private const int StateBits = 2;
    private const long StateMask = (1 << StateBits) - 1;

    private long _word;
    private object? _tag;

    /// <summary>Its place in the table of slots.</summary>
    public int Index { get; } = index;

    /// <summary>The slots of its pool.</summary>
    public SlotTable<T> Table { get; } = table;

    /// <summary>The slot below this one in the store, as its index + 1; 0 for none.</summary>
    public int Below;

    public T? Resource;

    /// <summary>The pool's generation when its resource began to open.</summary>
    public int Generation;

    /// <summary>In milliseconds of the pool's clock, as all times here; long.MaxValue for never.</summary>
    public long ExpiresAt;

    public long IdleSince;

    public long RentedAt;

    public long OpenedAt;

    /// <summary>The version of the rent that was reported as overdue last. Only the maintainer uses it.</summary>
    public long OverdueVersion;

    /// <summary>How often this slot was rented.</summary>
    public long Rents;

    public StackTrace? Stack;

    /// <summary>The next slot in a list of slots to close, and why this one must be closed.</summary>
    public Slot<T>? NextToClose;

    public CloseReason Reason;

    /// <summary>Whether it was chosen to make the pool smaller.</summary>
    public bool IsRetiring;

    public SlotState State => (SlotState)(Volatile.Read(ref _word) & StateMask);

    /// <summary>State and version. The same value again means that no rent began or ended in between.</summary>
    public long Word => Volatile.Read(ref _word);

    public object? Tag => Volatile.Read(ref _tag);

    public static SlotState StateOf(long word) => (SlotState)(word & StateMask);

    public static long VersionOf(long word) => word >> StateBits;

    /// <summary>Only for the owner of the slot.</summary>
    public void Mark(SlotState state) => Volatile.Write(ref _word, (_word & ~StateMask) | (long)state);

    /// <summary>Only for the owner of the slot: marks it as held by the pool.</summary>
    public Slot<T> Hold()
    {
        Mark(SlotState.Held);
        return this;
    }

    /// <summary>Only for the owner of the slot: begins a rent, with the renter's stack trace if one was taken.</summary>
    public Rental<T> Rent(long now, StackTrace? stack)
    {
        Rents++;
        RentedAt = now;
        if (stack is not null)
            Stack = stack;
        var version = (_word >> StateBits) + 1;
        Volatile.Write(ref _word, (version << StateBits) | (long)SlotState.Rented);
        return new Rental<T>(this, Resource!, version);
    }

    /// <summary>Only for the owner of the slot: puts it at the front of a list of slots to close.</summary>
    public Slot<T> ToClose(CloseReason reason, Slot<T>? next)
    {
        (Reason, NextToClose) = (reason, next);
        return this;
    }

    public bool IsRented(long version) => Volatile.Read(ref _word) == ((version << StateBits) | (long)SlotState.Rented);

    /// <summary>Ends a rent. True for the first caller that tries.</summary>
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

    /// <summary>Clears the tag and the stack trace of the rent that has ended.</summary>
    public void ForgetRent()
    {
        if (_tag is not null)
            _tag = null;
        if (Stack is not null)
            Stack = null;
    }
}
