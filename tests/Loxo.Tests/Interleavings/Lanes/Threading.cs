namespace Loxo.Commands.Interleaved;

/// <summary>What lanes use of <see cref="System.Threading"/>, with a <see cref="LaneScheduler.Point"/> in front of each access.</summary>
internal static class Interlocked
{
    public static int Increment(ref int place)
    {
        LaneScheduler.Point();
        return System.Threading.Interlocked.Increment(ref place);
    }

    public static long Increment(ref long place)
    {
        LaneScheduler.Point();
        return System.Threading.Interlocked.Increment(ref place);
    }

    public static long Add(ref long place, long value)
    {
        LaneScheduler.Point();
        return System.Threading.Interlocked.Add(ref place, value);
    }

    public static int Decrement(ref int place)
    {
        LaneScheduler.Point();
        return System.Threading.Interlocked.Decrement(ref place);
    }

    public static int Exchange(ref int place, int value)
    {
        LaneScheduler.Point();
        return System.Threading.Interlocked.Exchange(ref place, value);
    }

    public static T Exchange<T>(ref T place, T value)
    {
        LaneScheduler.Point();
        return System.Threading.Interlocked.Exchange(ref place, value);
    }

    public static T CompareExchange<T>(ref T place, T value, T comparand)
    {
        LaneScheduler.Point();
        return System.Threading.Interlocked.CompareExchange(ref place, value, comparand);
    }
}

internal static class Volatile
{
    public static int Read(ref int place)
    {
        LaneScheduler.Point();
        return System.Threading.Volatile.Read(ref place);
    }

    public static long Read(ref long place)
    {
        LaneScheduler.Point();
        return System.Threading.Volatile.Read(ref place);
    }

    public static bool Read(ref bool place)
    {
        LaneScheduler.Point();
        return System.Threading.Volatile.Read(ref place);
    }

    public static T Read<T>(ref T place)
        where T : class?
    {
        LaneScheduler.Point();
        return System.Threading.Volatile.Read(ref place);
    }

    public static void Write<T>(ref T place, T value)
        where T : class?
    {
        LaneScheduler.Point();
        System.Threading.Volatile.Write(ref place, value);
    }

    public static void Write(ref int place, int value)
    {
        LaneScheduler.Point();
        System.Threading.Volatile.Write(ref place, value);
    }

    public static void Write(ref long place, long value)
    {
        LaneScheduler.Point();
        System.Threading.Volatile.Write(ref place, value);
    }
}

/// <summary>
/// A section under a lock is one step: a thread that is interrupted holds none. One that was blocked may come to it while another is in it.
/// </summary>
internal readonly struct Locks : IDisposable
{
    private readonly object _monitor;

    private Locks(object monitor) => _monitor = monitor;

    public static Locks Enter(object monitor)
    {
        LaneScheduler.Point();
        LaneScheduler.EnterSection();
        System.Threading.Monitor.Enter(monitor);
        return new(monitor);
    }

    public void Dispose()
    {
        System.Threading.Monitor.Exit(_monitor);
        LaneScheduler.LeaveSection();
    }
}

/// <summary>The end of a callback that is running is waited for in a step; the runtime would sleep for it, and wake up at any moment.</summary>
internal readonly struct CancellationTokenRegistration(System.Threading.CancellationTokenRegistration registration) : IDisposable
{
    public static implicit operator CancellationTokenRegistration(System.Threading.CancellationTokenRegistration registration) => new(registration);

    public void Dispose()
    {
        if (registration != default && !registration.Unregister())
            LaneScheduler.AwaitCancelled();
    }
}

internal static class Monitor
{
    public static bool Wait(object monitor, int milliseconds) => LaneScheduler.WaitForPulse(monitor, milliseconds != Timeout.Infinite);

    public static bool Wait(object monitor) => Wait(monitor, Timeout.Infinite);

    public static void Pulse(object monitor) => LaneScheduler.Pulse(monitor);
}

internal static class Environment
{
    public static long TickCount64 => LaneScheduler.Now;

    public static int ProcessorCount => 1;
}

internal sealed class Thread(System.Threading.ThreadStart run)
{
    public bool IsBackground { get; init; }

    public string Name { get; init; } = "";

    public void UnsafeStart() => LaneScheduler.Begin(run.Invoke, isLane: true);
}

internal static class ThreadPool
{
    public static bool UnsafeQueueUserWorkItem(IThreadPoolWorkItem item, bool preferLocal)
    {
        LaneScheduler.Begin(item.Execute, isLane: false);
        return !preferLocal;
    }

    public static bool UnsafeQueueUserWorkItem<T>(Action<T> call, T state, bool preferLocal)
    {
        LaneScheduler.Begin(() => call(state), isLane: false);
        return !preferLocal;
    }
}

/// <summary>Ticks are steps of a scenario.</summary>
internal sealed class Timer(TimerCallback callback, object? state, int due, int period) : IDisposable
{
    public override string ToString() => $"{callback} {state} {due} {period}";

    public void Change(int newDue, int newPeriod) => (due, period) = (newDue, newPeriod);

    public void Dispose()
    {
    }
}
