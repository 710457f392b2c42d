using System.Globalization;
using System.Text;

namespace Loxo;

/// <summary>Makes <c>order_status</c> of <c>OrderStatus</c>: words in lower case, with underscores between them. The default.</summary>
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

    // A word begins at a capital or digit behind a lower-case letter, and at the last capital of several: HTTPServer is http_server.
    private string Translate(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        var text = new StringBuilder(name.Length + 8);
        for (var i = 0; i < name.Length; i++)
        {
            if (i > 0 && BeginsWord(name, i) && text[^1] != '_')
                text.Append('_');
            text.Append(char.ToLower(name[i], _culture));
        }
        return text.ToString();
    }

    private static bool BeginsWord(string name, int at)
    {
        var before = name[at - 1];
        if (char.IsDigit(name[at]))
            return char.IsLower(before);
        if (!char.IsUpper(name[at]))
            return false;
        return !char.IsUpper(before) && before != '_' || (char.IsUpper(before) && at + 1 < name.Length && char.IsLower(name[at + 1]));
    }
}
