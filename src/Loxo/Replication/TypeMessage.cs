namespace Loxo;

/// <summary>A type that is not built in, in front of the first table that has a column of it.</summary>
public sealed class TypeMessage : TransactionalMessage
{
    internal TypeMessage()
    {
    }

    /// <summary>The type's OID.</summary>
    public uint TypeId { get; internal init; }

    /// <summary>Its schema; empty for pg_catalog.</summary>
    public string Namespace { get; internal init; } = "";

    /// <summary>Its name.</summary>
    public string Name { get; internal init; } = "";
}
