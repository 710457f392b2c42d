namespace Loxo.Benchmarks.Reporting;

/// <summary>What Loxo is to reach at a row.</summary>
/// <param name="Row">The row.</param>
/// <param name="What">What is counted, in words.</param>
/// <param name="Most">The most it may be.</param>
/// <param name="Reached">The figure of a report; null when it was not measured.</param>
internal sealed record Goal(string Row, string What, double Most, Func<Report, double?> Reached)
{
    public static readonly Goal[] All =
    [
        Ratio("lookup", PeerKind.Npgsql, 0.55),
        Ratio("lookup", PeerKind.Libpq, 1.0),
        Bytes("lookup", 0),
        Calls("lookup", 2),
        Ratio("lookup-async", PeerKind.Npgsql, 0.95),
        Bytes("lookup-async", 140),
        Ratio("rows", PeerKind.Npgsql, 0.4),
        Ratio("rows", PeerKind.Libpq, 0.6),
    ];

    /// <summary>One line: met or missed, and by how much. Empty when it was not measured.</summary>
    public string Judge(Report report)
    {
        if (Reached(report) is not { } reached)
            return "";
        return $"- {(Math.Round(reached, 2) <= Most ? "met" : "**missed**")}: {Row}, {What}: {reached:0.##}, at most {Most:0.##} wanted";
    }

    private static Goal Ratio(string row, string peer, double most) => new(row, $"CPU / {peer}", most, report => report.Ratio(row, peer));

    // A byte or less for each operation is the runtime's own (timers, the compiler's thread).
    private static Goal Bytes(string row, int most) =>
        new(row, "bytes", most, report => report.Find(row, PeerKind.Loxo) is { } result ? Math.Floor(result.Bytes) : null);

    private static Goal Calls(string row, int most) =>
        new(row, "system calls", most, report => report.Find(row, PeerKind.Loxo)?.SystemCalls?.Values.Sum());
}
