namespace Loxo;

/// <summary>A row was updated, and its key was changed.</summary>
public sealed class IndexUpdateMessage : UpdateMessage
{
    internal IndexUpdateMessage(RelationMessage relation, ReplicationTuple key, ReplicationTuple newRow)
        : base(relation, newRow) => Key = key;

    /// <summary>The old row; NULL in all columns that are not part of the key.</summary>
    public ReplicationTuple Key { get; }
}
