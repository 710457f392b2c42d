using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// What one session has done. The session's own caller counts, with plain additions; others read while it goes on and may miss the last
/// ones.
/// </summary>
/// <param name="traffic">The bytes that its wire counts.</param>
internal sealed class SessionCounters(Traffic traffic)
{
    private static readonly int _reasonCount = Enum.GetValues<PgResetReason>().Length;

    private readonly long[] _reasons = new long[_reasonCount];

    public long ResetsAvoided { get; set; }

    public long ResetsSent { get; set; }

    /// <summary>Statements that have come to their end.</summary>
    public long Statements { get; set; }

    /// <summary>Commands that have failed.</summary>
    public long Failed { get; set; }

    /// <summary>Statements that were parsed under a name for the first time in the session.</summary>
    public long Prepared { get; set; }

    /// <summary>Statements that were parsed again because they were out of date or forgotten.</summary>
    public long Healed { get; set; }

    /// <summary>Statements that ran by their name without Parse.</summary>
    public long Hits { get; set; }

    /// <summary>Prepared statements that made room for others.</summary>
    public long Evicted { get; set; }

    /// <summary>Rows that statements have returned.</summary>
    public long Rows { get; set; }

    public Traffic Traffic { get; } = traffic;

    public ReadOnlySpan<long> Reasons => _reasons;

    /// <summary>A reset, or a rollback, is due for this reason.</summary>
    public void CountReason(PgResetReason reason) => _reasons[(int)reason]++;

    /// <summary>A statement has come to its end.</summary>
    public void Count(StatementRun run)
    {
        if (run.IsOwn || run.IsDescription)
            return;
        Statements++;
        if (run.Shape is not null)
            Rows += (long)run.Rows;
        if (run.Statement is not null && !run.WasParsed)
            Hits++;
    }

    /// <summary>The server has parsed a statement under its name. Returns true.</summary>
    public bool CountParse(DueParse parse)
    {
        if (parse.Former.Group < 0)
            Prepared++;
        else
            Healed++;
        return true;
    }

    public void Add(SessionCounters other)
    {
        ResetsAvoided += other.ResetsAvoided;
        ResetsSent += other.ResetsSent;
        Statements += other.Statements;
        Failed += other.Failed;
        Prepared += other.Prepared;
        Healed += other.Healed;
        Hits += other.Hits;
        Evicted += other.Evicted;
        Rows += other.Rows;
        Traffic.Sent += other.Traffic.Sent;
        Traffic.Received += other.Traffic.Received;
        for (var i = 0; i < _reasons.Length; i++)
            _reasons[i] += other._reasons[i];
    }
}
