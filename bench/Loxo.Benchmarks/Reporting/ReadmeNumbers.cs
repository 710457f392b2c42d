using System.Text;
using Loxo.Benchmarks.Measuring;

namespace Loxo.Benchmarks.Reporting;

/// <summary>One row of README's table.</summary>
/// <param name="Row">The benchmark row.</param>
/// <param name="Title">The operation, for a reader who does not know the benchmark.</param>
/// <param name="Operations">How many of the row's operations the title's operation consists of.</param>
internal sealed record ReadmeRow(string Row, string Title, int Operations = 1)
{
    public string Unit { get; init; } = "µs of CPU";

    /// <summary>Returns the figure to show.</summary>
    public Func<Result, double> Figure { get; init; } = result => result.Minimum;
}

/// <summary>README's numbers: the chart in both themes, and a short table of Loxo beside Npgsql.</summary>
internal static class ReadmeNumbers
{
    public const string ImageFolder = "docs/images";

    private const string OpenQueryClose = "open-query-close";

    private static readonly ReadmeRow[] Table =
    [
        new(OpenQueryClose, "Open a pooled connection, read one row by key, close"),
        new(OpenQueryClose + "-async", "the same, async"),
        new("lookup", "Read one row by key, prepared, connection already open"),
        new("lookup-async", "the same, async"),
        new("rows", "Read 1,000 rows of 5 columns", TestData.RowsRead),
        new("rows-async", "the same, async", TestData.RowsRead),
        new("updates", "Transaction with a batch of 20 updates"),
        new("updates-async", "the same, async"),
        new("dapper", "Dapper: open, query, close") { Unit = "µs elapsed" },
        new(OpenQueryClose, "Memory allocated by open, read one row, close") { Unit = "bytes", Figure = result => result.Bytes },
    ];

    public static string ImageOf(ChartTheme theme) => $"{ImageFolder}/performance-{theme.Name}.svg";

    /// <summary>Whether a report has everything that README shows.</summary>
    public static bool Covers(Report report) => Table.Select(row => row.Row).Concat(Chart.RowIds)
        .All(row => report.Find(row, PeerKind.Loxo) is not null && report.Find(row, PeerKind.Npgsql) is not null);

    public static string Write(Report report)
    {
        var text = new StringBuilder();
        text.Append($"""
            <picture>
              <source media="(prefers-color-scheme: dark)" srcset="{ImageOf(ChartTheme.Dark)}">
              <img src="{ImageOf(ChartTheme.Light)}" width="{Chart.Width}" alt="{Chart.Title}">
            </picture>

            | less is better | unit | Loxo | Npgsql | Loxo / Npgsql |
            |---|---|---:|---:|---:|

            """);
        foreach (var row in Table)
            WriteRow(text, row, report.Find(row.Row, PeerKind.Loxo)!, report.Find(row.Row, PeerKind.Npgsql)!);
        WriteFacts(text, report);
        return text.ToString();
    }

    private static void WriteRow(StringBuilder text, ReadmeRow row, Result loxo, Result npgsql)
    {
        var (ours, theirs) = (row.Figure(loxo) * row.Operations, row.Figure(npgsql) * row.Operations);
        text.Append($"| {row.Title} | {row.Unit} | {Format(ours)} | {Format(theirs)} | {ours / theirs:0.00} |\n");
    }

    private static string Format(double figure) => figure.ToString(figure < 100 ? "0.0" : "#,0");

    private static void WriteFacts(StringBuilder text, Report report)
    {
        var facts = report.Facts;
        text.Append($"\nMeasured on {facts.Date} with {facts.Runtime}, PostgreSQL {facts.Postgres} and Npgsql {facts.Npgsql}, ");
        text.Append($"client and server on one core of an {facts.Cpu};\nbest of {report.Rounds} alternating rounds. ");
        text.Append("CPU is that of the client process; async rows include the time in which thread pool workers spin\n");
        text.Append("while the server works. Both drivers use their default settings");
        var tuned = report.Find(OpenQueryClose, PeerKind.NpgsqlTuned);
        var tunedAsync = report.Find(OpenQueryClose + "-async", PeerKind.NpgsqlTuned);
        if (tuned is not null && tunedAsync is not null)
        {
            text.Append($"; with `{PeerKind.NpgsqlTuned.Note}`, Npgsql\ntakes ");
            text.Append($"{tuned.Minimum:0.0} µs to open, read and close, and {tunedAsync.Minimum:0.0} µs async");
        }
        text.Append(".\n");
    }
}
