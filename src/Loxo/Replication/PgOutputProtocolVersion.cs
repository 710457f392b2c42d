namespace Loxo;

/// <summary>The version of the logical replication protocol (manual, "Logical Streaming Replication Protocol").</summary>
public enum PgOutputProtocolVersion : ulong
{
    /// <summary>PostgreSQL 10: whole transactions when they are committed.</summary>
    V1 = 1UL,

    /// <summary>PostgreSQL 14: large transactions can be sent before they end.</summary>
    V2 = 2UL,

    /// <summary>PostgreSQL 15: prepared transactions can be sent when they are prepared.</summary>
    V3 = 3UL,

    /// <summary>PostgreSQL 16: the abort of a part of a large transaction says where it stands.</summary>
    V4 = 4UL,
}
