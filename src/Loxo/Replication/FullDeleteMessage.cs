namespace Loxo;

/// <summary>A row of a table with REPLICA IDENTITY FULL was deleted.</summary>
public sealed class FullDeleteMessage : DeleteMessage
{
    internal FullDeleteMessage(RelationMessage relation, ReplicationTuple oldRow)
        : base(relation) => OldRow = oldRow;

    /// <summary>The row as it was.</summary>
    public ReplicationTuple OldRow { get; }
}
