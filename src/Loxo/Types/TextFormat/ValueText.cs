using System.Globalization;

namespace Loxo.Types.TextFormat;

/// <summary>What the public value types share in reading and showing text.</summary>
internal static class ValueText
{
    /// <exception cref="FormatException">It is not.</exception>
    public static T Parse<T>(ReadOnlySpan<char> text, string example)
        where T : ISpanParsable<T> => T.TryParse(text, CultureInfo.InvariantCulture, out var value)
            ? value
            : throw new FormatException($"The text '{text}' is not a value of {typeof(T).Name}, which looks like {example}.");

    /// <summary>
    /// The shortest digits that read back the same, as the server has them (float8out): with a small e, and an exponent from 1e+15 on.
    /// </summary>
    public static string Show(double number)
    {
        var text = number.ToString("R", CultureInfo.InvariantCulture);
        var isLongInteger = Math.Abs(number) is >= 1e15 and <= double.MaxValue && !text.Contains('E', StringComparison.Ordinal);
        return isLongInteger ? WithExponent(text) : text.Replace("E", "e", StringComparison.Ordinal);
    }

    private static string WithExponent(string text)
    {
        var sign = text[0] == '-' ? "-" : "";
        var digits = text[sign.Length..];
        var fraction = digits[1..].TrimEnd('0');
        return string.Create(CultureInfo.InvariantCulture, $"{sign}{digits[0]}{(fraction.Length == 0 ? "" : ".")}{fraction}e+{digits.Length - 1}");
    }
}
