namespace Loxo.Benchmarks.Peers.Native;

/// <summary>Physical connections of libpq that are opened and closed again.</summary>
internal sealed class LibpqConnecting(Target target) : IPeer
{
    private readonly Target _target = target with { User = BenchServer.PasswordRole };

    public long Run(int times)
    {
        for (var i = 0; i < times; i++)
            new LibpqConnection(_target, $"password={BenchServer.Password}").Dispose();
        return times;
    }

    public Task<long> RunAsync(int times) => throw new NotSupportedException("libpq blocks.");

    public void Dispose()
    {
    }
}
