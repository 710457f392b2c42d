namespace Loxo;

/// <summary>A row was inserted.</summary>
public sealed class InsertMessage : TransactionalMessage
{
    internal InsertMessage(RelationMessage relation, ReplicationTuple newRow) => (Relation, NewRow) = (relation, newRow);

    /// <summary>The table.</summary>
    public RelationMessage Relation { get; }

    /// <summary>The row.</summary>
    public ReplicationTuple NewRow { get; }
}
