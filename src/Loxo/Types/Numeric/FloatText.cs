namespace Loxo.Types;

/// <summary>
/// Floating-point numbers as the server writes them with its default extra_float_digits, and as it reads them (float8in, float.c).
/// </summary>
internal static class FloatText
{
    // From this power of ten on, an exponent is shown (d2s.c, f2s.c).
    private const int MostFixedOfDouble = 15;
    private const int MostFixedOfSingle = 6;
    private const int LeastFixed = -4;

    // No more digits than tell all numbers of the type apart: no two numbers share such a text, so .NET and the server agree on it.
    private const int SafeLengthOfDouble = 15;
    private const int SafeLengthOfSingle = 6;

    public static string Show(double number)
    {
        if (!double.IsFinite(number))
            return number.ToString(CultureInfo.InvariantCulture);
        var text = number.ToString("R", CultureInfo.InvariantCulture);
        if (IsPlain(text, SafeLengthOfDouble) && Math.Abs(number) < 1e15)
            return text;
        return Lay(ShortestDigits.Of(Math.Abs(number)), number < 0, MostFixedOfDouble);
    }

    public static string Show(float number)
    {
        if (!float.IsFinite(number))
            return number.ToString(CultureInfo.InvariantCulture);
        var text = number.ToString("R", CultureInfo.InvariantCulture);
        if (IsPlain(text, SafeLengthOfSingle) && Math.Abs(number) < 1e6f)
            return text;
        return Lay(ShortestDigits.Of(Math.Abs(number)), number < 0, MostFixedOfSingle);
    }

    /// <summary>
    /// Takes a number from the start of a text, as strtod does: digits with an optional sign, point and exponent, or nan, inf and infinity
    /// in any case. Hexadecimal numbers are not understood. False as well for a number that is too large, or too close to zero, for the
    /// type.
    /// </summary>
    /// <param name="text">The text, without blanks in front.</param>
    /// <param name="number">The number.</param>
    /// <param name="length">How many characters it takes.</param>
    public static bool TryTake(ReadOnlySpan<char> text, out double number, out int length)
    {
        if (TryTakeSpecial(text, out number, out length))
            return true;
        if (!FloatParts.TryTake(text, out var parts, out length) || parts.IsOutOfReach)
            return false;
        number = double.Parse(parts.Spell(), NumberStyles.Float, CultureInfo.InvariantCulture);
        return double.IsFinite(number) && (number != 0 || parts.IsZero);
    }

    /// <summary>A whole text, with blanks around it.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out double number)
    {
        text = AsciiBlanks.Trim(text);
        return TryTake(text, out number, out var length) && length == text.Length;
    }

    public static bool TryParse(ReadOnlySpan<char> text, out float number)
    {
        text = AsciiBlanks.Trim(text);
        if (TryTakeSpecial(text, out var special, out var length))
        {
            number = (float)special;
            return length == text.Length;
        }
        number = 0;
        if (!FloatParts.TryTake(text, out var parts, out length) || parts.IsOutOfReach)
            return false;
        number = float.Parse(parts.Spell(), NumberStyles.Float, CultureInfo.InvariantCulture);
        return length == text.Length && float.IsFinite(number) && (number != 0 || parts.IsZero);
    }

    private static bool TryTakeSpecial(ReadOnlySpan<char> text, out double number, out int length)
    {
        var sign = text is ['-' or '+', ..] ? 1 : 0;
        var word = text[sign..];
        var letters = word.StartsWith("infinity", StringComparison.OrdinalIgnoreCase) ? 8
            : word.StartsWith("inf", StringComparison.OrdinalIgnoreCase) || word.StartsWith("nan", StringComparison.OrdinalIgnoreCase) ? 3
            : 0;
        number = letters == 0 ? 0 : word[0] is 'n' or 'N' ? double.NaN : text[0] == '-' ? double.NegativeInfinity : double.PositiveInfinity;
        length = sign + letters;
        return letters > 0;
    }

    private static bool IsPlain(string text, int digits) => text.Length <= digits + 1 && !text.Contains('E', StringComparison.Ordinal);

    private static string Lay(ShortestDigits number, bool isNegative, int mostFixed)
    {
        var (digits, exponent) = number;
        var text = new StringBuilder(isNegative ? "-" : "");
        if (exponent < LeastFixed || exponent >= mostFixed)
        {
            text.Append(digits[0]).Append(digits.Length > 1 ? "." : "").Append(digits, 1, digits.Length - 1);
            return text.Append(CultureInfo.InvariantCulture, $"e{(exponent < 0 ? '-' : '+')}{Math.Abs(exponent):00}").ToString();
        }
        if (exponent < 0)
            return text.Append("0.").Append('0', -exponent - 1).Append(digits).ToString();
        if (digits.Length <= exponent + 1)
            return text.Append(digits).Append('0', exponent + 1 - digits.Length).ToString();
        return text.Append(digits, 0, exponent + 1).Append('.').Append(digits, exponent + 1, digits.Length - exponent - 1).ToString();
    }
}
