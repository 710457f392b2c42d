using System.ComponentModel;
using System.Diagnostics;

namespace Loxo.Benchmarks.Measuring;

/// <summary>Counts system calls: the program runs once more, under strace, and the trace is cut at its marks.</summary>
internal static class SystemCalls
{
    // Fewer are by the way: a timer, the compiler's thread.
    private const double Noise = 0.05;

    // Callers that share connections share their system calls too.
    private const double NoiseOfCallers = 0.002;

    /// <summary>Adds the system calls to the results of this program.</summary>
    public static void Count(Target target, List<Result> results)
    {
        var program = typeof(SystemCalls).Assembly.Location;
        var peers = results.Select(result => result.Peer).Distinct();
        foreach (var (row, peer, calls) in Count(target, results.Select(result => result.Row).Distinct(), peers, program))
        {
            if (results.Find(result => result.Row == row && result.Peer == peer) is { } result)
                result.SystemCalls = calls;
        }
    }

    /// <summary>The system calls of each peer at each row, for each execution; empty if strace is missing.</summary>
    public static List<(string Row, string Peer, SortedDictionary<string, double> Calls)> Count(
        Target target, IEnumerable<string> rows, IEnumerable<string> peers, string program)
    {
        var file = Path.GetTempFileName();
        try
        {
            string[] options = ["--traced-by", target.ToString(), "--rows", string.Join(',', rows), "--peers", string.Join(',', peers)];
            if (!Trace([program, .. options], file))
                return [];
            return [.. Read(file).Select(read => (read.Row, read.Peer, PerExecution(read.Calls, Rows.Find(read.Row)!)))];
        }
        finally
        {
            File.Delete(file);
        }
    }

    /// <summary>The calls between each pair of marks in a trace of <c>strace -f -o</c>.</summary>
    public static IEnumerable<(string Row, string Peer, Dictionary<string, int> Calls)> Read(string file)
    {
        Dictionary<string, int>? calls = null;
        foreach (var line in File.ReadLines(file))
        {
            // "123   sendto(42, ..."; a call that another thread's line interrupts is shown again as "<... sendto resumed>".
            var call = line[(line.IndexOf(' ') + 1)..].TrimStart();
            var bracket = call.IndexOf('(');
            if (bracket <= 0 || call[0] is '<' or '+' or '-')
                continue;
            var mark = call.IndexOf(TracedRun.Mark, StringComparison.Ordinal);
            if (mark < 0)
            {
                if (calls is not null)
                    calls[call[..bracket]] = calls.GetValueOrDefault(call[..bracket]) + 1;
                continue;
            }
            var parts = call[(mark + TracedRun.Mark.Length)..call.IndexOf('"', mark)].Split('/');
            if (parts[0] == "end" && calls is not null)
                yield return (parts[1], parts[2], calls);
            calls = parts[0] == "begin" ? [] : null;
        }
    }

    private static SortedDictionary<string, double> PerExecution(Dictionary<string, int> calls, Row row)
    {
        var executions = TracedRun.Executions(row);
        var noise = row.Callers > 0 ? NoiseOfCallers : Noise;
        var counted = new SortedDictionary<string, double>(StringComparer.Ordinal);
        foreach (var (name, count) in calls)
        {
            if ((double)count / executions >= noise)
                counted[name] = (double)count / executions;
        }
        return counted;
    }

    private static bool Trace(string[] command, string file)
    {
        string[] arguments = ["-f", "-q", "-o", file, Environment.ProcessPath!, .. command];
        try
        {
            // Without tiers nothing is compiled while calls are counted.
            var start = new ProcessStartInfo("strace", arguments) { Environment = { ["DOTNET_TieredCompilation"] = "0" } };
            using var process = Process.Start(start)!;
            process.WaitForExit();
            return process.ExitCode == 0;
        }
        catch (Win32Exception)
        {
            Console.WriteLine("strace is missing, so system calls were not counted.");
            return false;
        }
    }
}
