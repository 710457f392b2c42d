using System.Runtime.InteropServices;

namespace Loxo.Transport;

/// <summary>Tells a thread that its caller keeps from one that waits for a processor, where the system says so: on Linux.</summary>
internal sealed partial class ThreadActivity
{
    // Of the time of a processor; with it a caller has kept its thread.
    private const long KeptNanoseconds = 800_000;

    private readonly int _id = OperatingSystem.IsLinux() ? OwnId() : 0;
    private long? _begin = 0;

    /// <summary>Reads the clock of a thread, in nanoseconds; null if the system refuses it. Tests set one that is refused.</summary>
    internal Func<int, long?> Clock { get; init; } = CpuTime;

    /// <summary>What the thread, which must be the one that made the object, does from here on is looked at.</summary>
    public void Begin()
    {
        if (_id != 0)
            _begin = Clock(_id);
    }

    // The clock is read first: it costs a single system call.
    /// <summary>Whether it could run, and has hardly had a processor since then.</summary>
    public bool IsStarved() => _id != 0 && Clock(_id) - _begin < KeptNanoseconds && CanRun();

    // The C library has a function for it since version 2.30 of glibc only.
    private static int OwnId() => RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => (int)syscall(186),
        Architecture.Arm64 => (int)syscall(178),
        _ => 0,
    };

    // The state follows the name, which is in parentheses (proc_pid_stat(5)).
    private bool CanRun()
    {
        try
        {
            var text = File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/self/task/{_id}/stat"));
            return text.AsSpan(text.LastIndexOf(')') + 2) is ['R', ..];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    // The clock of a thread has a number that is made of the thread's (clock_getcpuclockid(3), pthread_getcpuclockid(3)).
    private static long? CpuTime(int thread) =>
        clock_gettime((~thread << 3) | 6, out var time) == 0 ? (time.Seconds * 1_000_000_000) + time.Nanoseconds : null;

    [LibraryImport("libc")]
    private static partial nint syscall(nint number);

    [LibraryImport("libc")]
    private static partial int clock_gettime(int clock, out Time time);

    [StructLayout(LayoutKind.Sequential)]
    private struct Time
    {
        public nint Seconds;
        public nint Nanoseconds;
    }
}
