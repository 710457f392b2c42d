namespace Loxo.Benchmarks.Measuring;

/// <summary>
/// Runs rows: warm-up passes until the figures are steady, then rounds in which the participants take turns, so that other load on the
/// machine affects all of them alike.
/// </summary>
internal sealed class Rounds(Func<Row, IParticipant[]> open, int rounds)
{
    private const double Steady = 0.03;

    // Hot methods are compiled again in the background after 100 ms without new methods.
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(200);

    /// <summary>The fewest warm-up passes; at least four, because the last three are compared with those before.</summary>
    public int FewestPasses { get; init; } = 6;

    /// <summary>The most warm-up passes.</summary>
    public int MostPasses { get; init; } = 12;

    public List<Result> Run(IEnumerable<Row> rows)
    {
        var results = new List<Result>();
        foreach (var row in rows)
            results.AddRange(Run(row));
        return results;
    }

    private List<Result> Run(Row row)
    {
        var participants = open(row);
        try
        {
            var passes = WarmUp(row, participants);
            var samples = participants.Select(_ => new List<Sample>()).ToArray();
            for (var round = 0; round < rounds; round++)
            {
                for (var i = 0; i < participants.Length; i++)
                    samples[i].Add(participants[i].Measure(out _));
            }
            var results = participants.Zip(samples, (participant, taken) => ResultOf(row, participant, taken)).ToList();
            var minima = results.Select(result => $"{result.Peer} {result.Minimum:0.000}");
            Console.WriteLine($"{row.Id} (warm after {passes} passes): {string.Join(", ", minima)}");
            return results;
        }
        finally
        {
            foreach (var participant in participants)
                participant.Dispose();
        }
    }

    private static Result ResultOf(Row row, IParticipant participant, List<Sample> samples) => new()
    {
        Row = row.Id,
        Peer = participant.Name,
        Cpu = [.. samples.Select(sample => Math.Round(sample.Cpu, 4))],
        Elapsed = [.. samples.Select(sample => Math.Round(sample.Elapsed, 4))],
        Bytes = Math.Round(Result.MedianOf([.. samples.Select(sample => sample.Bytes)]), 4),
        Calls = CallsOf([.. samples.Select(sample => sample.Calls).OfType<SocketCalls>()]),
        Latencies = samples.Select(sample => sample.Latency).OfType<Latency>().ToArray() is { Length: > 0 } latencies ? latencies : null,
        WalFlushes = samples.Select(sample => sample.WalFlushes).OfType<double>().ToArray() is { Length: > 0 } flushes ? Math.Round(Result.MedianOf(flushes), 4) : null,
        ServerCpu = samples.Select(sample => sample.ServerCpu).OfType<double>().ToArray() is { Length: > 0 } cpu ? cpu : null,
    };

    private static SocketCalls? CallsOf(SocketCalls[] calls) => calls.Length > 0
        ? new SocketCalls(Result.MedianOf([.. calls.Select(call => call.Sends)]), Result.MedianOf([.. calls.Select(call => call.Receives)]))
        : null;

    // Steady: the best of the last three passes is hardly better than the best of those before.
    private int WarmUp(Row row, IParticipant[] participants)
    {
        var figures = participants.Select(_ => new List<double>()).ToArray();
        for (var pass = 1; ; pass++)
        {
            var sums = new long[participants.Length];
            for (var i = 0; i < participants.Length; i++)
                figures[i].Add(participants[i].Measure(out sums[i]).Of(row.Measure));
            CheckSums(row, participants, sums);
            if (pass >= MostPasses || (pass >= FewestPasses && figures.All(IsSteady)))
                return pass;
            Thread.Sleep(Pause);
        }
    }

    // Whoever did the same work has read the same values.
    private static void CheckSums(Row row, IParticipant[] participants, long[] sums)
    {
        for (var i = 1; i < participants.Length; i++)
        {
            var same = Array.FindIndex(participants, other => other.Batch == participants[i].Batch);
            if (sums[same] != sums[i])
            {
                throw new InvalidOperationException(
                    $"{participants[i].Name} read other values than {participants[same].Name} at {row.Id}: {sums[i]}, not {sums[same]}.");
            }
        }
    }

    private static bool IsSteady(List<double> figures) => figures[^3..].Min() > figures[..^3].Min() * (1 - Steady);
}
