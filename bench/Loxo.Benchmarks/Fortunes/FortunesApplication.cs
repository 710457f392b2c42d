using System.Diagnostics;
using Loxo.Benchmarks.Measuring;
using Loxo.Benchmarks.Reporting;

namespace Loxo.Benchmarks.Fortunes;

/// <summary>
/// One variant of the application: a process of its own, which stays up for all rounds. It is measured while wrk sends requests.
/// </summary>
internal sealed class FortunesApplication : IParticipant
{
    private static readonly HttpClient Client = new();

    private readonly Process _process;
    private readonly BenchServer _server;
    private readonly Uri _page;
    private readonly int _seconds;

    public FortunesApplication(PeerKind kind, BenchServer server, int seconds)
    {
        Name = kind.Name;
        _server = server;
        _seconds = seconds;
        string[] variant = kind.Column == PeerKind.Floor.Column
            ? [kind.Name, server.Target.ToString()]
            : kind == PeerKind.LoxoUngrouped ? [kind.Name.ToLowerInvariant(), server.Target.ConnectionString]
            : [kind.Column.ToLowerInvariant(), server.Target.With(kind.Settings)];
        _process = Process.Start(new ProcessStartInfo(Environment.ProcessPath!, [Program, .. variant])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        })!;
        var port = _process.StandardOutput.ReadLine() ?? throw new InvalidOperationException($"The application for {Name} did not start.");
        _page = new Uri($"http://127.0.0.1:{port}/fortunes");
    }

    public string Name { get; }

    public int Batch => 1;

    // bench/run builds it.
    private static string Program => Path.Combine(ResultFiles.Root(), "bench/Loxo.Fortunes/bin/Release/net10.0/Loxo.Fortunes.dll");

    /// <inheritdoc/>
    /// <remarks>The sum is the page's hash code, so all variants must have the same page.</remarks>
    public Sample Measure(out long sum)
    {
        sum = ReadPage().GetHashCode(StringComparison.Ordinal);
        var server = _server.CpuTime();
        var cpu = CpuClock.Of(_process.Id);
        var load = Wrk.Run(_page, _seconds);
        cpu = CpuClock.Of(_process.Id) - cpu;
        server = _server.CpuTime() - server;
        return new Sample(cpu / load.Requests / 1000, load.Microseconds / load.Requests, Bytes: 0)
        {
            Latency = new Latency(load.P50, load.P99, load.P999),
            ServerCpu = Math.Round(server / load.Requests / 1000, 4),
        };
    }

    public void Dispose()
    {
        _process.StandardInput.Close();
        _process.WaitForExit();
        _process.Dispose();
    }

    // As many requests at once as wrk sends.
    private string ReadPage()
    {
        var reading = Task.WhenAll(Enumerable.Range(0, Wrk.Connections).Select(_ => Client.GetStringAsync(_page)));
        var pages = reading.GetAwaiter().GetResult();
        return Array.TrueForAll(pages, page => page == pages[0])
            ? pages[0]
            : throw new InvalidOperationException($"{Name} has answered requests with different pages.");
    }
}
