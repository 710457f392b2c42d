using System.Text;
using Loxo.Benchmarks.Measuring;

namespace Loxo.Benchmarks.Against;

/// <summary>
/// Compares this build of Loxo with an earlier one. A second process of this build shows how far identical builds differ.
/// </summary>
internal static class Comparison
{
    /// <summary>The option by which bench/run passes the benchmark built with the earlier Loxo.</summary>
    public const string EarlierOption = "--earlier-program";

    private const string Before = "before";
    private const string After = "after";
    private const string Again = "after, again";
    private const double LeastRatio = 1.03;
    // Where bytes and calls are counted, a few more come from the runtime, such as a pool that grows.
    private const double MoreBytes = 1.01;
    private const double FewBytes = 8;
    private const double MoreCalls = 1.05;

    private static string ThisProgram => typeof(Comparison).Assembly.Location;

    /// <summary>Runs the rows that need one core and prints the comparison.</summary>
    /// <returns>The exit code: 1 if a row is slower or takes more than before, 2 if nothing can be compared.</returns>
    public static int Run(Selection chosen, int rounds, string? earlierProgram, bool trace)
    {
        if (earlierProgram is null)
            return Fail("--against works only through ./bench/run, which builds the commit.");
        if (chosen.Unpinned.Length > 0)
            Console.WriteLine($"Not compared, because they need all cores: {string.Join(", ", chosen.Unpinned.Select(row => row.Id))}");
        var rows = chosen.Pinned;
        if (rows.Length == 0)
            return Fail("--against needs a row that runs on one core; --list shows the rows.");
        using var server = new BenchServer();
        var results = Measure(server.Target, rows, rounds, earlierProgram);
        if (trace)
        {
            CountCalls(server.Target, results, Before, earlierProgram);
            CountCalls(server.Target, results, After, ThisProgram);
        }
        var compared = Array.ConvertAll(rows, row => ComparedRow.Of(results, row));
        Console.WriteLine();
        Console.WriteLine(Table(compared, rounds));
        return compared.Any(row => row.Worse.Length > 0) ? 1 : 0;
    }

    private static int Fail(string message)
    {
        Console.Error.WriteLine(message);
        return 2;
    }

    private static List<Result> Measure(Target target, Row[] rows, int rounds, string earlierProgram)
    {
        using var before = new BuildProcess(Before, earlierProgram, target);
        using var after = new BuildProcess(After, ThisProgram, target);
        using var again = new BuildProcess(Again, ThisProgram, target);
        return new Rounds(row => [before.Open(row), after.Open(row), again.Open(row)], rounds).Run(rows);
    }

    private static void CountCalls(Target target, List<Result> results, string build, string program)
    {
        var measured = results.FindAll(result => result.Peer == build);
        foreach (var (row, _, calls) in SystemCalls.Count(target, measured.Select(result => result.Row), [PeerKind.Loxo.Name], program))
            measured.Find(result => result.Row == row)!.SystemCalls = calls;
    }

    private static string Table(ComparedRow[] rows, int rounds)
    {
        var text = new StringBuilder();
        text.Append($"Minimum of {rounds} rounds, in microseconds of client CPU (elapsed time on rows that say so), for each operation. ");
        text.Append("Noise is the larger minimum of two identical builds divided by the smaller one.\n\n");
        text.Append("| row | before | after | after / before | noise | bytes before | after | system calls before | after | |\n");
        text.Append("|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
        foreach (var row in rows)
        {
            var (before, after) = (row.Before, row.After);
            text.Append($"| {before.Row} | {before.Minimum:0.000} | {after.Minimum:0.000} | {row.Ratio:0.000} | {row.Noise:0.000} ");
            text.Append($"| {before.Bytes:0} | {after.Bytes:0} | {Calls(before)} | {Calls(after)} ");
            text.Append(row.Worse.Length > 0 ? $"| **{row.Worse}** |\n" : "| |\n");
        }
        var worse = rows.Where(row => row.Worse.Length > 0).Select(row => $"{row.Before.Row} ({row.Worse})").ToArray();
        text.Append(worse.Length > 0 ? $"\nWorse than before: {string.Join(", ", worse)}" : "\nNo row is worse than before");
        text.Append($". A row counts as slower if its ratio exceeds {LeastRatio:0.00} and the noise. ");
        text.Append($"It takes more bytes if they grow by more than {MoreBytes - 1:P0} and {FewBytes:0} bytes in both identical builds, ");
        return text.Append($"and more system calls, which are counted with strace only, if they grow by more than {MoreCalls - 1:P0}.").ToString();
    }

    private static string Calls(Result result) => result.SystemCalls is { } calls ? $"{calls.Values.Sum():0.0}" : "";

    /// <summary>The minima of one row.</summary>
    private sealed record ComparedRow(Result Before, Result After, Result Again)
    {
        public double Ratio => After.Minimum / Before.Minimum;

        public double Noise => Math.Max(After.Minimum, Again.Minimum) / Math.Min(After.Minimum, Again.Minimum);

        /// <summary>What is worse than before; empty for nothing.</summary>
        public string Worse => string.Join(", ", new[]
        {
            IsSlower ? "slower" : "",
            TakesMoreBytes ? "more bytes" : "",
            NeedsMoreCalls ? "more system calls" : "",
        }.Where(reason => reason.Length > 0));

        private bool IsSlower => Ratio > Math.Max(LeastRatio, Noise);

        private bool TakesMoreBytes => Math.Min(After.Bytes, Again.Bytes) > Math.Max(Before.Bytes * MoreBytes, Before.Bytes + FewBytes);

        private bool NeedsMoreCalls => After.SystemCalls?.Values.Sum() > Before.SystemCalls?.Values.Sum() * MoreCalls;

        public static ComparedRow Of(List<Result> results, Row row)
        {
            return new ComparedRow(Find(Comparison.Before), Find(Comparison.After), Find(Comparison.Again));

            Result Find(string build) => results.Single(result => result.Row == row.Id && result.Peer == build);
        }
    }
}
