namespace Loxo;

/// <summary>A row was updated. The type says what is known of the old row.</summary>
public abstract class UpdateMessage : TransactionalMessage
{
    private protected UpdateMessage(RelationMessage relation, ReplicationTuple newRow) => (Relation, NewRow) = (relation, newRow);

    /// <summary>The table.</summary>
    public RelationMessage Relation { get; }

    /// <summary>The row as it is now.</summary>
    public virtual ReplicationTuple NewRow { get; }
}
