using System.Collections.Concurrent;

namespace Loxo.IntegrationTests.Differential;

/// <summary>A line that the drivers disagree about.</summary>
/// <param name="Step">The step, or null for the end of the program and the tables.</param>
internal sealed record Difference(Step? Step, string Npgsql, string Loxo)
{
    /// <summary>What stands behind a step that threw, in <see cref="Earlier"/>.</summary>
    public const string Failed = " // throws";

    /// <summary>Whether Loxo's reader stood on a result before the step.</summary>
    public bool WasReading { get; init; }

    /// <summary>The texts of the steps before this one.</summary>
    public IReadOnlyList<string> Earlier { get; init; } = [];

    /// <summary>Whether Loxo's reader threw a server error in an earlier step.</summary>
    public bool ReaderHasFailed { get; init; }

    /// <summary>The end of the connection string.</summary>
    public string Keywords { get; init; } = "";

    /// <summary>The texts of the exceptions of both drivers.</summary>
    public string Messages { get; init; } = "";

    /// <summary>The same for differences that probably have one cause.</summary>
    public string Kind => string.Concat($"{Step?.Text.Split('(', '=')[0]} {Npgsql} {Loxo}".Where(one => !char.IsAsciiDigit(one)));

    /// <summary>Whether a step is a call of the reader.</summary>
    public static bool UsesReader(Step? step) => step is { Text: var text } && (text.StartsWith("r.", StringComparison.Ordinal)
        || text.StartsWith("r[", StringComparison.Ordinal) || text.Contains("(r)", StringComparison.Ordinal)
        || text.Contains(" in r)", StringComparison.Ordinal));

    public override string ToString() => $"at {Step?.Text ?? "the end"}\n  Npgsql: {Npgsql}\n  Loxo:   {Loxo}{Messages}";
}

/// <summary>Compares what the drivers did, step by step.</summary>
internal static class Comparison
{
    /// <summary>The differences of the first step that has any which is not intended.</summary>
    /// <param name="keywords">The end of the connection string.</param>
    /// <param name="npgsql">What Npgsql did.</param>
    /// <param name="loxo">What Loxo did.</param>
    /// <param name="used">Receives the intended differences that were met.</param>
    public static IReadOnlyList<Difference> Compare(
        string keywords, IReadOnlyList<Observation> npgsql, IReadOnlyList<Observation> loxo, IProducerConsumerCollection<IntendedDifference> used)
    {
        for (var i = 0; i < npgsql.Count; i++)
        {
            var (n, wasReading) = (i, i > 0 && loxo[i - 1].IsReading);
            var all = Lines(npgsql[i], loxo[i]).Select(one => one with
            {
                WasReading = wasReading,
                Keywords = keywords,
                Earlier = [.. loxo.Take(n).Select(earlier => (earlier.Step?.Text ?? "the end") + (Failed(earlier) ? Difference.Failed : ""))],
                ReaderHasFailed = HasFailed(loxo.Take(n)),
                Messages = string.Concat(npgsql[n].Messages.Concat(loxo[n].Messages).Select(text => $"\n    // {text}")),
            }).ToArray();
            var intended = all.Select(IntendedDifferences.Find).ToArray();
            foreach (var one in intended.OfType<IntendedDifference>())
                used.TryAdd(one);
            // The rest of such a program runs in another state.
            if (intended.Any(one => one is { EndsComparison: true }))
                return [];
            var unexplained = all.Where((_, at) => intended[at] is null).ToArray();
            if (unexplained.Length > 0)
                return unexplained;
        }
        return [];
    }

    private static bool Failed(Observation one) => one.Lines.Any(line =>
        line == Machine.NothingThere || line.StartsWith("throws ", StringComparison.Ordinal));

    private static bool HasFailed(IEnumerable<Observation> earlier) => earlier.Reverse()
        .TakeWhile(one => Failed(one) || !(one.Step?.Text ?? "").StartsWith("r = ", StringComparison.Ordinal))
        .Any(one => Difference.UsesReader(one.Step) && one.Lines.Any(line => line.StartsWith("throws PostgresException", StringComparison.Ordinal)));

    private static IEnumerable<Difference> Lines(Observation npgsql, Observation loxo)
    {
        var (theirs, ours) = (npgsql.Lines, loxo.Lines);
        var isSameCount = theirs.Count == ours.Count;
        for (var i = 0; i < Math.Max(theirs.Count, ours.Count); i++)
        {
            if (At(theirs, i) == At(ours, i))
                continue;
            yield return new Difference(npgsql.Step, At(theirs, i), At(ours, i));
            // Behind a line that only one driver has, nothing fits.
            if (!isSameCount)
                break;
        }
        if (!npgsql.States.SequenceEqual(loxo.States))
            yield return new Difference(npgsql.Step, string.Join(", ", npgsql.States), string.Join(", ", loxo.States));
    }

    private static string At(IReadOnlyList<string> lines, int i) => i < lines.Count ? lines[i] : "nothing";
}
