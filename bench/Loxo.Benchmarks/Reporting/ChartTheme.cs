namespace Loxo.Benchmarks.Reporting;

/// <summary>The colors of a chart; the backgrounds are GitHub's.</summary>
internal sealed record ChartTheme(string Name)
{
    public static readonly ChartTheme Light = new("light")
    {
        Background = "#ffffff", Text = "#1f2328", Muted = "#59636e", Grid = "#d9dee3", Loxo = "#d1480f", Npgsql = "#a9b2bb",
    };

    public static readonly ChartTheme Dark = new("dark")
    {
        Background = "#0d1117", Text = "#f0f6fc", Muted = "#9aa3ad", Grid = "#2b323a", Loxo = "#ff8a57", Npgsql = "#5d6772",
    };

    public static readonly ChartTheme[] All = [Light, Dark];

    public required string Background { get; init; }

    public required string Text { get; init; }

    /// <summary>Secondary text.</summary>
    public required string Muted { get; init; }

    public required string Grid { get; init; }

    /// <summary>Loxo's bars.</summary>
    public required string Loxo { get; init; }

    /// <summary>Npgsql's bars.</summary>
    public required string Npgsql { get; init; }
}
