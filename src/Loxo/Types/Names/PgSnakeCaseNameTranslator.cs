namespace Loxo;

/// <summary>
/// Makes <c>order_status</c> of <c>OrderStatus</c>: words in lower case, with underscores between them. The default. A digit belongs to the
/// word in front of it, and so does a capital behind a digit: <c>Value2</c> is <c>value2</c>, <c>Address2Line</c> is <c>address2line</c>.
/// </summary>
/// <param name="culture">Whose rules make lower case; null for the invariant culture's.</param>
public sealed class PgSnakeCaseNameTranslator(CultureInfo? culture = null) : IPgNameTranslator
{
    private readonly CultureInfo _culture = culture ?? CultureInfo.InvariantCulture;
    private readonly bool _splitsEachCapital;

    /// <summary>As the older versions of Npgsql: an underscore before each capital, so that <c>HTTPServer</c> is <c>h_t_t_p_server</c>.
    /// </summary>
    /// <param name="legacyMode">Whether to do so; else as by the other constructor.</param>
    /// <param name="culture">Whose rules make lower case; null for the invariant culture's.</param>
    public PgSnakeCaseNameTranslator(bool legacyMode, CultureInfo? culture = null)
        : this(culture) => _splitsEachCapital = legacyMode;

    /// <summary>By the rules of the invariant culture.</summary>
    public static PgSnakeCaseNameTranslator Instance { get; } = new();

    /// <inheritdoc/>
    public string TranslateTypeName(string clrName) => TranslateMemberName(clrName);

    /// <inheritdoc/>
    public string TranslateMemberName(string clrName) => _splitsEachCapital ? SplitEachCapital(clrName) : Translate(clrName);

    /// <summary>What a translator makes of a name.</summary>
    /// <param name="name">The .NET name.</param>
    /// <param name="culture">Whose rules make lower case; null for the invariant culture's.</param>
    public static string ConvertToSnakeCase(string name, CultureInfo? culture = null) =>
        new PgSnakeCaseNameTranslator(culture).Translate(name);

    private string SplitEachCapital(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        var text = new StringBuilder(name.Length + 8);
        foreach (var character in name)
            text.Append(text.Length > 0 && char.IsUpper(character) ? "_" : "").Append(char.ToLower(character, _culture));
        return text.ToString();
    }

    // Only letters, digits and underscores are kept. What stands between two of them (a blank, a dash) becomes an underscore.
    private string Translate(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        var text = new StringBuilder(name.Length + 8);
        var isAfterOther = false;
        for (var i = 0; i < name.Length; i++)
        {
            var character = name[i];
            var isCapital = IsCapital(character);
            if (!isCapital && character != '_' && !char.IsLower(character) && !char.IsDigit(character))
            {
                isAfterOther |= text.Length > 0 && text[^1] != '_';
                continue;
            }
            if (character != '_' && (isAfterOther || (isCapital && BeginsWord(name, i, text))))
                text.Append('_');
            text.Append(isCapital ? char.ToLower(character, _culture) : character);
            isAfterOther = false;
        }
        return text.ToString();
    }

    // A capital begins a word behind a lower-case letter, and as the last one of several: HTTPServer is http_server. Behind a digit or an
    // underscore it does not.
    private static bool BeginsWord(string name, int at, StringBuilder before)
    {
        if (before.Length == 0 || before[^1] == '_')
            return false;
        return char.IsLower(name[at - 1]) || (IsCapital(name[at - 1]) && at + 1 < name.Length && char.IsLower(name[at + 1]));
    }

    private static bool IsCapital(char character) =>
        char.GetUnicodeCategory(character) is UnicodeCategory.UppercaseLetter or UnicodeCategory.TitlecaseLetter;
}
