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
            foreach (var peer in peers)
            {
                using var work = Work.Open(peer, target, row);
                if (work is null)
                    continue;
                // Twice, with a pause, so that methods are compiled and buffers have grown.
                work.Run(Executions(row));
                Thread.Sleep(50);
                work.Run(Executions(row));
                File.Exists($"{Mark}begin/{row.Id}/{peer.Name}");
                work.Run(Executions(row));
                File.Exists($"{Mark}end/{row.Id}/{peer.Name}");
            }
        }
        return 0;
    }

    public static int Executions(Row row) => row.UnitsPerExecution == 1 ? 500 : 20;
}
