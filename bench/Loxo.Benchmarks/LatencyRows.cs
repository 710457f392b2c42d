using System.Data.Common;
using Loxo.Benchmarks.Peers;
using Npgsql;

namespace Loxo.Benchmarks;

/// <summary>The rows about how long callers wait, with a pool and with shared connections; slow statements may hold up others.</summary>
internal static class LatencyRows
{
    /// <summary>The name of all rows together.</summary>
    public const string Group = "latency";

    private static readonly (PeerKind Kind, Func<string, DbDataSource> Create)[] Drivers =
    [
        (PeerKind.Loxo, PgDataSource.Create),
        (PeerKind.LoxoMultiplexing, PgDataSource.Create),
        (PeerKind.NpgsqlTuned, NpgsqlDataSource.Create),
        (PeerKind.NpgsqlMultiplexing, NpgsqlDataSource.Create),
    ];

    public static readonly Row[] All = [.. new[] { 64, 256 }.SelectMany(Of)];

    private static Row[] Of(int callers) =>
    [
        Lookups(callers, "", "no statement sleeps", Sleepers.None),
        Lookups(callers, "-statement", "1 in 1,000 sleeps, a text of its own", Sleepers.Statement),
        Lookups(callers, "-parameter", "1 in 1,000 sleeps, by a parameter", Sleepers.Parameter),
    ];

    private static Row Lookups(int callers, string suffix, string sleeping, Sleepers sleepers)
    {
        var entrants = Drivers.Select(driver => new Entrant(
            driver.Kind, target => new TimedCallers(driver.Create(target.With(driver.Kind.Settings)), callers, sleepers)));
        return new Row($"{Group}-{callers}{suffix}", $"{callers} callers; {sleeping}", IsAsync: true, 25_600, [.. entrants])
        {
            Measure = Measure.Elapsed,
            Callers = callers,
            HasAllCores = true,
            MeasuresLatency = true,
        };
    }
}
