namespace Loxo.Benchmarks.Measuring;

/// <summary>The run that strace watches: each peer at each row for a known number of executions, between two marks in the trace.</summary>
internal static class TracedRun
{
    /// <summary>A file that does not exist: looking for it is a system call that names where the run is.</summary>
    public const string Mark = "/loxo-bench-mark/";

    public static int Run(Target target, Row[] rows, PeerKind[] peers)
    {
        foreach (var row in rows)
        {
            foreach (var kind in peers)
            {
                foreach (var work in Work.Open(row, [kind], target))
                    Run(work, row);
            }
        }
        return 0;
    }

    /// <summary>As many as the row asks for, and the same for each of its callers.</summary>
    public static int Executions(Row row) => row.Batch % 64 == 0 ? row.TracedExecutions / 64 * 64 : row.TracedExecutions;

    private static void Run(Work work, Row row)
    {
        using var _ = work;
        // Twice, with a pause, so that methods are compiled and buffers have grown.
        work.Run(Executions(row));
        Thread.Sleep(50);
        work.Run(Executions(row));
        File.Exists($"{Mark}begin/{row.Id}/{work.Name}");
        work.Run(Executions(row));
        File.Exists($"{Mark}end/{row.Id}/{work.Name}");
    }
}
