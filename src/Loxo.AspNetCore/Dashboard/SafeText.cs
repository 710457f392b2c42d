using System.Globalization;
using System.Text;

namespace Loxo.Dashboard;

/// <summary>Texts as a page can show them, whatever they contain.</summary>
internal static class SafeText
{
    private const char ControlPictures = '\u2400';
    private const char DeletePicture = '\u2421';

    /// <summary>
    /// A text with a visible sign for each control character and for each character that would change the direction of those behind it;
    /// line breaks and tabs stay.
    /// </summary>
    public static string Of(string text)
    {
        var at = text.AsSpan().IndexOfAnyExceptInRange(' ', '~');
        if (at < 0)
            return text;
        var safe = new StringBuilder(text.Length).Append(text, 0, at);
        for (; at < text.Length; at++)
        {
            if (char.IsHighSurrogate(text[at]) && at + 1 < text.Length && char.IsLowSurrogate(text[at + 1]))
                safe.Append(text[at++]).Append(text[at]);
            else
                safe.Append(Of(text[at]));
        }
        return safe.ToString();
    }

    /// <summary>A text of at most so many characters.</summary>
    public static string Of(string text, int most) => Of(text.Length <= most ? text : text[..most] + "…");

    private static char Of(char character) => character switch
    {
        '\n' or '\t' => character,
        < ' ' => (char)(ControlPictures + character),
        '\u007f' => DeletePicture,
        _ when char.IsSurrogate(character) => '\ufffd',
        _ => char.GetUnicodeCategory(character) is UnicodeCategory.Control or UnicodeCategory.Format ? '\ufffd' : character,
    };
}
