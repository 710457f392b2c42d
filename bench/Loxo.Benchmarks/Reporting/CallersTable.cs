using System.Globalization;
using System.Text;
using Loxo.Benchmarks.Measuring;

namespace Loxo.Benchmarks.Reporting;

/// <summary>Many async callers on few connections, on one core and on all, as Markdown.</summary>
internal static class CallersTable
{
    public static void Write(StringBuilder text, Report report)
    {
        var rows = Rows.All.Where(row => row.Group == CallersRows.Group && report.Results.Exists(result => result.Row == row.Id)).ToArray();
        if (rows.Length == 0)
            return;
        text.Append($"\n{rows[0].Callers} async callers look up rows by key over {CallersRows.Connections} connections. ");
        text.Append("CPU is the client's, in microseconds for each query; queries per second are those of the best round. ");
        text.Append("The floor counts its queries per send and answers per receive. ");
        text.Append("Those of the others, and the system calls of one query, are counted under strace: ");
        text.Append("it slows the client down, so more queries share a send than without it.\n\n");
        text.Append("| cores | peer | minimum | median | Loxo / peer | Loxo-multiplexing / peer | bytes | queries per second ");
        text.Append("| queries per send | answers per receive | system calls |\n");
        text.Append("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
        foreach (var row in rows)
        {
            foreach (var peer in PeerKind.All.Where(peer => report.Find(row.Id, peer) is not null))
                WriteLine(text, report, row, peer);
        }
    }

    private static void WriteLine(StringBuilder text, Report report, Row row, PeerKind peer)
    {
        var result = report.Find(row.Id, peer)!;
        var where = row.HasAllCores ? report.Facts.Cores : row.Id == CallersRows.Canned ? "one, canned answers" : "one";
        var perSecond = (1_000_000 / result.Elapsed.Min()).ToString("N0", CultureInfo.InvariantCulture);
        text.Append($"| {where} | {peer.Name} | {result.Minimum:0.000} | {result.Median:0.000} ");
        text.Append($"| {Ratio(report, row, PeerKind.Loxo, peer)} | {Ratio(report, row, PeerKind.LoxoMultiplexing, peer)} ");
        text.Append($"| {result.Bytes:0} | {perSecond} ");
        text.Append($"| {PerCall(result, calls => calls.Sends)} | {PerCall(result, calls => calls.Receives)} ");
        text.Append($"| {ReportText.Calls(result, "0.0##")} |\n");
    }

    private static string Ratio(Report report, Row row, PeerKind ours, PeerKind peer) =>
        ours == peer ? "" : $"{report.Ratio(row.Id, peer, ours):0.00}";

    private static string PerCall(Result result, Func<SocketCalls, double> count) =>
        (result.Calls ?? Traced(result.SystemCalls)) is { } calls && count(calls) > 0 ? $"{1 / count(calls):0.0}" : "";

    private static SocketCalls? Traced(SortedDictionary<string, double>? calls) => calls is null ? null
        : new SocketCalls(calls.GetValueOrDefault("sendto") + calls.GetValueOrDefault("sendmsg"),
            calls.GetValueOrDefault("recvfrom") + calls.GetValueOrDefault("recvmsg"));
}
