using System.Text.Json.Serialization;

namespace Loxo.Benchmarks.Measuring;

/// <summary>One peer at one row.</summary>
internal sealed class Result
{
    public required string Row { get; init; }

    public required string Peer { get; init; }

    /// <summary>Microseconds of client CPU for each operation, round by round.</summary>
    public required double[] Cpu { get; init; }

    /// <summary>Microseconds that passed for each operation, the server's work included, round by round.</summary>
    public double[] Elapsed { get; init; } = [];

    /// <summary>Bytes allocated for each operation: the median of the rounds.</summary>
    public required double Bytes { get; init; }

    /// <summary>System calls for each execution by name; null when they were not counted.</summary>
    public SortedDictionary<string, double>? SystemCalls { get; set; }

    /// <summary>Sends and receives for each operation, the medians of the rounds; null when the peer does not count them.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public SocketCalls? Calls { get; init; }

    /// <summary>How long callers waited, round by round; null where that is not measured.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public Latency[]? Latencies { get; init; }

    /// <summary>How often the server has flushed its log for each operation, the median of the rounds; null where that is not counted.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public double? WalFlushes { get; init; }

    /// <summary>Microseconds of CPU of the database server for each request to a web application, round by round; null elsewhere.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public double[]? ServerCpu { get; init; }

    /// <summary>What the row measures, round by round.</summary>
    public double[] Figures => Rows.Find(Row)?.Measure == Measure.Elapsed ? Elapsed : Cpu;

    public double Minimum => Figures.Min();

    public double Median => MedianOf(Figures);

    /// <summary>A percentile in milliseconds: the median of the rounds.</summary>
    public double Milliseconds(Func<Latency, double> percentile) => MedianOf([.. Latencies!.Select(percentile)]) / 1000;

    public static double MedianOf(double[] values)
    {
        var sorted = values.Order().ToArray();
        return (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }
}
