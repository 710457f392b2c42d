using System.Runtime.CompilerServices;
using Loxo.Pooling.Core;

namespace Loxo.Pooling.Tests.Interleavings;

/// <summary>The private fields of a core.</summary>
internal static class CoreFields<T, TSteps>
    where T : class
    where TSteps : struct, ISteps
{
    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_idle")]
    public static extern ref IdleStore<T> Idle(PoolCore<T, TSteps> core);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_slots")]
    public static extern ref SlotTable<T> Slots(PoolCore<T, TSteps> core);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_total")]
    public static extern ref int Total(PoolCore<T, TSteps> core);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_opening")]
    public static extern ref int Opening(PoolCore<T, TSteps> core);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_retiring")]
    public static extern ref int Retiring(PoolCore<T, TSteps> core);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_maximum")]
    public static extern ref int Maximum(PoolCore<T, TSteps> core);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_maximumOpens")]
    public static extern ref int MaximumOpens(PoolCore<T, TSteps> core);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_pressure")]
    public static extern ref int Pressure(PoolCore<T, TSteps> core);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_generation")]
    public static extern ref int Generation(PoolCore<T, TSteps> core);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_closed")]
    public static extern ref bool Closed(PoolCore<T, TSteps> core);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_line")]
    public static extern ref WaiterLine<T> Line(PoolCore<T, TSteps> core);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_spare")]
    public static extern ref Waiter<T>? Spare(PoolCore<T, TSteps> core);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_broughtBack")]
    public static extern ref Waiter<T>? BroughtBack(PoolCore<T, TSteps> core);
}

/// <summary>The private fields of a FIFO store.</summary>
internal static class IdleQueueFields<T, TSteps>
    where T : class
    where TSteps : struct, ISteps
{
    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_first")]
    public static extern ref int First(IdleQueue<T, TSteps> queue);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_last")]
    public static extern ref int Last(IdleQueue<T, TSteps> queue);
}
