using System.Diagnostics;
using System.Text.Json;

namespace Loxo.Benchmarks.Measuring;

/// <summary>Rows that are to have all cores: the program runs once more, with a server of its own, where bench/run's pinning does not hold.</summary>
internal static class AllCores
{
    /// <summary>Set by bench/run when it pins: the cores there were before, as taskset writes them.</summary>
    private const string Variable = "LOXO_BENCH_ALL_CORES";

    private const string Status = "/proc/self/status";
    private const string Allowed = "Cpus_allowed_list:";

    /// <summary>Their numbers.</summary>
    public static string Names { get; } = Environment.GetEnvironmentVariable(Variable) ?? $"0-{Environment.ProcessorCount - 1}";

    /// <summary>The numbers of the cores that this process may use: "Cpus_allowed_list" of proc_pid_status(5).</summary>
    public static string Own { get; } = File.Exists(Status)
        ? File.ReadLines(Status).First(line => line.StartsWith(Allowed, StringComparison.Ordinal))[Allowed.Length..].Trim()
        : Names;

    public static List<Result> Run(Row[] rows, PeerKind[] peers, int rounds)
    {
        var file = Path.GetTempFileName();
        try
        {
            using var process = Process.Start(StartInfo(
            [
                Environment.ProcessPath!, typeof(AllCores).Assembly.Location, "--measure-into", file, "--rounds", $"{rounds}",
                "--rows", string.Join(',', rows.Select(row => row.Id)), "--peers", string.Join(',', peers.Select(peer => peer.Name)),
            ]))!;
            process.WaitForExit();
            return process.ExitCode == 0
                ? JsonSerializer.Deserialize<List<Result>>(File.ReadAllText(file))!
                : throw new InvalidOperationException($"The run on all cores ended with exit code {process.ExitCode}.");
        }
        finally
        {
            File.Delete(file);
        }
    }

    /// <summary>The other side: what is measured goes into the file.</summary>
    public static int Measure(Row[] rows, PeerKind[] peers, int rounds, string file)
    {
        using var server = new BenchServer();
        File.WriteAllText(file, JsonSerializer.Serialize(new Rounds(row => Work.Open(row, peers, server.Target), rounds).Run(rows)));
        return 0;
    }

    private static ProcessStartInfo StartInfo(string[] command) => Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } cores
        ? new ProcessStartInfo("taskset", ["-c", cores, .. command])
        : new ProcessStartInfo(command[0], command[1..]);
}
