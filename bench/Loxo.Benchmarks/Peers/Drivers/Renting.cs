using Npgsql;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>A connection object is made, opened from the pool and closed; nothing is asked of the server.</summary>
internal sealed class LoxoRenting(string connectionString, bool yields) : IPeer
{
    public long Run(int times)
    {
        for (var i = 0; i < times; i++)
        {
            using var connection = new PgConnection(connectionString);
            connection.Open();
        }
        return times;
    }

    public async Task<long> RunAsync(int times)
    {
        for (var i = 0; i < times; i++)
        {
            await using var connection = new PgConnection(connectionString);
            await connection.OpenAsync();
            if (yields)
                await Task.Yield();
        }
        return times;
    }

    public void Dispose() => Pools.ClearLoxo(connectionString);
}

/// <summary>The same.</summary>
internal sealed class NpgsqlRenting(string connectionString, bool yields) : IPeer
{
    public long Run(int times)
    {
        for (var i = 0; i < times; i++)
        {
            using var connection = new NpgsqlConnection(connectionString);
            connection.Open();
        }
        return times;
    }

    public async Task<long> RunAsync(int times)
    {
        for (var i = 0; i < times; i++)
        {
            await using var connection = new NpgsqlConnection(connectionString);
            await connection.OpenAsync();
            if (yields)
                await Task.Yield();
        }
        return times;
    }

    public void Dispose() => Pools.ClearNpgsql(connectionString);
}
