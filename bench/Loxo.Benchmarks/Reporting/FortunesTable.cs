using System.Globalization;
using System.Text;
using Loxo.Benchmarks.Fortunes;
using Loxo.Benchmarks.Measuring;

namespace Loxo.Benchmarks.Reporting;

/// <summary>TechEmpower's Fortunes as Markdown.</summary>
internal static class FortunesTable
{
    public static void Write(StringBuilder text, Report report)
    {
        var results = report.Results.Where(result => result.Row == FortunesRun.Id).ToArray();
        if (results.Length == 0)
            return;
        text.Append($"\nTechEmpower's Fortunes, {Wrk.Connections} connections of wrk; ");
        text.Append($"application, PostgreSQL and wrk run on {Cores(report)}. ");
        text.Append("CPU is in microseconds for each request, the minimum of the rounds; ");
        text.Append("requests per second and latencies, in milliseconds, are medians. ");
        text.Append("The database's share is the application's CPU minus that of the application without a database. ");
        text.Append(ReportText.Notes(report, "; ")).Append("\n\n");
        text.Append("| application | requests per second | application's CPU | database's share | Loxo / peer | server's CPU ");
        text.Append("| p50 | p99 | p99.9 |\n");
        text.Append("|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
        foreach (var result in results)
            WriteLine(text, report, result);
    }

    private static void WriteLine(StringBuilder text, Report report, Result result)
    {
        var perSecond = (1_000_000 / Result.MedianOf(result.Elapsed)).ToString("N0", CultureInfo.InvariantCulture);
        var share = Share(report, result);
        var ratio = result.Peer == PeerKind.Loxo.Name ? null : Share(report, report.Find(FortunesRun.Id, PeerKind.Loxo)) / share;
        text.Append($"| {result.Peer} | {perSecond} | {result.Minimum:0.0} | {share:0.0} | {ratio:0.00} | {result.ServerCpu!.Min():0.0} ");
        text.Append($"| {LatencyTable.Cells(result)} |\n");
    }

    private static string Cores(Report report) => (report.Facts.Cores.All(char.IsDigit) ? "core " : "cores ") + report.Facts.Cores;

    // Null for the application without a database.
    private static double? Share(Report report, Result? result) =>
        result?.Peer == PeerKind.NoDatabase.Name ? null : result?.Minimum - report.Find(FortunesRun.Id, PeerKind.NoDatabase)?.Minimum;
}
