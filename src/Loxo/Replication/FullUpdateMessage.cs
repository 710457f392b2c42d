namespace Loxo;

/// <summary>A row of a table with REPLICA IDENTITY FULL was updated.</summary>
public sealed class FullUpdateMessage : UpdateMessage
{
    internal FullUpdateMessage(RelationMessage relation, ReplicationTuple oldRow, ReplicationTuple newRow)
        : base(relation, newRow) => OldRow = oldRow;

    /// <summary>The row as it was.</summary>
    public ReplicationTuple OldRow { get; }
}
