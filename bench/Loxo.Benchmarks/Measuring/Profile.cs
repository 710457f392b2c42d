using System.Diagnostics;

namespace Loxo.Benchmarks.Measuring;

/// <summary>One row in a loop, long enough for a profiler, with what it allocates by type.</summary>
internal static class Profile
{
    public static int Run(Target target, Row row, PeerKind peer, int seconds)
    {
        using var work = Work.Open(row, [peer], target).FirstOrDefault() ?? throw new ArgumentException($"{peer.Name} has no row {row.Id}.");
        for (var pass = 0; pass < 6; pass++)
        {
            work.Run(work.Batch);
            Thread.Sleep(200);
        }
        Console.WriteLine($"{peer.Name}, {row.Id}: process {Environment.ProcessId}, {seconds} s from now.");
        using var allocations = new AllocationListener();
        var samples = new List<Sample>();
        for (var clock = Stopwatch.StartNew(); clock.Elapsed.TotalSeconds < seconds;)
            samples.Add(Meter.Measure(work, row, out _));
        Console.WriteLine($"us of CPU: {samples.Min(sample => sample.Cpu):0.000} at best, {Result.MedianOf([.. samples.Select(sample => sample.Cpu)]):0.000} in the middle");
        Console.WriteLine($"us elapsed: {samples.Min(sample => sample.Elapsed):0.000} at best");
        Console.WriteLine($"bytes: {Result.MedianOf([.. samples.Select(sample => sample.Bytes)]):0.0}");
        allocations.Print(Console.Out);
        return 0;
    }
}
