namespace Loxo;

/// <summary>
/// The name in PostgreSQL of an enum type or composite type, of a label or of a field, where it is not what the name translator makes of
/// the .NET name.
/// </summary>
/// <param name="name">The name as PostgreSQL has it, without quotes.</param>
[AttributeUsage(AttributeTargets.Enum | AttributeTargets.Class | AttributeTargets.Struct
    | AttributeTargets.Field | AttributeTargets.Property | AttributeTargets.Parameter)]
public sealed class PgNameAttribute(string name) : Attribute
{
    /// <summary>The name.</summary>
    public string PgName { get; } = name;
}
