using System.Globalization;
using System.Runtime.InteropServices;

namespace Loxo.IntegrationTests.Server;

/// <summary>
/// Interrupts system calls of the process, on Linux, as a profiler does: sends a signal, whose handler does nothing, to its threads again
/// and again.
/// </summary>
internal sealed unsafe partial class Signals : IDisposable
{
    private const int Signal = 23; // SIGURG, which nobody uses here

    private readonly Func<IEnumerable<int>> _threads;
    private readonly int _pause;
    private readonly Thread _thread;
    private long _sent;
    private volatile bool _ends;

    private Signals(Func<IEnumerable<int>> threads, int pause)
    {
        (_threads, _pause) = (threads, pause);
        // Any function of the C library will do as the handler that takes a number and may run at any moment.
        var action = new Action { Handler = NativeLibrary.GetExport(NativeLibrary.Load("libc.so.6"), "getpid") };
        Assert.That(sigaction(Signal, &action, null), Is.Zero);
        _thread = new Thread(Send) { IsBackground = true };
        _thread.Start();
    }

    /// <summary>How many were sent.</summary>
    public long Sent => Volatile.Read(ref _sent);

    /// <summary>Every so many milliseconds to each thread of the thread pool, the driver and the caller.</summary>
    public static Signals ToAll(int pause)
    {
        var caller = gettid();
        return new(() => Directory.EnumerateDirectories("/proc/self/task")
            .Where(static task => NameOf(task) is { } name
                && (name.StartsWith("Loxo", StringComparison.Ordinal) || name.StartsWith(".NET TP", StringComparison.Ordinal)
                    || name.StartsWith(".NET Sock", StringComparison.Ordinal)))
            .Select(static task => int.Parse(Path.GetFileName(task), CultureInfo.InvariantCulture)).Append(caller), pause);
    }

    /// <summary>Every so many milliseconds to the calling thread.</summary>
    public static Signals ToCaller(int pause)
    {
        var caller = gettid();
        return new(() => [caller], pause);
    }

    public void Dispose()
    {
        _ends = true;
        _thread.Join();
        // The handler stays, as a signal may still be on its way.
    }

    private static string? NameOf(string task)
    {
        try
        {
            return File.ReadAllText(task + "/comm");
        }
        catch (IOException)
        {
            return null; // it has ended
        }
    }

    private void Send()
    {
        while (!_ends)
        {
            foreach (var thread in _threads())
            {
                if (tgkill(Environment.ProcessId, thread, Signal) == 0)
                    Interlocked.Increment(ref _sent);
            }
            Thread.Sleep(_pause);
        }
    }

    [LibraryImport("libc")]
    private static partial int sigaction(int signal, Action* action, void* former);

    [LibraryImport("libc")]
    private static partial int tgkill(int process, int thread, int signal);

    [LibraryImport("libc")]
    private static partial int gettid();

    // Without SA_RESTART. The same in every C library of 64-bit Linux on x86 and ARM.
    [StructLayout(LayoutKind.Sequential)]
    private struct Action
    {
        public nint Handler;
        public fixed byte Mask[128];
        public int Flags;
        public nint Restorer;
    }
}
