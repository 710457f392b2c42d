using System.Globalization;
using System.Text;

namespace Loxo.Benchmarks.Reporting;

/// <summary>Inserts that the server writes to its disk, as Markdown.</summary>
internal static class DurableTable
{
    public static void Write(StringBuilder text, Report report)
    {
        var results = report.Results.Where(result => result.Row == DurableRow.Id).ToArray();
        if (results.Length == 0)
            return;
        text.Append($"\n{DurableRow.Row.Title}, on all cores ({report.Facts.Cores}); medians of the rounds. ");
        text.Append("The server counts the flushes of its log (`pg_stat_wal`).\n\n");
        text.Append("| peer | inserts per second | WAL flushes per insert | client CPU, us |\n|---|---:|---:|---:|\n");
        foreach (var result in results)
        {
            var perSecond = (1_000_000 / result.Median).ToString("N0", CultureInfo.InvariantCulture);
            text.Append($"| {result.Peer} | {perSecond} | {result.WalFlushes:0.000} | {Measuring.Result.MedianOf(result.Cpu):0.0} |\n");
        }
    }
}
