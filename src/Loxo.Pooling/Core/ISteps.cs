namespace Loxo.Pooling.Core;

/// <summary>
/// Where a pool meets other threads. Pools run with <see cref="NoSteps"/>, of which the compiler leaves no trace. Tests have an
/// implementation that decides at each <see cref="Point"/> which thread goes on, and so try all orders.
/// </summary>
internal interface ISteps
{
    /// <summary>
    /// Whether a test decides which thread runs: then a woken waiter goes on where <see cref="IWaiter.Signal"/> is called, and a blocking
    /// wait times out when the test says so.
    /// </summary>
    static abstract bool IsControlled { get; }

    /// <summary>
    /// Other threads may come in here. False leaves the step out, where the pool asks for the result: a test does so to prove that it finds
    /// the mistake.
    /// </summary>
    static abstract bool Step(Point point);

    static abstract void Enter(Lock gate);

    static abstract void Exit(Lock gate);

    /// <summary>Blocks until the waiter is woken (true), or for so many milliseconds (false); -1 for no limit.</summary>
    static abstract bool Block(IWaiter waiter, int milliseconds);

    /// <summary>An asynchronous renter is about to await this waiter.</summary>
    static abstract void Awaits(IWaiter waiter);

    static abstract void Wake(IWaiter waiter);
}

/// <summary>No test steps the pool.</summary>
internal readonly struct NoSteps : ISteps
{
    public static bool IsControlled => false;

    public static bool Step(Point point) => true;

    public static void Enter(Lock gate) => Uninterrupted.Enter(gate);

    public static void Exit(Lock gate) => gate.Exit();

    public static bool Block(IWaiter waiter, int milliseconds) => waiter.Block(milliseconds);

    public static void Awaits(IWaiter waiter)
    {
    }

    public static void Wake(IWaiter waiter) => waiter.Signal();
}
