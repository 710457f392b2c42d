using Loxo.Session;

namespace Loxo.Pool;

/// <summary>A session in a pool, with what the pool has to know of it between two renters.</summary>
internal sealed class PooledSession(ServerSession session)
{
    public ServerSession Session => session;

    /// <summary>The time when it was last given back, by <see cref="Environment.TickCount64"/>.</summary>
    public long IdleSince { get; set; }

    /// <summary>A reset that could not be written when the session was given back.</summary>
    public string? DueReset { get; set; }

    /// <summary>Whether the server may know other prepared statements than <see cref="ServerSession.Statements"/> says.</summary>
    public bool StatementsInDoubt { get; set; }
}
