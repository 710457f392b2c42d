namespace Loxo;

/// <summary>The options of the dashboard: see docs/dashboard.md.</summary>
public sealed class PgDashboardOptions
{
    /// <summary>The heading of the page; by default the name of the application.</summary>
    public string? Title { get; set; }

    /// <summary>
    /// The data sources to show; if there is none, the default, those that are registered for dependency injection, with and without a
    /// key. Those must be singletons.
    /// </summary>
    public IList<PgDataSource> DataSources { get; } = [];

    /// <summary>The change streams to show; if there is none, the default, those that are registered for dependency injection.</summary>
    public IList<PgChangeStream> ChangeStreams { get; } = [];

    /// <summary>
    /// Whether the page shows plans: it then sends EXPLAIN for a statement, without ANALYZE, in a read-only transaction that is rolled
    /// back. False by default.
    /// </summary>
    public bool AllowPlans { get; set; }

    /// <summary>The time between two samples, which is that between two updates of the page; 2 seconds by default.</summary>
    public TimeSpan Interval { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>How many samples the charts show; 150 by default, which are 5 minutes.</summary>
    public int Samples { get; set; } = 150;

    /// <summary>How many pages may be updated at a time; further ones are refused with 503. 20 by default.</summary>
    public int MaximumClients { get; set; } = 20;

    /// <summary>How many statements the page shows, those with the longest total time; 100 by default.</summary>
    public int Statements { get; set; } = 100;

    internal PgDashboardOptions Checked()
    {
        if (Interval < TimeSpan.FromMilliseconds(100) || Interval > TimeSpan.FromHours(1))
            throw Wrong(nameof(Interval), Interval, "from 100 ms to 1 hour");
        if (Samples is < 2 or > 10_000)
            throw Wrong(nameof(Samples), Samples, "from 2 to 10,000");
        if (MaximumClients < 1)
            throw Wrong(nameof(MaximumClients), MaximumClients, "1 or more");
        if (Statements is < 1 or > 10_000)
            throw Wrong(nameof(Statements), Statements, "from 1 to 10,000");
        return this;
    }

    private static ArgumentOutOfRangeException Wrong(string option, object value, string range) =>
        new(option, value, $"{nameof(PgDashboardOptions)}.{option} must be {range}.");
}
