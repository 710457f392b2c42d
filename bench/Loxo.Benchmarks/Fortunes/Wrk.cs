using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;

namespace Loxo.Benchmarks.Fortunes;

/// <summary>One run of wrk, which sends requests over all its connections at once, each as soon as its last one is answered.</summary>
/// <param name="Requests">The requests answered.</param>
/// <param name="Microseconds">The time that passed.</param>
/// <param name="P50">The median latency in microseconds.</param>
/// <param name="P99">The latency in microseconds that 1 % of the requests exceed.</param>
/// <param name="P999">The latency in microseconds that 0.1 % of the requests exceed.</param>
internal sealed record Wrk(double Requests, double Microseconds, double P50, double P99, double P999)
{
    public const int Connections = 64;

    public const string Missing = "wrk is missing. Install it: apt-get install wrk";

    private const string Line = "figures ";

    public static bool IsThere
    {
        get
        {
            try
            {
                Start("--version").Dispose();
                return true;
            }
            catch (Win32Exception)
            {
                return false;
            }
        }
    }

    private static string Script => Path.Combine(AppContext.BaseDirectory, "Fortunes", "wrk.lua");

    public static Wrk Run(Uri page, int seconds)
    {
        string[] load = ["--threads", "1", "--connections", $"{Connections}", "--duration", $"{seconds}s"];
        using var process = Start([.. load, "--latency", "--script", Script, page.ToString()]);
        var output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        var figures = Array.Find(output.Split('\n'), line => line.StartsWith(Line, StringComparison.Ordinal))?[Line.Length..].Split(' ')
            ?? throw new InvalidOperationException($"wrk failed with exit code {process.ExitCode}: {output}");
        var numbers = Array.ConvertAll(figures, figure => double.Parse(figure, CultureInfo.InvariantCulture));
        return numbers[2] == 0
            ? new Wrk(numbers[0], numbers[1], numbers[3], numbers[4], numbers[5])
            : throw new InvalidOperationException($"{numbers[2]} requests to {page} failed: {output}");
    }

    private static Process Start(params IEnumerable<string> arguments) =>
        Process.Start(new ProcessStartInfo("wrk", arguments) { RedirectStandardOutput = true })!;
}
