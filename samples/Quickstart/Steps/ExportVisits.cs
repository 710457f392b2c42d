using System.Diagnostics;
using System.Globalization;

namespace Quickstart.Steps;

/// <summary>The way back: rows as objects, one after the other, in memory that does not grow with their number.</summary>
internal static class ExportVisits
{
    public static async Task<string> Run(ShopDatabase database, CancellationToken token)
    {
        var start = Stopwatch.GetTimestamp();
        using var progress = new ProgressBar("exporting", LoadVisits.Rows);
        var (rows, seconds) = (0L, 0.0);
        await foreach (var visit in database.DataSource.ExportAsync<Visit>("visits", token))
        {
            seconds += visit.Seconds;
            if (++rows % 5000 == 0)
                progress.Report(rows);
        }
        return string.Create(CultureInfo.InvariantCulture,
            $"{rows:N0} rows exported, {rows / Stopwatch.GetElapsedTime(start).TotalSeconds:N0} per second; {seconds / rows:N1} seconds each on average");
    }
}
