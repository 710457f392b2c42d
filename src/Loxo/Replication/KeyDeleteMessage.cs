namespace Loxo;

/// <summary>A row was deleted.</summary>
public sealed class KeyDeleteMessage : DeleteMessage
{
    internal KeyDeleteMessage(RelationMessage relation, ReplicationTuple key)
        : base(relation) => Key = key;

    /// <summary>The row; NULL in all columns that are not part of the key.</summary>
    public ReplicationTuple Key { get; }
}
