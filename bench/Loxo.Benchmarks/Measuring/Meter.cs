using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Loxo.Benchmarks.Measuring;

/// <summary>What one batch cost for each operation.</summary>
/// <param name="Cpu">Microseconds of CPU of the whole client process.</param>
/// <param name="Elapsed">Microseconds that passed, divided by the number of operations.</param>
/// <param name="Bytes">Bytes allocated by all threads.</param>
internal readonly record struct Sample(double Cpu, double Elapsed, double Bytes)
{
    public double Of(Measure measure) => measure == Measure.Cpu ? Cpu : Elapsed;
}

/// <summary>Measures batches. CPU is the process's own: the server and whoever else uses the core are not in it.</summary>
internal static unsafe partial class Meter
{
    private const int ProcessCpuTime = 2;

    public static Sample Measure(Work work, Row row, out long sum)
    {
        var bytes = GC.GetTotalAllocatedBytes(precise: true);
        var start = Stopwatch.GetTimestamp();
        var cpu = Now();
        sum = work.Run(work.Batch);
        cpu = Now() - cpu;
        var elapsed = Stopwatch.GetElapsedTime(start);
        bytes = GC.GetTotalAllocatedBytes(precise: true) - bytes;
        var operations = (double)work.Batch * row.UnitsPerExecution;
        return new Sample(cpu / operations / 1000, elapsed.TotalMicroseconds / operations, bytes / operations);
    }

    private static long Now()
    {
        var time = stackalloc long[2];
        clock_gettime(ProcessCpuTime, time);
        return time[0] * 1_000_000_000 + time[1];
    }

    [LibraryImport("libc")]
    private static partial int clock_gettime(int clock, long* time);
}
