using Loxo.Benchmarks.Measuring;

namespace Loxo.Benchmarks.Peers;

/// <summary>One way to do one kind of work, on connections of its own.</summary>
internal interface IPeer : IDisposable
{
    /// <summary>Does the work so many times, blocking, and returns the sum of all numbers and text lengths read.</summary>
    long Run(int times);

    /// <summary>The same, awaited.</summary>
    Task<long> RunAsync(int times);

    /// <summary>Sends and receives so far; null when the peer does not count them.</summary>
    SocketCalls? Calls => null;

    /// <summary>How long the callers of the last run waited; null when the peer does not measure it.</summary>
    Latency? Latency => null;

    /// <summary>How often the server has flushed its log to the disk so far; null when the peer does not count that.</summary>
    long? WalFlushes => null;
}
