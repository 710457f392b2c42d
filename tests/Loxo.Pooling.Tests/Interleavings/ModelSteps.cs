using Loxo.Pooling.Core;

namespace Loxo.Pooling.Tests.Interleavings;

/// <summary>
/// Hands every step of the core to the scheduler that runs the calling thread. Other threads, which set up, take no part.
/// </summary>
internal readonly struct ModelSteps : ISteps
{
    public static bool IsControlled => true;

    public static bool Step(Point point) => Actor.Current?.Step(point) ?? true;

    public static void Enter(Lock gate) => Actor.Current?.EnterGate();

    public static void Exit(Lock gate) => Actor.Current?.ExitGate();

    public static bool Block(IWaiter waiter, int milliseconds) =>
        (Actor.Current ?? throw new InvalidOperationException("Setting up must not wait.")).Block((Waiter<Thing>)waiter, milliseconds >= 0);

    public static void Awaits(IWaiter waiter) =>
        (Actor.Current ?? throw new InvalidOperationException("Setting up must not wait.")).Awaits((Waiter<Thing>)waiter);

    public static void Wake(IWaiter waiter) => Actor.Current?.Wake((Waiter<Thing>)waiter);
}
