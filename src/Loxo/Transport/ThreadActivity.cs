using System.Runtime.InteropServices;

namespace Loxo.Transport;

/// <summary>Tells a thread that its caller keeps from one that waits for a processor, where the system says so: on Linux.</summary>
internal sealed partial class ThreadActivity
{
    private const long LeastNanoseconds = 200_000;
    private const long MostMilliseconds = 10;

    private readonly int _id = OperatingSystem.IsLinux() ? OwnId() : 0;
    private long _seenNanoseconds;
    private long _seenAt;

    /// <summary>
    /// Whether the thread, which must be the one that made the object, could run and has not since the last question. The first question
    /// for a while is not enough to say no.
    /// </summary>
    public bool IsStarved()
    {
        if (_id == 0 || !CanRun())
            return false;
        var (nanoseconds, now) = (CpuTime(), Environment.TickCount64);
        var isStarved = nanoseconds - _seenNanoseconds < LeastNanoseconds || now - _seenAt > MostMilliseconds;
        (_seenNanoseconds, _seenAt) = (nanoseconds, now);
        return isStarved;
    }

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
    private long CpuTime() => clock_gettime((~_id << 3) | 6, out var time) == 0 ? (time.Seconds * 1_000_000_000) + time.Nanoseconds : 0;

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
