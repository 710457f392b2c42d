using System.Data.Common;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>Connection objects that are made and never opened.</summary>
internal sealed class ConnectionObjects(Func<DbConnection> make) : IPeer
{
    public long Run(int times)
    {
        for (var i = 0; i < times; i++)
            GC.KeepAlive(make());
        return times;
    }

    public Task<long> RunAsync(int times) => throw new NotSupportedException("Nothing is awaited.");

    public void Dispose()
    {
    }
}
