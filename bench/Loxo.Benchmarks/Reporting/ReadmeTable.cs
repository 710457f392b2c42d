using System.Text;
using Loxo.Benchmarks.RoundTrips;

namespace Loxo.Benchmarks.Reporting;

/// <summary>README's tables, between two marks, from the newest result.</summary>
internal static class ReadmeTable
{
    private const string Start = "<!-- bench:start -->";
    private const string End = "<!-- bench:end -->";

    private static readonly PeerKind[] Columns = [PeerKind.Loxo, PeerKind.Npgsql, PeerKind.NpgsqlTuned, PeerKind.Libpq, PeerKind.Floor];

    public static int Write()
    {
        var file = Path.Combine(ResultFiles.Root(), "README.md");
        var text = File.ReadAllText(file);
        var start = text.IndexOf(Start, StringComparison.Ordinal);
        var end = text.IndexOf(End, StringComparison.Ordinal);
        if (start < 0 || end < start)
            return Fail($"README.md must hold a line '{Start}' and after it a line '{End}'; the table goes between them.");
        if (ResultFiles.Newest() is not { } report)
            return Fail("bench/results holds no result: run ./bench/run first.");
        File.WriteAllText(file, text[..(start + Start.Length)] + "\n" + Tables(report) + text[end..]);
        return 0;
    }

    private static string Tables(Report report)
    {
        var text = new StringBuilder();
        WriteRows(text, report);
        WriteCurve(text, report);
        WriteRoundTrips(text, report);
        WriteFacts(text, report);
        return text.ToString();
    }

    private static void WriteRows(StringBuilder text, Report report)
    {
        var columns = Columns.Where(column => report.Results.Exists(result => result.Peer == column.Name)).ToArray();
        text.Append($"| microseconds of client CPU (bytes allocated) | {string.Join(" | ", columns.Select(column => column.Name))} |\n|---|{string.Concat(columns.Select(_ => "---:|"))}\n");
        foreach (var row in Rows.All.Where(row => row.Threads == 0 && report.Find(row.Id, PeerKind.Loxo) is not null))
        {
            text.Append($"| {row.Title} | {string.Join(" | ", columns.Select(column => Cell(report, row, column)))} |\n");
            foreach (var other in PeerKind.All.Where(peer => !columns.Contains(peer) && report.Find(row.Id, peer) is not null))
                text.Append($"| - {other.Note} | {string.Join(" | ", columns.Select(column => column.Name == other.Column ? Cell(report, row, other) : ""))} |\n");
        }
    }

    private static void WriteCurve(StringBuilder text, Report report)
    {
        if (ThreadCurve.Of(report) is not { } curve)
            return;
        text.Append($"\nQueries per second, on all cores ({report.Facts.Cores}): blocking threads that each rent a connection, read twelve rows and give it back.\n\n");
        text.Append(curve.Table());
    }

    private static void WriteRoundTrips(StringBuilder text, Report report)
    {
        if (report.RoundTrips is not { Count: > 0 })
            return;
        text.Append("\n| round trips waited for | Loxo | Npgsql |\n|---|---:|---:|\n");
        foreach (var scenario in Scenarios.All)
            text.Append($"| {scenario.Title} | {report.CountOf(scenario.Id, PeerKind.Loxo)} | {report.CountOf(scenario.Id, PeerKind.Npgsql)} |\n");
    }

    private static void WriteFacts(StringBuilder text, Report report)
    {
        var facts = report.Facts;
        text.Append($"\n{facts.Date}, {facts.Cpu}, {facts.Runtime}, PostgreSQL {facts.Postgres}, Npgsql {facts.Npgsql}; the best of {report.Rounds} alternating rounds, ");
        text.Append("client and server on one core. Rows marked elapsed are the time that passes, the server's work included. ");
        text.Append($"{PeerKind.NpgsqlTuned.Name}: `{PeerKind.NpgsqlTuned.Note}`. libpq and the floor (raw sockets, messages encoded beforehand) have no pool: their connections stay open. ");
        text.Append("`./bench/run` repeats it.\n");
    }

    private static string Cell(Report report, Row row, PeerKind peer) => report.Find(row.Id, peer) is { } result
        ? $"{result.Minimum.ToString(result.Minimum < 2 ? "0.000" : "0.0")} ({result.Bytes:0})"
        : "";

    private static int Fail(string message)
    {
        Console.Error.WriteLine(message);
        return 1;
    }
}
