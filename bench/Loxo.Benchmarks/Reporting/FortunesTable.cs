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
        text.Append("| application | requests per second | application's CPU | database's share | share / floor | CPU / sockets ");
        text.Append("| Loxo / Npgsql | server's CPU | p50 | p99 | p99.9 |\n");
        text.Append("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
        foreach (var result in results)
            WriteLine(text, report, result);
    }

    /// <summary>The database's share divided by that of the variant's floor; null if one of them is missing.</summary>
    public static double? ToFloor(Report report, FortunesVariant variant) =>
        variant.Floor is { } floor ? ShareRatio(report, variant.Kind, floor) : null;

    /// <summary>The share with Loxo divided by that with the other driver; null if one of them is missing.</summary>
    public static double? OfLoxo(Report report, FortunesVariant variant) =>
        variant.Loxo is { } loxo ? ShareRatio(report, loxo, variant.Kind) : null;

    /// <summary>The application's CPU divided by that on the sockets of .NET; null if one of them is missing.</summary>
    public static double? ToSockets(Report report, FortunesVariant variant) =>
        variant.Sockets is { } sockets ? report.Ratio(FortunesRun.Id, sockets, variant.Kind) : null;

    private static void WriteLine(StringBuilder text, Report report, Result result)
    {
        var perSecond = (1_000_000 / Result.MedianOf(result.Elapsed)).ToString("N0", CultureInfo.InvariantCulture);
        var variant = Array.Find(FortunesVariant.All, variant => variant.Name == result.Peer)!;
        text.Append($"| {result.Peer} | {perSecond} | {result.Minimum:0.0} | {Share(report, variant.Kind):0.0} ");
        text.Append($"| {ToFloor(report, variant):0.00} | {ToSockets(report, variant):0.00} | {OfLoxo(report, variant):0.00} ");
        text.Append($"| {result.ServerCpu!.Min():0.0} | {LatencyTable.Cells(result)} |\n");
    }

    private static string Cores(Report report) => (report.Facts.Cores.All(char.IsDigit) ? "core " : "cores ") + report.Facts.Cores;

    private static double? ShareRatio(Report report, PeerKind kind, PeerKind other) => Share(report, kind) / Share(report, other);

    // Null for the application without a database.
    private static double? Share(Report report, PeerKind kind) => kind == PeerKind.NoDatabase
        ? null
        : report.Find(FortunesRun.Id, kind)?.Minimum - report.Find(FortunesRun.Id, PeerKind.NoDatabase)?.Minimum;
}
