namespace Loxo.Benchmarks;

/// <summary>What a row's figures are.</summary>
internal enum Measure
{
    /// <summary>Microseconds of CPU of the client process.</summary>
    Cpu,

    /// <summary>Microseconds that pass, the server's work included.</summary>
    Elapsed,
}

/// <summary>One peer at a row.</summary>
/// <param name="Kind">Who it is.</param>
/// <param name="Open">Opens it.</param>
internal sealed record Entrant(PeerKind Kind, Func<Target, Peers.IPeer> Open)
{
    /// <summary>How many executions are measured together; the row's when 0.</summary>
    public int Batch { get; init; }
}

/// <summary>One row of the table.</summary>
/// <param name="Id">Its name on the command line.</param>
/// <param name="Title">Its name in the table.</param>
/// <param name="IsAsync">Whether it is awaited.</param>
/// <param name="Batch">How many executions are measured together.</param>
/// <param name="Entrants">Who takes part, Loxo first.</param>
internal sealed record Row(string Id, string Title, bool IsAsync, int Batch, Entrant[] Entrants)
{
    /// <summary>How many operations of the table one execution counts for: a result of 1,000 rows is 1,000.</summary>
    public int UnitsPerExecution { get; init; } = 1;

    public Measure Measure { get; init; }

    /// <summary>How many threads it is run with where that is what the row varies: one point of the curve; 0 elsewhere.</summary>
    public int Threads { get; init; }

    /// <summary>How many async callers share the connections, on the rows about that; 0 elsewhere.</summary>
    public int Callers { get; init; }

    /// <summary>Whether the row is about how long the callers wait.</summary>
    public bool MeasuresLatency { get; init; }

    /// <summary>Whether the server writes each change to its disk, and the row counts how often.</summary>
    public bool IsDurable { get; init; }

    /// <summary>Whether client and server have all cores, instead of sharing one.</summary>
    public bool HasAllCores { get; init; }

    /// <summary>Whether the row is in the main table; the others have tables of their own.</summary>
    public bool IsInMainTable => Threads == 0 && Callers == 0;

    /// <summary>How many executions strace sees.</summary>
    public int TracedExecutions { get; init; } = 500;

    /// <summary>A second name for several rows together.</summary>
    public string Group => Threads > 0 ? Rows.ThreadsGroup : MeasuresLatency ? LatencyRows.Group : IsDurable ? Id : Callers > 0 ? CallersRows.Group : Id;
}
