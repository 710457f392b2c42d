namespace Loxo;

/// <summary>The snapshot of the database that goes with a new logical slot (manual, "CREATE_REPLICATION_SLOT").</summary>
public enum LogicalSlotSnapshotInitMode
{
    /// <summary>It is exported under a name for other connections: <see cref="ReplicationSlotOptions.SnapshotName"/>.</summary>
    Export = 0,

    /// <summary>It becomes that of the connection's own transaction, which must have just begun.</summary>
    Use = 1,

    /// <summary>There is none.</summary>
    NoExport = 2,
}
