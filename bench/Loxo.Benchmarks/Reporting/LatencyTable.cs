using System.Globalization;
using System.Text;
using Loxo.Benchmarks.Measuring;

namespace Loxo.Benchmarks.Reporting;

/// <summary>How long callers wait, as Markdown.</summary>
internal static class LatencyTable
{
    public static void Write(StringBuilder text, Report report)
    {
        var rows = LatencyRows.All.Where(row => report.Results.Exists(result => result.Row == row.Id)).ToArray();
        if (rows.Length == 0)
            return;
        text.Append("\nLatency in milliseconds of open, lookup by key, close, by async callers on all cores ");
        text.Append($"({report.Facts.Cores}); medians of the rounds. Statements that sleep, for 100 ms, are not counted themselves. ");
        text.Append("The settings are the defaults but for those in the peer's name.\n\n");
        text.Append("| row | peer | queries per second | p50 | p99 | p99.9 |\n|---|---|---:|---:|---:|---:|\n");
        foreach (var row in rows)
        {
            foreach (var result in report.Results.Where(result => result.Row == row.Id))
                WriteLine(text, row, result);
        }
    }

    /// <summary>The three percentiles in milliseconds.</summary>
    public static string Cells(Result result) => string.Join(
        " | ",
        new Func<Latency, double>[] { latency => latency.P50, latency => latency.P99, latency => latency.P999 }
            .Select(percentile => $"{result.Milliseconds(percentile):0.00}"));

    private static void WriteLine(StringBuilder text, Row row, Result result)
    {
        var perSecond = (1_000_000 / Result.MedianOf(result.Elapsed)).ToString("N0", CultureInfo.InvariantCulture);
        text.Append($"| {row.Title} | {result.Peer} | {perSecond} ");
        text.Append($"| {Cells(result)} |\n");
    }
}
