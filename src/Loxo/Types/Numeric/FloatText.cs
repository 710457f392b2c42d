using System.Numerics;

namespace Loxo.Types;

/// <summary>Floating-point numbers as the server writes them by default (extra_float_digits) and reads them (float8in, float.c).</summary>
internal static class FloatText
{
    // From this power of ten on, an exponent is shown (d2s.c, f2s.c). No two numbers of the type share a text of no more digits, so .NET
    // and the server agree on it.
    private const int DigitsOfDouble = 15;
    private const int DigitsOfSingle = 6;
    private const int LeastFixed = -4;

    public static string Show<T>(T number)
        where T : struct, IBinaryFloatingPointIeee754<T>
    {
        if (!T.IsFinite(number))
            return number.ToString(null, CultureInfo.InvariantCulture);
        var isDouble = typeof(T) == typeof(double);
        var digits = isDouble ? DigitsOfDouble : DigitsOfSingle;
        var text = number.ToString("R", CultureInfo.InvariantCulture);
        var magnitude = double.CreateChecked(T.Abs(number));
        if (text.Length <= digits + 1 && !text.Contains('E', StringComparison.Ordinal) && magnitude < (isDouble ? 1e15 : 1e6))
            return text;
        var shortest = isDouble ? ShortestDigits.Of(magnitude) : ShortestDigits.Of((float)magnitude);
        return Lay(shortest, T.IsNegative(number), digits);
    }

    /// <summary>Takes a number as strtod does, but no hexadecimal one; false if it is too large or too close to zero for T.</summary>
    public static bool TryTake<T>(ReadOnlySpan<char> text, out T number, out int length)
        where T : struct, IBinaryFloatingPointIeee754<T>
    {
        if (TryTakeSpecial(text, out number, out length))
            return true;
        if (!FloatParts.TryTake(text, out var parts, out length) || parts.IsOutOfReach)
            return false;
        number = T.Parse(parts.Spell(), NumberStyles.Float, CultureInfo.InvariantCulture);
        return T.IsFinite(number) && (!T.IsZero(number) || parts.IsZero);
    }

    public static bool TryParse<T>(ReadOnlySpan<char> text, out T number)
        where T : struct, IBinaryFloatingPointIeee754<T>
    {
        text = AsciiBlanks.Trim(text);
        return TryTake(text, out number, out var length) && length == text.Length;
    }

    private static bool TryTakeSpecial<T>(ReadOnlySpan<char> text, out T number, out int length)
        where T : struct, IBinaryFloatingPointIeee754<T>
    {
        var sign = text is ['-' or '+', ..] ? 1 : 0;
        var word = text[sign..];
        var letters = word.StartsWith("infinity", StringComparison.OrdinalIgnoreCase) ? 8
            : word.StartsWith("inf", StringComparison.OrdinalIgnoreCase) || word.StartsWith("nan", StringComparison.OrdinalIgnoreCase) ? 3
            : 0;
        number = letters == 0 ? T.Zero : word[0] is 'n' or 'N' ? T.NaN : text[0] == '-' ? T.NegativeInfinity : T.PositiveInfinity;
        length = sign + letters;
        return letters > 0;
    }

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
