using System.Text;

namespace Loxo.Benchmarks.Reporting;

/// <summary>The tables of bench/README.md: every row and every peer of a report.</summary>
internal static class FullTables
{
    private static readonly PeerKind[] Columns = [PeerKind.Loxo, PeerKind.Npgsql, PeerKind.NpgsqlTuned, PeerKind.Libpq, PeerKind.Floor];

    public static string Write(Report report)
    {
        var text = new StringBuilder();
        WriteRows(text, report);
        WriteCurve(text, report);
        CallersTable.Write(text, report);
        LatencyTable.Write(text, report);
        DurableTable.Write(text, report);
        RoundTripsTable.Write(text, report);
        WriteFacts(text, report);
        return text.ToString();
    }

    private static void WriteRows(StringBuilder text, Report report)
    {
        var columns = Columns.Where(column => report.Results.Exists(result => result.Peer == column.Name)).ToArray();
        text.Append($"| microseconds of client CPU (bytes allocated) | {string.Join(" | ", columns.Select(column => column.Name))} |\n");
        text.Append($"|---|{string.Concat(columns.Select(_ => "---:|"))}\n");
        foreach (var row in Rows.All.Where(row => row.IsInMainTable && report.Find(row.Id, PeerKind.Loxo) is not null))
        {
            text.Append($"| {row.Title} | {string.Join(" | ", columns.Select(column => Cell(report, row, column)))} |\n");
            foreach (var other in PeerKind.All.Where(peer => !columns.Contains(peer) && report.Find(row.Id, peer) is not null))
            {
                var cells = columns.Select(column => column.Name == other.Column ? Cell(report, row, other) : "");
                text.Append($"| - {other.Note} | {string.Join(" | ", cells)} |\n");
            }
        }
    }

    private static void WriteCurve(StringBuilder text, Report report)
    {
        if (ThreadCurve.Of(report) is not { } curve)
            return;
        text.Append($"\nQueries per second on all cores ({report.Facts.Cores}): ");
        text.Append("each blocking thread rents a connection, reads twelve rows and returns it.\n\n");
        text.Append(curve.Table());
    }

    private static void WriteFacts(StringBuilder text, Report report)
    {
        var facts = report.Facts;
        text.Append($"\n{facts.Date}, {facts.Cpu}, {facts.Runtime}, PostgreSQL {facts.Postgres}, Npgsql {facts.Npgsql}; ");
        text.Append($"best of {report.Rounds} alternating rounds,\nclient and server on one core. ");
        text.Append("Rows marked elapsed show elapsed time, which includes the server's work.\n");
        text.Append($"{PeerKind.NpgsqlTuned.Name} sets `{PeerKind.NpgsqlTuned.Note}`. ");
        text.Append("libpq and the floor have no pool: their connections stay open.\n");
    }

    private static string Cell(Report report, Row row, PeerKind peer) => report.Find(row.Id, peer) is { } result
        ? $"{result.Minimum.ToString(result.Minimum < 2 ? "0.000" : "0.0")} ({result.Bytes:0})"
        : "";
}
