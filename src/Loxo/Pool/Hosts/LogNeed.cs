using Loxo.Session;

namespace Loxo.Pool.Hosts;

/// <summary>How far a host must have replayed the primary's log to serve one search.</summary>
/// <param name="Position">Up to here.</param>
/// <param name="Began">When the search began: what a host has said since then is not asked again.</param>
internal sealed record LogNeed(PgLogSequenceNumber Position, long Began)
{
    // A log position at the beginning of a page is told with the page's header, in which no record ends: 24 bytes, or 40 where a segment
    // begins (XLogBytePosToRecPtr, xlog.c; SizeOfXLogLongPHD, xlog_internal.h).
    private const ulong LongestPageHeader = 40;

    /// <summary>The end of the last record before the place where a primary writes next.</summary>
    public static PgLogSequenceNumber EndOfRecords(PgLogSequenceNumber next, ulong blockSize) =>
        next.Value % blockSize is var offset && offset <= LongestPageHeader ? new(next.Value - offset) : next;

    /// <summary>
    /// Whether the server that the session is with is known to have everything: it is a primary, or has said so after the session was
    /// opened. It may have been restarted, and its log rewound, between an earlier answer and the opening.
    /// </summary>
    public bool IsMet(HostSession one)
    {
        var state = one.Host.State;
        return IsPrimary(state.News.Role)
            || (state.Log is { } log && log.Position >= Position && one.Session.HostNumber < log.Asked.Number);
    }

    /// <summary>Whether a standby has said after the beginning of the search that it is not there yet.</summary>
    public bool IsKnownUnmet(HostState state) =>
        state.News is { Role: PgHostRole.Standby, IsRoleDoubted: false }
        && state.Log is { } log && log.Asked.Time >= Began && log.Position < Position;

    public static bool IsPrimary(PgHostRole role) => role is PgHostRole.ReadWritePrimary or PgHostRole.ReadOnlyPrimary;
}
