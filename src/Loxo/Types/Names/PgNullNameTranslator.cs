namespace Loxo;

/// <summary>Leaves names as they are.</summary>
public sealed class PgNullNameTranslator : IPgNameTranslator
{
    /// <inheritdoc/>
    public string TranslateTypeName(string clrName) => clrName;

    /// <inheritdoc/>
    public string TranslateMemberName(string clrName) => clrName;
}
