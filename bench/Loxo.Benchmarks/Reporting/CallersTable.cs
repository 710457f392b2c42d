using System.Globalization;
using System.Text;

namespace Loxo.Benchmarks.Reporting;

/// <summary>Many async callers on few connections, on one core and on all, as Markdown.</summary>
internal static class CallersTable
{
    public static void Write(StringBuilder text, Report report)
    {
        var rows = Rows.All.Where(row => row.Callers > 0 && report.Results.Exists(result => result.Row == row.Id)).ToArray();
        if (rows.Length == 0)
            return;
        text.Append($"\n{rows[0].Callers} async callers look up rows by key over {CallersRows.Connections} connections. ");
        text.Append("CPU is the client's, in microseconds for each query; queries per second are those of the best round. ");
        text.Append("The floor counts its queries per send and answers per receive. System calls of one query are counted under strace: ");
        text.Append("it slows the client down, so more queries share a send than without it.\n\n");
        text.Append("| cores | peer | minimum | median | Loxo / peer | bytes | queries per second ");
        text.Append("| queries per send | answers per receive | system calls |\n");
        text.Append("|---|---|---:|---:|---:|---:|---:|---:|---:|---|\n");
        foreach (var row in rows)
        {
            foreach (var peer in PeerKind.All.Where(peer => report.Find(row.Id, peer) is not null))
                WriteLine(text, report, row, peer);
        }
    }

    private static void WriteLine(StringBuilder text, Report report, Row row, PeerKind peer)
    {
        var result = report.Find(row.Id, peer)!;
        var ratio = peer == PeerKind.Loxo ? "" : $"{report.Ratio(row.Id, peer):0.00}";
        var perSecond = (1_000_000 / result.Elapsed.Min()).ToString("N0", CultureInfo.InvariantCulture);
        text.Append($"| {(row.HasAllCores ? report.Facts.Cores : "one")} | {peer.Name} | {result.Minimum:0.000} | {result.Median:0.000} ");
        text.Append($"| {ratio} | {result.Bytes:0} | {perSecond} | {1 / result.Calls?.Sends:0.0} | {1 / result.Calls?.Receives:0.0} ");
        text.Append($"| {ReportText.Calls(result, "0.0##")} |\n");
    }
}
