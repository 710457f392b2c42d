using System.Globalization;
using Loxo.Pooling;

namespace Loxo.Health;

/// <summary>One round trip to the server of a data source, and what there is to say about it.</summary>
internal sealed class Probe(PgDataSource source)
{
    private volatile bool _isRented;
    private string _address = "";
    private string _database = "";

    /// <summary>The server and the database, for people.</summary>
    public string Server => _address.Length == 0 ? "PostgreSQL" : $"PostgreSQL at {_address}, database '{_database}'";

    public async Task RunAsync(CancellationToken token)
    {
        var connection = source.CreateConnection();
        await using (connection.ConfigureAwait(false))
        {
            (_address, _database) = (connection.DataSource, connection.Database);
            await connection.OpenAsync(token).ConfigureAwait(false);
            _isRented = true;
            _address = connection.DataSource;
            var command = new PgCommand("SELECT 1", connection);
            await using (command.ConfigureAwait(false))
                await command.ExecuteScalarAsync(token).ConfigureAwait(false);
        }
    }

    /// <summary>Describes the pool if the round trip failed because all its connections were in use; otherwise null.</summary>
    /// <param name="error">The exception that ended the round trip, or the wait for it.</param>
    public string? Exhaustion(Exception error)
    {
        if (_isRented || error is not (OperationCanceledException or PgException { Code: PgErrorCode.PoolExhausted }))
            return null;
        var pool = (error.InnerException as PoolExhaustedException)?.Statistics ?? source.GetPoolStatistics();
        if (pool is null || pool.Busy < pool.MaximumSize)
            return null;
        var oldest = pool.OldestRents is [var rent, ..]
            ? string.Create(CultureInfo.InvariantCulture, $", the first of them for {rent.Age.TotalSeconds:0.0} s")
            : "";
        return string.Create(CultureInfo.InvariantCulture,
            $"the pool is exhausted: all {pool.MaximumSize} connections are in use{oldest}, and the server was not asked.");
    }

    /// <summary>Where the server is, and the numbers of the pool if there is one.</summary>
    public Dictionary<string, object> Data()
    {
        var data = new Dictionary<string, object> { ["host"] = _address, ["database"] = _database };
        if (source.GetPoolStatistics() is not { } pool)
            return data;
        data["pool"] = pool.Name;
        data["minimum"] = pool.MinimumSize;
        data["maximum"] = pool.MaximumSize;
        data["total"] = pool.Total;
        data["idle"] = pool.Idle;
        data["busy"] = pool.Busy;
        data["opening"] = pool.Opening;
        data["waiting"] = pool.Waiting;
        data["rented"] = pool.Rented;
        data["opened"] = pool.Opened;
        data["openFailed"] = pool.OpenFailed;
        data["timedOut"] = pool.TimedOut;
        data["abandoned"] = pool.Abandoned;
        return data;
    }
}
