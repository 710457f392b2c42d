using System.Globalization;
using System.Runtime.InteropServices;

namespace Loxo.Benchmarks.Measuring;

/// <summary>The CPU time of processes, in nanoseconds: utime and stime of /proc/PID/stat, but not rounded to clock ticks.</summary>
internal static unsafe partial class CpuClock
{
    private const int Own = 2;
    private const long NanosecondsPerTick = 10_000_000;

    // Positions in /proc/PID/stat behind the name, which may contain spaces: proc_pid_stat(5).
    private const int Parent = 1;
    private const int ReapedUser = 13;
    private const int ReapedSystem = 14;

    /// <summary>This process.</summary>
    public static long Now() => Read(Own);

    /// <summary>A process with all its threads, those that have ended included.</summary>
    public static long Of(int process) => Read(ClockOf(process));

    /// <summary>A process and its children, those that have ended included.</summary>
    public static long OfFamily(int process)
    {
        var fields = Stat(process) ?? throw new InvalidOperationException($"Process {process} has ended.");
        var reaped = (Number(fields[ReapedUser]) + Number(fields[ReapedSystem])) * NanosecondsPerTick;
        return Of(process) + Children(process).Sum(Of) + reaped;
    }

    private static IEnumerable<int> Children(int process) =>
        from folder in Directory.EnumerateDirectories("/proc")
        let id = int.TryParse(Path.GetFileName(folder), out var number) ? number : 0
        where id > 0 && Stat(id) is { } fields && Number(fields[Parent]) == process
        select id;

    // Null when the process has ended.
    private static string[]? Stat(int process)
    {
        try
        {
            var text = File.ReadAllText($"/proc/{process}/stat");
            return text[(text.LastIndexOf(')') + 2)..].Split(' ');
        }
        catch (IOException)
        {
            return null;
        }
    }

    private static long Number(string field) => long.Parse(field, CultureInfo.InvariantCulture);

    // Linux: the complement of the number, shifted by three, and CPUCLOCK_SCHED; what clock_getcpuclockid(3) returns.
    private static int ClockOf(int process) => (~process << 3) | 2;

    // A process that has ended has no clock: 0.
    private static long Read(int clock)
    {
        var time = stackalloc long[2];
        return clock_gettime(clock, time) == 0 ? time[0] * 1_000_000_000 + time[1] : 0;
    }

    [LibraryImport("libc")]
    private static partial int clock_gettime(int clock, long* time);
}
