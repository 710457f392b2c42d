namespace Loxo;

/// <summary>A row was updated, and its key was not changed.</summary>
public sealed class DefaultUpdateMessage : UpdateMessage
{
    internal DefaultUpdateMessage(RelationMessage relation, ReplicationTuple newRow)
        : base(relation, newRow)
    {
    }
}
