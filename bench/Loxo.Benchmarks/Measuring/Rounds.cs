namespace Loxo.Benchmarks.Measuring;

/// <summary>
/// Runs rows: warm-up passes until the figures are steady, then rounds in which the peers take turns, so that whatever else the machine
/// does hits all of them alike.
/// </summary>
internal sealed class Rounds(Target target, PeerKind[] peers, int rounds)
{
    private const int FewestPasses = 6;
    private const int MostPasses = 12;
    private const double Steady = 0.03;

    // Hot methods are compiled again in the background after 100 ms without new methods.
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(200);

    public List<Result> Run(IEnumerable<Row> rows)
    {
        var results = new List<Result>();
        foreach (var row in rows)
            results.AddRange(Run(row));
        return results;
    }

    private List<Result> Run(Row row)
    {
        var works = Work.Open(row, peers, target);
        try
        {
            var passes = WarmUp(row, works);
            var samples = works.Select(_ => new List<Sample>()).ToArray();
            for (var round = 0; round < rounds; round++)
            {
                for (var i = 0; i < works.Length; i++)
                    samples[i].Add(Meter.Measure(works[i], row, out _));
            }
            var results = works.Zip(samples, (work, taken) => ResultOf(row, work, taken)).ToList();
            Console.WriteLine($"{row.Id} (warm after {passes} passes): " + string.Join(", ", results.Select(result => $"{result.Peer} {result.Minimum:0.000}")));
            return results;
        }
        finally
        {
            foreach (var work in works)
                work.Dispose();
        }
    }

    private static Result ResultOf(Row row, Work work, List<Sample> samples) => new()
    {
        Row = row.Id,
        Peer = work.PeerName,
        Cpu = [.. samples.Select(sample => Math.Round(sample.Cpu, 4))],
        Elapsed = [.. samples.Select(sample => Math.Round(sample.Elapsed, 4))],
        Bytes = Math.Round(Result.MedianOf([.. samples.Select(sample => sample.Bytes)]), 4),
    };

    // Steady: the best of the last three passes is hardly better than the best of those before.
    private static int WarmUp(Row row, Work[] works)
    {
        var figures = works.Select(_ => new List<double>()).ToArray();
        for (var pass = 1; ; pass++)
        {
            var sums = new long[works.Length];
            for (var i = 0; i < works.Length; i++)
                figures[i].Add(Meter.Measure(works[i], row, out sums[i]).Of(row.Measure));
            CheckSums(row, works, sums);
            if (pass >= MostPasses || (pass >= FewestPasses && figures.All(IsSteady)))
                return pass;
            Thread.Sleep(Pause);
        }
    }

    // Whoever did the same work has read the same values.
    private static void CheckSums(Row row, Work[] works, long[] sums)
    {
        for (var i = 1; i < works.Length; i++)
        {
            var same = Array.FindIndex(works, work => work.Batch == works[i].Batch);
            if (sums[same] != sums[i])
                throw new InvalidOperationException($"{works[i].PeerName} read other values than {works[same].PeerName} at {row.Id}: {sums[i]}, not {sums[same]}.");
        }
    }

    private static bool IsSteady(List<double> figures) => figures[^3..].Min() > figures[..^3].Min() * (1 - Steady);
}
