using System.Runtime.CompilerServices;
using Loxo.Pooling.Core;

namespace Loxo.Pooling.Tests.Interleavings;

using Fields = Fields<Thing, ModelSteps>;
using Queue = IdleQueue<Thing, ModelSteps>;
using Stack = IdleStack<Thing, ModelSteps>;

/// <summary>The private state of a pool: what the checker hashes, and what must hold.</summary>
internal sealed class CoreView(PoolCore<Thing, ModelSteps> core)
{
    private readonly Dispatcher<Thing, ModelSteps> _dispatcher = core.Dispatcher;

    public Capacity Capacity => _dispatcher.Capacity;

    public int Pressure => _dispatcher.Pressure;

    public int Generation => _dispatcher.Generation;

    public bool IsClosed => _dispatcher.IsClosed;

    public WaiterQueue<Thing> Line => _dispatcher.Line;

    public Waiter<Thing>? Spare => Fields.Spare(_dispatcher.SpareWaiters);

    public Waiter<Thing>? Returned => Fields.Returned(_dispatcher.SpareWaiters);

    public Slot<Thing>[] Slots => _dispatcher.Slots.All;

    /// <summary>Both ends of the store, as one number.</summary>
    public long Ends => _dispatcher.Idle is Stack stack ? stack.Top : ((long)FirstLink << 32) | (uint)Fields.Last((Queue)_dispatcher.Idle);

    /// <summary>The slots in the store, first to be taken first. Ends early if the links run in a circle.</summary>
    public List<Slot<Thing>> Idle
    {
        get
        {
            var found = new List<Slot<Thing>>();
            for (var link = FirstLink; link != 0 && found.Count <= Slots.Length; link = found[^1].Below)
                found.Add(_dispatcher.Slots.At(link));
            return found;
        }
    }

    /// <summary>The same as a hash.</summary>
    public ulong IdleHash
    {
        get
        {
            var hash = 3UL;
            var link = FirstLink;
            for (var count = 0; link != 0 && count <= Slots.Length; count++, link = _dispatcher.Slots.At(link).Below)
                hash = Hash.Mix(hash, (ulong)link);
            return hash;
        }
    }

    private int FirstLink => _dispatcher.Idle is Stack stack ? (int)stack.Top : Fields.First((Queue)_dispatcher.Idle);
}

/// <summary>Private fields.</summary>
internal static class Fields<T, TSteps>
    where T : class
    where TSteps : struct, ISteps
{
    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_first")]
    public static extern ref int First(IdleQueue<T, TSteps> queue);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_last")]
    public static extern ref int Last(IdleQueue<T, TSteps> queue);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_spare")]
    public static extern ref Waiter<T>? Spare(WaiterCache<T, TSteps> cache);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_returned")]
    public static extern ref Waiter<T>? Returned(WaiterCache<T, TSteps> cache);
}
