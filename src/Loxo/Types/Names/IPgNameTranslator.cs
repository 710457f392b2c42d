namespace Loxo;

/// <summary>Makes names of PostgreSQL from names of .NET: of types, and of their labels and fields.</summary>
public interface IPgNameTranslator
{
    /// <summary>The name of the PostgreSQL type for a .NET type.</summary>
    /// <param name="clrName">The .NET type's name, without its namespace.</param>
    string TranslateTypeName(string clrName);

    /// <summary>The name of an enum's label or a composite type's field for a member of a .NET type.</summary>
    /// <param name="clrName">The member's name.</param>
    string TranslateMemberName(string clrName);
}

/// <summary>Leaves names as they are.</summary>
public sealed class PgNullNameTranslator : IPgNameTranslator
{
    /// <inheritdoc/>
    public string TranslateTypeName(string clrName) => clrName;

    /// <inheritdoc/>
    public string TranslateMemberName(string clrName) => clrName;
}
