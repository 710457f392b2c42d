using System.Text;

namespace Loxo.Benchmarks.Reporting;

/// <summary>README's table, between two marks, from the newest result.</summary>
internal static class ReadmeTable
{
    private const string Start = "<!-- bench:start -->";
    private const string End = "<!-- bench:end -->";

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
        File.WriteAllText(file, text[..(start + Start.Length)] + "\n" + Table(report) + text[end..]);
        return 0;
    }

    private static string Table(Report report)
    {
        var facts = report.Facts;
        var peers = report.Results.Select(result => result.Peer).Distinct().ToArray();
        var text = new StringBuilder();
        text.Append($"| microseconds of client CPU (bytes allocated) | {string.Join(" | ", peers)} |\n|---|{string.Concat(peers.Select(_ => "---:|"))}\n");
        foreach (var row in Row.All.Where(row => report.Find(row.Id, PeerKind.Loxo) is not null))
            text.Append($"| {row.Title} | {string.Join(" | ", peers.Select(peer => Cell(report, row, peer)))} |\n");
        text.Append($"\n{facts.Date}, {facts.Cpu}, {facts.Runtime}, PostgreSQL {facts.Postgres}, Npgsql {facts.Npgsql}; the best of {report.Rounds} alternating rounds, ");
        text.Append("client and server on one core. Floor: raw sockets and messages encoded beforehand. `./bench/run` repeats it.\n");
        return text.ToString();
    }

    private static string Cell(Report report, Row row, string peer) => report.Find(row.Id, peer) is { } result
        ? $"{result.Minimum.ToString(row.UnitsPerExecution > 1 ? "0.000" : "0.0")} ({result.Bytes:0})"
        : "";

    private static int Fail(string message)
    {
        Console.Error.WriteLine(message);
        return 1;
    }
}
