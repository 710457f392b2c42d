namespace Loxo;

/// <summary>What a server has said of itself.</summary>
public enum PgHostRole
{
    /// <summary>Nothing yet.</summary>
    Unknown,

    /// <summary>Not in recovery, and its sessions may write by default.</summary>
    ReadWritePrimary,

    /// <summary>Not in recovery, but its sessions may only read by default: <c>default_transaction_read_only</c> is on.</summary>
    ReadOnlyPrimary,

    /// <summary>In recovery.</summary>
    Standby,
}
