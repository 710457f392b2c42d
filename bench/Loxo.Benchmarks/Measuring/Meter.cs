using System.Diagnostics;

namespace Loxo.Benchmarks.Measuring;

/// <summary>What one batch cost for each operation.</summary>
/// <param name="Cpu">Microseconds of CPU of the whole client process.</param>
/// <param name="Elapsed">Microseconds that passed, divided by the number of operations.</param>
/// <param name="Bytes">Bytes allocated by all threads.</param>
internal readonly record struct Sample(double Cpu, double Elapsed, double Bytes)
{
    /// <summary>Sends and receives for each operation; null when the peer does not count them.</summary>
    public SocketCalls? Calls { get; init; }

    /// <summary>How often the server has flushed its log for each operation; null where that is not counted.</summary>
    public double? WalFlushes { get; init; }

    /// <summary>How long the callers waited; null where that is not measured.</summary>
    public Latency? Latency { get; init; }

    /// <summary>Microseconds of CPU of the database server for each request to a web application; null elsewhere.</summary>
    public double? ServerCpu { get; init; }

    public double Of(Measure measure) => measure == Measure.Cpu ? Cpu : Elapsed;
}

/// <summary>Measures batches. CPU is the process's own: the server and whoever else uses the core are not in it.</summary>
internal static class Meter
{
    public static Sample Measure(Work work, Row row, out long sum)
    {
        var calls = work.Calls;
        var flushes = work.WalFlushes;
        var bytes = GC.GetTotalAllocatedBytes(precise: true);
        var start = Stopwatch.GetTimestamp();
        var cpu = CpuClock.Now();
        sum = work.Run(work.Batch);
        cpu = CpuClock.Now() - cpu;
        var elapsed = Stopwatch.GetElapsedTime(start);
        bytes = GC.GetTotalAllocatedBytes(precise: true) - bytes;
        var operations = (double)work.Batch * row.UnitsPerExecution;
        return new Sample(cpu / operations / 1000, elapsed.TotalMicroseconds / operations, bytes / operations)
        {
            Calls = (work.Calls - calls) / operations,
            Latency = work.Latency,
            WalFlushes = (work.WalFlushes - flushes) / operations,
        };
    }
}
