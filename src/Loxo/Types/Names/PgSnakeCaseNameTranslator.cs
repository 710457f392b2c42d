namespace Loxo;

/// <summary>
/// Makes <c>order_status</c> of <c>OrderStatus</c>: words in lower case, with underscores between them. The default. A digit belongs to the
/// word in front of it, and so does a capital behind a digit: <c>Value2</c> is <c>value2</c>, <c>Address2Line</c> is <c>address2line</c>.
/// </summary>
/// <param name="culture">Whose rules make lower case; null for the invariant culture's.</param>
public sealed class PgSnakeCaseNameTranslator(CultureInfo? culture = null) : IPgNameTranslator
{
    private readonly CultureInfo _culture = culture ?? CultureInfo.InvariantCulture;

    /// <summary>By the rules of the invariant culture.</summary>
    public static PgSnakeCaseNameTranslator Instance { get; } = new();

    /// <inheritdoc/>
    public string TranslateTypeName(string clrName) => Translate(clrName);

    /// <inheritdoc/>
    public string TranslateMemberName(string clrName) => Translate(clrName);

    // Only letters, digits and underscores are kept. What stands between two of them (a blank, a dash) becomes an underscore.
    private string Translate(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        var text = new StringBuilder(name.Length + 8);
        var isAfterOther = false;
        for (var i = 0; i < name.Length; i++)
        {
            var kind = KindOf(name[i]);
            if (kind == Kind.Other)
            {
                isAfterOther |= text.Length > 0 && text[^1] != '_';
                continue;
            }
            if (kind != Kind.Underscore && (isAfterOther || (kind == Kind.Capital && BeginsWord(name, i, text))))
                text.Append('_');
            text.Append(kind == Kind.Capital ? char.ToLower(name[i], _culture) : name[i]);
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
        return KindOf(name[at - 1]) switch
        {
            Kind.Lower => true,
            Kind.Capital => at + 1 < name.Length && char.IsLower(name[at + 1]),
            _ => false,
        };
    }

    private static Kind KindOf(char character) => char.GetUnicodeCategory(character) switch
    {
        UnicodeCategory.UppercaseLetter or UnicodeCategory.TitlecaseLetter => Kind.Capital,
        UnicodeCategory.LowercaseLetter => Kind.Lower,
        UnicodeCategory.DecimalDigitNumber => Kind.Digit,
        _ => character == '_' ? Kind.Underscore : Kind.Other,
    };

    private enum Kind
    {
        Capital,
        Lower,
        Digit,
        Underscore,
        Other,
    }
}
