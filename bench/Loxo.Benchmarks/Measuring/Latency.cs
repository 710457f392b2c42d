using System.Diagnostics;

namespace Loxo.Benchmarks.Measuring;

/// <summary>How long callers waited, in microseconds.</summary>
/// <param name="P50">The median.</param>
/// <param name="P99">The latency that 1 % exceed.</param>
/// <param name="P999">The latency that 0.1 % exceed.</param>
internal sealed record Latency(double P50, double P99, double P999)
{
    /// <summary>The percentiles of ticks of the Stopwatch; sorts them.</summary>
    public static Latency Of(long[] ticks)
    {
        Array.Sort(ticks);
        return new Latency(At(ticks, 0.5), At(ticks, 0.99), At(ticks, 0.999));
    }

    private static double At(long[] sorted, double part) =>
        Math.Round(sorted[(int)((sorted.Length - 1) * part)] * 1_000_000.0 / Stopwatch.Frequency, 1);
}
