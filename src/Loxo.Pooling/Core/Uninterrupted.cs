namespace Loxo.Pooling.Core;

/// <summary>
/// Takes the pool's locks. A thread that is interrupted there would lose the slot or permit that it holds, so the interrupt ends its next
/// wait instead.
/// </summary>
internal static class Uninterrupted
{
    public static void Enter(Lock gate) => Run(static gate => gate.Enter(), gate);

    /// <summary>Enters the lock. Disposing the result leaves it.</summary>
    public static Held Hold(Lock gate)
    {
        Enter(gate);
        return new Held(gate);
    }

    /// <summary>Runs what waits for nothing but a lock, again if an interrupt ends that wait.</summary>
    public static void Run<T>(Action<T> step, T state)
    {
        for (var isInterrupted = false; ; isInterrupted = true)
        {
            try
            {
                step(state);
            }
            catch (ThreadInterruptedException)
            {
                continue;
            }
            if (isInterrupted)
                Thread.CurrentThread.Interrupt();
            return;
        }
    }

    /// <summary>A lock, held until this is disposed.</summary>
    public readonly ref struct Held(Lock gate)
    {
        public void Dispose() => gate.Exit();
    }
}
