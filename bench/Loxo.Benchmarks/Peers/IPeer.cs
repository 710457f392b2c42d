namespace Loxo.Benchmarks.Peers;

/// <summary>One way to talk to the server, on a connection of its own. Both methods may return null: this peer cannot do that.</summary>
internal interface IPeer : IDisposable
{
    /// <summary>Does the work so many times, blocking, and returns the sum of all numbers and text lengths read.</summary>
    Func<int, long>? Blocking(Workload workload);

    /// <summary>The same, awaited.</summary>
    Func<int, Task<long>>? Async(Workload workload);
}
