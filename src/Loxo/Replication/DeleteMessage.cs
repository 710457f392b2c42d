namespace Loxo;

/// <summary>A row was deleted. The type says what is known of it.</summary>
public abstract class DeleteMessage : TransactionalMessage
{
    private protected DeleteMessage(RelationMessage relation) => Relation = relation;

    /// <summary>The table.</summary>
    public RelationMessage Relation { get; }
}
