using System.Data.Common;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>Physical connections that are opened and closed again.</summary>
internal sealed class Connecting(Func<DbConnection> make) : IPeer
{
    public long Run(int times)
    {
        for (var i = 0; i < times; i++)
        {
            using var connection = make();
            connection.Open();
        }
        return times;
    }

    public async Task<long> RunAsync(int times)
    {
        for (var i = 0; i < times; i++)
        {
            await using var connection = make();
            await connection.OpenAsync();
        }
        return times;
    }

    public void Dispose()
    {
    }
}
