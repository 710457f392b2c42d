using System.Data.Common;
using Npgsql;

namespace Loxo.Benchmarks.Peers;

/// <summary>
/// Async callers that insert a row each time, on a server that writes each change to its disk. All drivers run the same code: commands of
/// the data source.
/// </summary>
internal sealed class DurableInserts : IPeer
{
    private const string Create = "CREATE TABLE IF NOT EXISTS durable (id int4 NOT NULL, amount int4 NOT NULL)";
    private const string Insert = "INSERT INTO durable VALUES ($1, $2)";

    private const string Flushes =
        "SELECT CASE WHEN current_setting('server_version_num')::int < 180000 THEN (to_jsonb(w) ->> 'wal_sync')::int8"
        + " ELSE (SELECT sum((to_jsonb(i) ->> 'fsyncs')::int8)::int8 FROM pg_stat_io i WHERE to_jsonb(i) ->> 'object' = 'wal') END FROM pg_stat_wal w";

    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(30);

    private readonly DbDataSource _source;
    private readonly string _name;
    private readonly int _callers;
    private readonly PgConnection _control;

    /// <param name="source">Where the callers' commands come from.</param>
    /// <param name="name">The application's name that its sessions have.</param>
    /// <param name="callers">How many.</param>
    /// <param name="target">The server.</param>
    public DurableInserts(DbDataSource source, string name, int callers, Target target)
    {
        _source = source;
        _name = name;
        _callers = callers;
        _control = new PgConnection(target.With("Pooling=false"));
        _control.Open();
        SetFsync(true);
        Control(Create).ExecuteNonQuery();
    }

    /// <summary>A server process tells its figures when it ends, so the sessions are closed first.</summary>
    public long? WalFlushes
    {
        get
        {
            CloseSessions();
            return (long)Control(Flushes).ExecuteScalar()!;
        }
    }

    public long Run(int times) => throw new NotSupportedException("Inserts are awaited.");

    public async Task<long> RunAsync(int times) =>
        (await Task.WhenAll(Enumerable.Range(0, _callers).Select(caller => Task.Run(() => InsertAsync(caller, times / _callers))))).Sum();

    public void Dispose()
    {
        _source.Dispose();
        SetFsync(false);
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

    private void CloseSessions()
    {
        if (_source is PgDataSource ours)
            ours.Clear();
        else
            ((NpgsqlDataSource)_source).Clear();
        var ended = Control("SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = $1)");
        ended.Parameters.Add(new PgParameter<string> { TypedValue = _name });
        for (var end = DateTime.UtcNow + Longest; !(bool)ended.ExecuteScalar()!; Thread.Sleep(5))
        {
            if (DateTime.UtcNow > end)
                throw new InvalidOperationException($"Sessions of {_name} are still open {Longest.TotalSeconds:0} s after they were closed.");
        }
    }

    private void SetFsync(bool on)
    {
        Control($"ALTER SYSTEM SET fsync = {(on ? "on" : "off")}").ExecuteNonQuery();
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
