using System.Data.Common;

namespace Loxo.Benchmarks.Peers;

/// <summary>
/// Async callers that insert a row each time, on a server that writes each change to its disk. All drivers run the same code: commands of
/// the data source.
/// </summary>
internal sealed class DurableInserts : IPeer
{
    private const string Create = "CREATE TABLE IF NOT EXISTS durable (id int4 NOT NULL, amount int4 NOT NULL)";
    private const string Insert = "INSERT INTO durable VALUES ($1, $2)";

    private const string Flushes = "SELECT wal_sync FROM pg_stat_wal";
    private const string FlushesSince18 = "SELECT sum(fsyncs)::int8 FROM pg_stat_io WHERE object = 'wal'";

    // A server process tells its figures at the end of a transaction, once a second (PGSTAT_MIN_INTERVAL in pgstat.c).
    private static readonly TimeSpan BetweenReports = TimeSpan.FromSeconds(1.2);

    private readonly DbDataSource _source;
    private readonly int _callers;
    private readonly PgConnection _control;

    /// <param name="source">Where the callers' commands come from.</param>
    /// <param name="callers">How many.</param>
    /// <param name="target">The server.</param>
    public DurableInserts(DbDataSource source, int callers, Target target)
    {
        _source = source;
        _callers = callers;
        _control = new PgConnection(target.With("Pooling=false"));
        _control.Open();
        SetDurable(true);
        Control(Create).ExecuteNonQuery();
    }

    /// <summary>Each caller inserts one more row first, so that the sessions tell what they have flushed so far.</summary>
    public long? WalFlushes
    {
        get
        {
            Thread.Sleep(BetweenReports);
            RunAsync(_callers).GetAwaiter().GetResult();
            return (long)Control(_control.PostgreSqlVersion.Major < 18 ? Flushes : FlushesSince18).ExecuteScalar()!;
        }
    }

    public long Run(int times) => throw new NotSupportedException("Inserts are awaited.");

    public async Task<long> RunAsync(int times) =>
        (await Task.WhenAll(Enumerable.Range(0, _callers).Select(caller => Task.Run(() => InsertAsync(caller, times / _callers))))).Sum();

    public void Dispose()
    {
        _source.Dispose();
        SetDurable(false);
        _control.Dispose();
    }

    private async Task<long> InsertAsync(int caller, int times)
    {
        long sum = 0;
        for (var n = 0; n < times; n++)
        {
            await using var command = _source.CreateCommand(Insert);
            Add(command, caller);
            Add(command, n);
            sum += await command.ExecuteNonQueryAsync();
        }
        return sum;
    }

    // A commit waits for the disk only with both settings.
    private void SetDurable(bool on)
    {
        foreach (var setting in new[] { "fsync", "synchronous_commit" })
            Control($"ALTER SYSTEM SET {setting} = {(on ? "on" : "off")}").ExecuteNonQuery();
        Control("SELECT pg_reload_conf()").ExecuteNonQuery();
    }

    private PgCommand Control(string sql) => new(sql, _control);

    private static void Add(DbCommand command, int value)
    {
        var parameter = command.CreateParameter();
        parameter.Value = value;
        command.Parameters.Add(parameter);
    }
}
