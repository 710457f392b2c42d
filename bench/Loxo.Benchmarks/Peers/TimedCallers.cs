using System.Data.Common;
using System.Diagnostics;
using Loxo.Benchmarks.Measuring;

namespace Loxo.Benchmarks.Peers;

/// <summary>Which lookups sleep on the server.</summary>
internal enum Sleepers
{
    None,

    /// <summary>One in a thousand; it is a statement of its own, so a driver can learn that it is slow.</summary>
    Statement,

    /// <summary>One in a thousand; only a parameter tells it from the others.</summary>
    Parameter,
}

/// <summary>
/// Async callers that measure how long each of their lookups takes, from opening a connection to closing it. Those that sleep on the server
/// are not counted: the others show how far they are held up. All drivers run the same code.
/// </summary>
internal sealed class TimedCallers(DbDataSource source, int callers, Sleepers sleepers) : IPeer
{
    private const int SleepEvery = 1_000;
    private const double SleepSeconds = 0.1;
    private const string SleepingLookup = "SELECT id, amount FROM item, pg_sleep($2) WHERE id = $1";

    private static readonly string Lookup = TestData.Sql(Workload.Lookup);
    // Another text with the same meaning.
    private static readonly string Sleep = SleepingLookup + " AND $2 > 0";

    private long[] _ticks = [];

    public Latency? Latency => Measuring.Latency.Of([.. _ticks.Where((_, n) => !Sleeps(n))]);

    public long Run(int times) => throw new NotSupportedException("Latencies are measured with async callers.");

    public async Task<long> RunAsync(int times)
    {
        _ticks = new long[times];
        return (await Task.WhenAll(Enumerable.Range(0, callers).Select(caller => Task.Run(() => CallAsync(caller))))).Sum();
    }

    public void Dispose() => source.Dispose();

    private async Task<long> CallAsync(int caller)
    {
        long sum = 0;
        for (var n = caller; n < _ticks.Length; n += callers)
        {
            var start = Stopwatch.GetTimestamp();
            sum += await LookUpAsync(n);
            _ticks[n] = Stopwatch.GetTimestamp() - start;
        }
        return sum;
    }

    private async Task<long> LookUpAsync(int n)
    {
        await using var connection = await source.OpenConnectionAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = sleepers switch
        {
            Sleepers.Statement when Sleeps(n) => Sleep,
            Sleepers.Parameter => SleepingLookup,
            _ => Lookup,
        };
        Add(command, TestData.Key(n, Workload.Lookup));
        if (command.CommandText != Lookup)
            Add(command, Sleeps(n) ? SleepSeconds : 0.0);
        long sum = 0;
        await using var reader = await command.ExecuteReaderAsync();
        while (await reader.ReadAsync())
            sum += reader.GetInt32(0) + reader.GetInt64(1);
        return sum;
    }

    private bool Sleeps(int n) => sleepers != Sleepers.None && n % SleepEvery == SleepEvery / 2;

    private static void Add(DbCommand command, object value)
    {
        var parameter = command.CreateParameter();
        parameter.Value = value;
        command.Parameters.Add(parameter);
    }
}
