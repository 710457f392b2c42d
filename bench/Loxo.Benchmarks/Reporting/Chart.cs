using System.Net;
using System.Text;

namespace Loxo.Benchmarks.Reporting;

/// <summary>Draws README's bar chart as SVG: client CPU of Loxo and Npgsql on one linear axis that starts at zero.</summary>
internal sealed class Chart
{
    public const string Title = "Client CPU per operation, microseconds; less is better";

    /// <summary>Width in pixels, about that of a page on GitHub.</summary>
    public const int Width = 840;

    private const int Left = 12;
    private const int AxisLeft = 345;
    private const int AxisRight = 748;
    private const int Top = 58;
    private const int BarHeight = 14;
    private const int BarPitch = BarHeight + 2;
    private const int PairHeight = 2 * BarPitch + 7;
    private const int GroupGap = 16;
    private const int MostTicks = 6;

    private static readonly Group[] Groups =
    [
        new("open-query-close", "Open, read one row, close", "by key, on a pooled connection"),
        new("lookup", "Read one row by key", "prepared, connection already open"),
        new("twelve-rows", "Open, read 12 rows, close", "32 callers share 16 connections"),
        new("rows", "Read 100 rows of 5 columns", "of a result of 1,000 rows", 100),
        new("updates", "One update", "of 20 in a batch, in a transaction", 1.0 / TestData.Updates),
    ];

    private readonly Report _report;
    private readonly ChartTheme _theme;
    private readonly StringBuilder _svg = new();
    private readonly double _tick;
    private readonly int _ticks;

    private Chart(Report report, ChartTheme theme)
    {
        _report = report;
        _theme = theme;
        var most = RowIds.Max(row => Math.Max(Figure(row, PeerKind.Loxo), Figure(row, PeerKind.Npgsql)));
        _tick = TickFor(most);
        _ticks = (int)Math.Ceiling(most / _tick);
    }

    /// <summary>The benchmark rows that the chart shows.</summary>
    public static IEnumerable<string> RowIds => Groups.SelectMany(group => Modes(group).Select(mode => mode.Row));

    private static int AxisBottom => Top + Groups.Length * (2 * PairHeight + GroupGap) - GroupGap + 4;

    private static int Height => AxisBottom + 32;

    public static string Draw(Report report, ChartTheme theme) => new Chart(report, theme).Draw();

    private static (string Name, string Row)[] Modes(Group group) => [("blocking", group.Row), ("async", group.Row + "-async")];

    // The step is 1, 2 or 5 times a power of ten.
    private static double TickFor(double most)
    {
        for (var power = 0.01; ; power *= 10)
        {
            foreach (var step in (double[])[power, 2 * power, 5 * power])
            {
                if (most / step <= MostTicks)
                    return step;
            }
        }
    }

    private string Draw()
    {
        _svg.Append($"""
            <svg xmlns="http://www.w3.org/2000/svg" width="{Width}" height="{Height}" viewBox="0 0 {Width} {Height}" role="img"
              font-size="14" font-family="-apple-system, BlinkMacSystemFont, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif">
            <title>{Title}</title>
            <rect width="{Width}" height="{Height}" fill="{_theme.Background}"/>

            """);
        Text(Left, 28, Title, _theme.Text, "font-size=\"18\" font-weight=\"600\"");
        DrawAxis();
        for (var i = 0; i < Groups.Length; i++)
            DrawGroup(Groups[i], Top + i * (2 * PairHeight + GroupGap), isFirst: i == 0);
        return _svg.Append("</svg>\n").ToString();
    }

    private void DrawAxis()
    {
        for (var i = 0; i <= _ticks; i++)
        {
            var x = X(i * _tick);
            _svg.Append($"<path d=\"M{x:0.#} {Top - 8}V{AxisBottom}\" stroke=\"{(i == 0 ? _theme.Muted : _theme.Grid)}\"/>\n");
            var label = $"{i * _tick:0.##}{(i == _ticks ? " µs" : "")}";
            Text(x, AxisBottom + 18, label, _theme.Muted, "font-size=\"13\" text-anchor=\"middle\"");
        }
    }

    private void DrawGroup(Group group, int top, bool isFirst)
    {
        Text(Left, top + 26, group.Label, _theme.Text, "font-weight=\"600\"");
        Text(Left, top + 46, group.Detail, _theme.Muted, "font-size=\"13\"");
        foreach (var (name, row) in Modes(group))
        {
            Text(AxisLeft - 10, top + BarPitch + 4, name, _theme.Muted, "font-size=\"13\" text-anchor=\"end\"");
            DrawBar(top, row, PeerKind.Loxo, isFirst);
            DrawBar(top + BarPitch, row, PeerKind.Npgsql, isFirst);
            top += PairHeight;
        }
    }

    private void DrawBar(int top, string row, PeerKind peer, bool isNamed)
    {
        var figure = Figure(row, peer);
        var (color, textColor, weight) = peer == PeerKind.Loxo ? (_theme.Loxo, _theme.Loxo, 600) : (_theme.Npgsql, _theme.Muted, 400);
        _svg.Append($"<rect x=\"{AxisLeft}\" y=\"{top}\" width=\"{X(figure) - AxisLeft:0.#}\" height=\"{BarHeight}\" fill=\"{color}\"/>\n");
        // The outline in the background's color keeps grid lines out of the digits.
        var outline = $"stroke=\"{_theme.Background}\" stroke-width=\"4\" paint-order=\"stroke\"";
        var label = isNamed ? $"{figure:0.0} {peer.Name}" : $"{figure:0.0}";
        Text(X(figure) + 6, top + BarHeight - 2, label, textColor, $"font-weight=\"{weight}\" {outline}");
    }

    private void Text(double x, double y, string text, string color, string style) =>
        _svg.Append($"<text x=\"{x:0.#}\" y=\"{y:0.#}\" fill=\"{color}\" {style}>{WebUtility.HtmlEncode(text)}</text>\n");

    private double X(double figure) => AxisLeft + figure / (_ticks * _tick) * (AxisRight - AxisLeft);

    private double Figure(string row, PeerKind peer) =>
        _report.Find(row, peer)!.Minimum * Groups.Single(group => Modes(group).Any(mode => mode.Row == row)).Operations;

    /// <summary>A pair of rows, blocking and async.</summary>
    /// <param name="Row">The blocking benchmark row.</param>
    /// <param name="Label">The operation.</param>
    /// <param name="Detail">Its circumstances.</param>
    /// <param name="Operations">How many of the row's operations the label's operation consists of.</param>
    private sealed record Group(string Row, string Label, string Detail, double Operations = 1);
}
