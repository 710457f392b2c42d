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
        text.Append($"{facts.Date}: {facts.Cpu}, Linux {facts.Kernel}, {facts.Runtime}, PostgreSQL {facts.Postgres} over TCP on the same core, Npgsql {facts.Npgsql}; ");
        text.Append($"{report.Rounds} alternating rounds. CPU is that of the client process in microseconds for each operation, ratios are Loxo's minimum to the peer's.\n\n");
        text.Append("| row | peer | CPU, minimum | CPU, median | Loxo / peer | bytes | system calls |\n|---|---|---:|---:|---:|---:|---|\n");
        foreach (var result in report.Results)
            WriteLine(text, report, result);
        var goals = Goal.All.Select(goal => goal.Judge(report)).Where(line => line.Length > 0).ToArray();
        if (goals.Length > 0)
            text.Append("\nGoals:\n\n").AppendJoin('\n', goals).Append('\n');
        return text.ToString();
    }

    /// <summary>System calls of one execution: the sum, and what it is made of.</summary>
    public static string Calls(Result result)
    {
        if (result.SystemCalls is not { } calls)
            return "not counted";
        return $"{calls.Values.Sum():0.#}" + (calls.Count > 0 ? $" ({string.Join(", ", calls.Select(call => $"{call.Key} {call.Value:0.#}"))})" : "");
    }

    private static void WriteLine(StringBuilder text, Report report, Result result)
    {
        var row = Row.Choose(result.Row)[0];
        var ratio = result.Peer == PeerKind.Loxo ? "" : $"{report.Ratio(result.Row, result.Peer):0.00}";
        var calls = Calls(result) + (row.UnitsPerExecution > 1 && result.SystemCalls is not null ? " for all rows" : "");
        text.Append($"| {row.Title} | {result.Peer} | {result.Minimum:0.000} | {result.Median:0.000} | {ratio} | {result.Bytes:0} | {calls} |\n");
    }
}
