using System.Text;
using Loxo.Benchmarks.Measuring;

namespace Loxo.Benchmarks.Reporting;

/// <summary>A report as Markdown.</summary>
internal static class ReportText
{
    public static string Write(Report report)
    {
        var text = new StringBuilder();
        var facts = report.Facts;
        text.Append($"{facts.Date}: {facts.Cpu}, Linux {facts.Kernel}, {facts.Runtime}, PostgreSQL {facts.Postgres} over TCP, Npgsql {facts.Npgsql}; {report.Rounds} alternating rounds.\n");
        WriteRows(text, report);
        WriteReactor(text, report);
        WriteCurve(text, report);
        CallersTable.Write(text, report);
        LatencyTable.Write(text, report);
        DurableTable.Write(text, report);
        FortunesTable.Write(text, report);
        RoundTripsTable.Write(text, report);
        var goals = Goal.All.Select(goal => goal.Judge(report)).Where(line => line.Length > 0).ToArray();
        if (goals.Length > 0)
            text.Append("\nGoals:\n\n").AppendJoin('\n', goals).Append('\n');
        return text.ToString();
    }

    /// <summary>What the short names of peers stand for, of those that took part.</summary>
    public static string Notes(Report report, string separator)
    {
        var noted = PeerKind.All.Where(peer => peer.Note.Length > 0 && report.Results.Exists(result => result.Peer == peer.Name));
        return string.Join(separator, noted.Select(peer => $"{peer.Name}: {peer.Note}"));
    }

    /// <summary>The system calls of one execution: the sum, and the most frequent of them.</summary>
    /// <param name="result">The result.</param>
    /// <param name="format">The format of the numbers.</param>
    public static string Calls(Result result, string format = "0.#")
    {
        if (result.SystemCalls is not { } calls)
            return "not counted";
        var most = calls.OrderByDescending(call => call.Value).Take(8);
        var names = string.Join(", ", most.Select(call => $"{call.Key} {call.Value.ToString(format)}"));
        return calls.Values.Sum().ToString(format) + (calls.Count > 0 ? $" ({names})" : "");
    }

    private static void WriteRows(StringBuilder text, Report report)
    {
        var results = report.Results.Where(result => Rows.Find(result.Row) is { IsInMainTable: true }).ToArray();
        if (results.Length == 0)
            return;
        text.Append("\nServer and client on one core. Figures are microseconds of CPU of the client process for each operation, where the row does not say elapsed; ");
        text.Append("elapsed is the time that passes, with the server's work in it. Ratios are Loxo's minimum to the peer's. ");
        text.Append(Notes(report, "; ")).Append("\n\n");
        text.Append("| row | peer | minimum | median | elapsed | Loxo / peer | bytes | system calls |\n|---|---|---:|---:|---:|---:|---:|---|\n");
        foreach (var result in results)
            WriteLine(text, report, result);
    }

    private static void WriteLine(StringBuilder text, Report report, Result result)
    {
        var row = Rows.Find(result.Row)!;
        var peer = Array.Find(PeerKind.All, kind => kind.Name == result.Peer)!;
        var ratio = peer == PeerKind.Loxo ? "" : $"{report.Ratio(result.Row, peer):0.00}";
        var calls = Calls(result) + (row.UnitsPerExecution > 1 && result.SystemCalls is not null ? " for all rows" : "");
        text.Append($"| {row.Title} | {result.Peer} | {result.Minimum:0.000} | {result.Median:0.000} | {result.Elapsed.Min():0.000} | {ratio} | {result.Bytes:0} | {calls} |\n");
    }

    private static void WriteReactor(StringBuilder text, Report report)
    {
        var rows = Rows.All.Where(row => report.Find(row.Id, PeerKind.Floor) is not null && report.Find(row.Id, PeerKind.ReactorInline) is not null).ToArray();
        if (rows.Length == 0)
            return;
        text.Append("\nWhat a reactor would bring, shown by the floor, in microseconds less than over the Socket class:\n\n");
        text.Append("| row | Socket class | with a hop to the thread pool | continued on the reactor's thread |\n|---|---:|---:|---:|\n");
        foreach (var row in rows)
            text.Append($"| {row.Title} | {report.Find(row.Id, PeerKind.Floor)!.Minimum:0.0} | {Saved(report, row, PeerKind.ReactorHop)} | {Saved(report, row, PeerKind.ReactorInline)} |\n");
    }

    private static string Saved(Report report, Row row, PeerKind reactor) =>
        report.Find(row.Id, reactor) is { } result ? $"{report.Find(row.Id, PeerKind.Floor)!.Minimum - result.Minimum:0.0}" : "";

    private static void WriteCurve(StringBuilder text, Report report)
    {
        if (ThreadCurve.Of(report) is not { } curve)
            return;
        text.Append("\nQueries per second, best round: blocking threads that each rent a connection, read twelve rows and give it back. ");
        text.Append($"Here client and server have all cores ({report.Facts.Cores}), for this row asks what a machine gets done.\n\n");
        text.Append(curve.Table());
        text.Append("\nMicroseconds of the client's CPU for each of these queries, best round:\n\n");
        text.Append(curve.CpuTable());
    }
}
