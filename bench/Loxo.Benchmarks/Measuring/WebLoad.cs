namespace Loxo.Benchmarks.Measuring;

/// <summary>What a round of requests to a web application shows besides the application's own CPU.</summary>
/// <param name="ServerCpu">Microseconds of CPU of all processes of the database server, for each request.</param>
/// <param name="P50">The median latency in microseconds.</param>
/// <param name="P99">The latency in microseconds that 1 % of the requests exceed.</param>
/// <param name="P999">The latency in microseconds that 0.1 % of the requests exceed.</param>
internal sealed record WebLoad(double ServerCpu, double P50, double P99, double P999);
