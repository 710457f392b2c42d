using Loxo.Benchmarks.Fortunes;
using Loxo.Benchmarks.Measuring;

namespace Loxo.Benchmarks.Reporting;

/// <summary>What Loxo is to reach at a row. Figures in microseconds were set on another machine, the ratios beside them hold on any.</summary>
/// <param name="Row">The row.</param>
/// <param name="What">What is counted, in words.</param>
/// <param name="Most">The most it may be.</param>
/// <param name="Reached">The figure of a report; null when it was not measured.</param>
internal sealed record Goal(string Row, string What, double Most, Func<Report, double?> Reached)
{
    private const int ManyObjects = 10_000;

    // A string of 16 characters and an array of three int: header, length and content, in words of eight bytes.
    private const int TextBytes = 56;
    private const int ArrayBytes = 40;

    // "As fast as" another peer of the same row.
    private const double Noise = 0.05;

    public static readonly Goal[] All =
    [
        Ratio("open-query-close", PeerKind.Npgsql, 0.20),
        Ratio("open-query-close", PeerKind.NpgsqlTuned, 0.60),
        Ratio("open-query-close-async", PeerKind.Npgsql, 0.32),
        Ratio("open-query-close-async", PeerKind.NpgsqlTuned, 0.95),
        Ratio("open-query-close-async", PeerKind.Npgsql, 0.32, PeerKind.LoxoReactor),
        Ratio("open-query-close-async", PeerKind.NpgsqlTuned, 0.78, PeerKind.LoxoReactor),
        Bytes("open-query-close", 450),
        Bytes("open-query-close-async", 550),
        Ratio("lookup", PeerKind.Npgsql, 0.55),
        Ratio("lookup", PeerKind.Libpq, 1.0),
        Ratio("lookup-telemetry", PeerKind.Npgsql, 1.25, PeerKind.LoxoTelemetry),
        Bytes("lookup", 0),
        Calls("lookup", 2),
        Ratio("lookup-async", PeerKind.Npgsql, 0.95),
        Ratio("lookup-async", PeerKind.Npgsql, 0.72, PeerKind.LoxoReactor),
        ToBlocking("lookup-async", "lookup", 1.12),
        Bytes("lookup-async", 140),
        Ratio("twelve-rows", PeerKind.Npgsql, 0.65),
        new("twelve-rows", "microseconds more than the floor", 4,
            report => report.Find("twelve-rows", PeerKind.Loxo)?.Minimum - report.Find("twelve-rows", PeerKind.Floor)?.Minimum),
        Ratio("twelve-rows-async", PeerKind.Npgsql, 0.55),
        Ratio("twelve-rows-async", PeerKind.Npgsql, 0.55, PeerKind.LoxoReactor),
        Ratio("join", PeerKind.Npgsql, 0.15),
        Ratio("join-async", PeerKind.Npgsql, 0.15),
        Microseconds("updates", 20),
        Microseconds("updates-async", 20),
        Bytes("updates", 6500),
        Bytes("updates", 0, PeerKind.LoxoReused),
        Ratio("pipeline", PeerKind.Libpq, 1.3),
        Ratio("many", PeerKind.Libpq, 1.2),
        Ratio("many-large", PeerKind.Libpq, 1.2),
        Microseconds("rent", 0.15),
        Ratio("rent", PeerKind.Npgsql, 0.15 / 0.58),
        Microseconds("tasks", 0.75),
        Ratio("tasks", PeerKind.Npgsql, 0.5),
        Bytes("tasks", 200),
        Microseconds("parameters", 50_000),
        Microseconds("parameters-async", 50_000),
        new("objects", $"milliseconds for {ManyObjects:N0}", 1.0, report => report.Find("objects", PeerKind.Loxo)?.Minimum * ManyObjects / 1000),
        Ratio("objects", PeerKind.Npgsql, 1.0 / 1.8),
        Bytes("objects", 130),
        new(Rows.ThreadsGroup, $"time / {PeerKind.Npgsql.Name} at the worst number of threads", 1.0, report => WorstOfCurve(report, PeerKind.Npgsql)),
        new(Rows.ThreadsGroup, $"time / {PeerKind.NpgsqlTuned.Name} at the worst number of threads", 1.0, report => WorstOfCurve(report, PeerKind.NpgsqlTuned)),
        CostOfTls("lookup", TlsRows.Lookup, 0.8),
        CostOfTls("lookup-async", TlsRows.Lookup + "-async", 0.8),
        Ratio("connect", PeerKind.Npgsql, 1.0),
        Ratio("connect-async", PeerKind.Npgsql, 1.0),
        Ratio("connect-elapsed", PeerKind.Npgsql, 1.0),
        Microseconds("rows", 0.12),
        Ratio("rows", PeerKind.Npgsql, 0.4),
        Ratio("rows", PeerKind.Libpq, 0.6),
        ToBlocking("rows-async", "rows", 1.15),
        Microseconds("canned-rows", 0.15),
        Ratio("canned-rows", PeerKind.Npgsql, 0.15 / 0.19),
        Ratio("canned-rows", PeerKind.Floor, 0.15 / 0.10),
        Bytes("canned-rows", TextBytes),
        Microseconds("canned-rows-no-string", 0.07),
        Ratio("canned-rows-no-string", PeerKind.Npgsql, 0.07 / 0.20),
        Ratio("canned-rows-no-string", PeerKind.Floor, 0.07 / 0.03),
        Bytes("canned-rows-no-string", 0),
        Ratio("canned-rows-generic", PeerKind.LoxoTyped, 1.0 + Noise),
        Bytes("canned-rows-generic", TextBytes),
        Bytes("values-read", TextBytes + ArrayBytes),
        Bytes("values-write", 0),
        Microseconds("copy-in", 0.10),
        Ratio("copy-in", PeerKind.Npgsql, 0.10 / 0.72),
        Bytes("copy-in", 0),
        Ratio("copy-in-table", PeerKind.Npgsql, 0.2),
        ToImporter("copy-bulk", 1.5),
        ToImporter("copy-bulk-reader", 2.0),
        Ratio("copy-out", PeerKind.Npgsql, 0.5),
        Ratio("changes", PeerKind.Npgsql, 0.3),
        // Reads of one text are grouped there.
        Ratio(CallersRows.OneCore, PeerKind.NpgsqlMultiplexing, 0.4, PeerKind.LoxoMultiplexing),
        Bytes(CallersRows.OneCore, 20, PeerKind.LoxoMultiplexing),
        OnAllCores(PeerKind.LoxoMultiplexing, 1 / 2.0),
        OnAllCores(PeerKind.LoxoUngrouped, 1 / 1.5),
        Ratio(CallersRows.OneCore, PeerKind.NpgsqlMultiplexing, 0.65, PeerKind.LoxoUngrouped),
        new(DurableRow.Id, $"WAL flushes{Of(PeerKind.LoxoGroupedChanges)}", 1 / 3.0, report => report.Find(DurableRow.Id, PeerKind.LoxoGroupedChanges)?.WalFlushes),
        new(
            DurableRow.Id,
            $"time{Of(PeerKind.LoxoGroupedChanges)} / {PeerKind.LoxoMultiplexing.Name}",
            1 / 2.0,
            report => Median(report, PeerKind.LoxoGroupedChanges) / Median(report, PeerKind.LoxoMultiplexing)),
        Microseconds(CallersRows.Canned, 1.0, PeerKind.LoxoMultiplexing),
        .. LatencyRows.All.Where(row => row.Id.Count('-') == 2)
            .Select(row => Latency(row.Id, "p99.9", latency => latency.P999, PeerKind.LoxoMultiplexing, PeerKind.Loxo, 1.2)),
        .. LatencyRows.All.Where(row => row.Id.Count('-') == 1)
            .Select(row => Latency(row.Id, "p99", latency => latency.P99, PeerKind.LoxoMultiplexing, PeerKind.Loxo, 1.0)),
        // More callers than connections: none may wait far longer than the others.
        Latency($"{LatencyRows.Group}-256", "p99.9", latency => latency.P999, PeerKind.Loxo, PeerKind.NpgsqlTuned, 1.2),
        .. FortunesVariant.All.Where(variant => IsLoxo(variant) && variant.Floor is not null).Select(variant => ToFloor(variant, 1.25)),
        .. FortunesVariant.All.Where(variant => variant.Kind == PeerKind.NpgsqlMultiplexing).Select(variant => ToNpgsql(variant, 0.6)),
        Fortunes("time", Time, PeerKind.LoxoMultiplexingSockets, PeerKind.NpgsqlMultiplexing, 1 / 1.25),
        Fortunes("time", Time, PeerKind.LoxoUngrouped, PeerKind.NpgsqlMultiplexing, 1 / 1.1),
        Fortunes("time", Time, PeerKind.LoxoMultiplexingSockets, PeerKind.NpgsqlTuned, 1 / 2.3),
        Fortunes("server's CPU", result => result.ServerCpu!.Min(), PeerKind.LoxoMultiplexingSockets, PeerKind.NpgsqlMultiplexing, 1.0),
        new(
            FortunesRun.Id,
            $"time of {PeerKind.LoxoMultiplexingSockets.Name} / the better one of {PeerKind.NpgsqlMultiplexing.Name} and {PeerKind.NpgsqlTuned.Name}",
            1 / 1.3,
            report => IsOneCore(report) ? null
                : new[] { PeerKind.NpgsqlMultiplexing, PeerKind.NpgsqlTuned }
                    .Max(other => FortunesRatio(report, Time, PeerKind.LoxoMultiplexingSockets, other))),
        .. FortunesVariant.All.Where(IsMultiplexedReactor).Select(variant => ToSockets(variant, 0.9)),
        RoundTrips("one-by-one", 5),
        RoundTrips("batch", 2),
        RoundTrips("whole", 1),
        RoundTrips("disposed", 1),
        RoundTrips("disposed-next", 2),
        RoundTrips("automatic", 1),
        RoundTrips("prepare", 2),
    ];

    /// <summary>The goal in words.</summary>
    public string Wanted => $"{What}: at most {Most:0.##}";

    /// <summary>One line: reached or not, and the figures. Empty when it was not measured.</summary>
    public string Judge(Report report)
    {
        if (Reached(report) is not { } reached)
            return "";
        return $"- {(Math.Round(reached, 2) <= Math.Round(Most, 2) ? "reached" : "**not reached**")}: {Row}, {What}: {reached:0.##}, at most {Most:0.##} wanted";
    }

    // Loxo's unless another peer is named.
    private static Goal Ratio(string row, PeerKind peer, double most, PeerKind? ours = null) => new(
        row,
        $"{(Rows.Find(row)!.Measure == Measure.Cpu ? "CPU" : "time")}{Of(ours)} / {peer.Name}",
        most,
        report => report.Ratio(row, peer, ours));

    // Awaited on the reactor and blocking.
    private static Goal ToBlocking(string row, string blocking, double most) => new(
        row,
        $"CPU{Of(PeerKind.LoxoReactor)} / {blocking}",
        most,
        report => report.Find(row, PeerKind.LoxoReactor)?.Minimum / report.Find(blocking, PeerKind.Loxo)?.Minimum);

    private static Goal ToImporter(string row, double most) => new(
        row,
        "CPU / copy-in-table",
        most,
        report => report.Find(row, PeerKind.Loxo)?.Minimum / report.Find("copy-in-table", PeerKind.Loxo)?.Minimum);

    // What TLS adds to a row without it; both rows have to be run.
    private static Goal CostOfTls(string row, string overTls, double most) => new(
        overTls,
        $"what TLS adds / what it adds to {PeerKind.Npgsql.Name}",
        most,
        report => Added(report, row, overTls, PeerKind.Loxo) / Added(report, row, overTls, PeerKind.Npgsql));

    private static double? Added(Report report, string row, string overTls, PeerKind peer) =>
        report.Find(overTls, peer)?.Minimum - report.Find(row, peer)?.Minimum;

    private static Goal Microseconds(string row, double most, PeerKind? ours = null) =>
        new(row, $"microseconds{Of(ours)}", most, report => report.Find(row, ours ?? PeerKind.Loxo)?.Minimum);

    private static Goal Latency(
        string row, string name, Func<Latency, double> percentile, PeerKind ours, PeerKind other, double most) => new(
        row,
        $"{name}{Of(ours)} / {other.Name}",
        most,
        report => report.Find(row, ours)?.Milliseconds(percentile) / report.Find(row, other)?.Milliseconds(percentile));

    private static bool IsLoxo(FortunesVariant variant) => variant.Kind.Column == PeerKind.Loxo.Column;

    private static bool IsMultiplexedReactor(FortunesVariant variant) => variant.Sockets == PeerKind.LoxoMultiplexingSockets;

    private static Goal ToFloor(FortunesVariant variant, double most) => new(
        FortunesRun.Id,
        $"database's share of {variant.Name} / {variant.Floor!.Name}",
        most,
        report => FortunesTable.ToFloor(report, variant));

    private static Goal ToNpgsql(FortunesVariant variant, double most) => new(
        FortunesRun.Id,
        $"database's share of {variant.Loxo!.Name} / {variant.Name}",
        most,
        report => FortunesTable.OfLoxo(report, variant));

    // On one core.
    private static Goal Fortunes(string name, Func<Result, double> figure, PeerKind ours, PeerKind other, double most) => new(
        FortunesRun.Id, $"{name} of {ours.Name} / {other.Name}", most, report => IsOneCore(report) ? FortunesRatio(report, figure, ours, other) : null);

    private static double? FortunesRatio(Report report, Func<Result, double> figure, PeerKind ours, PeerKind other) =>
        report.Find(FortunesRun.Id, ours) is { } one && report.Find(FortunesRun.Id, other) is { } theirs ? figure(one) / figure(theirs) : null;

    private static double Time(Result result) => Result.MedianOf(result.Elapsed);

    private static bool IsOneCore(Report report) => report.Facts.Cores.All(char.IsDigit);

    private static Goal ToSockets(FortunesVariant variant, double most) => new(
        FortunesRun.Id,
        $"CPU of {variant.Name} / {variant.Sockets!.Name}",
        most,
        report => FortunesTable.ToSockets(report, variant));

    private static string Of(PeerKind? ours) => ours is null ? "" : $" of {ours.Name}";

    private static Goal OnAllCores(PeerKind ours, double most) => new(
        CallersRows.AllCores,
        $"time{Of(ours)} / {PeerKind.NpgsqlMultiplexing.Name}",
        most,
        report => report.Find(CallersRows.AllCores, ours)?.Elapsed.Min() / report.Find(CallersRows.AllCores, PeerKind.NpgsqlMultiplexing)?.Elapsed.Min());

    private static double? Median(Report report, PeerKind peer) => report.Find(DurableRow.Id, peer)?.Median;

    // A byte or less for each operation is the runtime's own (timers, the compiler's thread).
    private static Goal Bytes(string row, int most, PeerKind? ours = null) =>
        new(row, "bytes" + Of(ours), most, report => report.Find(row, ours ?? PeerKind.Loxo) is { } result ? Math.Floor(result.Bytes) : null);

    private static Goal Calls(string row, int most) =>
        new(row, "system calls", most, report => report.Find(row, PeerKind.Loxo)?.SystemCalls?.Values.Sum());

    private static Goal RoundTrips(string scenario, int most) =>
        new(scenario, "round trips", most, report => report.CountOf(scenario, PeerKind.Loxo)?.Count);

    private static double? WorstOfCurve(Report report, PeerKind peer) =>
        Rows.All.Where(row => row.Threads > 0).Max(row => report.Ratio(row.Id, peer));
}
