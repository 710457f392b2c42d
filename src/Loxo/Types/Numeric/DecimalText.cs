namespace Loxo.Types;

/// <summary>A decimal number as text, taken apart: digits by their place, where place 0 is the one before the point.</summary>
internal readonly ref struct DecimalText
{
    // As far as the server reads an exponent, even that of zero (set_var_from_str, numeric.c). No place overflows by it.
    private const int MostExponent = int.MaxValue / 2 - 1;
    private const int MostExponentDigits = 10;

    private readonly ReadOnlySpan<char> _whole;
    private readonly ReadOnlySpan<char> _fraction;
    private readonly int _exponent;

    private DecimalText(ReadOnlySpan<char> whole, ReadOnlySpan<char> fraction, int exponent, bool isNegative)
    {
        _whole = whole;
        _fraction = fraction;
        _exponent = exponent;
        IsNegative = isNegative;
        Scale = Math.Max(0, fraction.Length - exponent);
        IsZero = whole.IndexOfAnyExcept('0') < 0 && fraction.IndexOfAnyExcept('0') < 0;
        if (IsZero)
            return;
        var first = whole.IndexOfAnyExcept('0') is >= 0 and var inWhole ? inWhole : whole.Length + fraction.IndexOfAnyExcept('0');
        var last = fraction.LastIndexOfAnyExcept('0') is >= 0 and var inFraction
            ? whole.Length + inFraction
            : whole.LastIndexOfAnyExcept('0');
        HighestPlace = PlaceOf(first);
        LowestPlace = PlaceOf(last);
    }

    public bool IsNegative { get; }

    public bool IsZero { get; }

    /// <summary>Digits after the point, zeros at the end included.</summary>
    public int Scale { get; }

    /// <summary>The place of the first digit other than zero.</summary>
    public int HighestPlace { get; }

    /// <summary>The place of the last digit other than zero.</summary>
    public int LowestPlace { get; }

    public static DecimalText Parse(ReadOnlySpan<char> text) => TryParse(text, out var number) ? number : throw NotANumber(text);

    /// <summary>As <see cref="Parse"/>, but false for what is not a number.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out DecimalText number)
    {
        number = default;
        var rest = text;
        var isNegative = rest is ['-', ..];
        if (rest is ['-' or '+', ..])
            rest = rest[1..];
        var whole = TakeDigits(ref rest);
        ReadOnlySpan<char> fraction = [];
        if (rest is ['.', ..])
        {
            rest = rest[1..];
            fraction = TakeDigits(ref rest);
        }
        var exponent = 0;
        if (whole.Length + fraction.Length == 0 || !(rest.IsEmpty || TryTakeExponent(rest, out exponent)))
            return false;
        number = new DecimalText(whole, fraction, exponent, isNegative);
        return true;
    }

    /// <summary>The four digits whose lowest is at <paramref name="place"/>.</summary>
    public ushort GroupAt(int place) =>
        (ushort)(DigitAt(place + 3) * 1000 + DigitAt(place + 2) * 100 + DigitAt(place + 1) * 10 + DigitAt(place));

    private int DigitAt(int place)
    {
        var index = PlaceOf(place); // the same way back
        if (index < 0 || index >= _whole.Length + _fraction.Length)
            return 0;
        return (index < _whole.Length ? _whole[index] : _fraction[index - _whole.Length]) - '0';
    }

    /// <summary>The place of a digit, counted from the first digit of the text; or the digit of a place.</summary>
    private int PlaceOf(int index) => _whole.Length - 1 - index + _exponent;

    private static ReadOnlySpan<char> TakeDigits(scoped ref ReadOnlySpan<char> text)
    {
        var length = text.IndexOfAnyExceptInRange('0', '9');
        var digits = length < 0 ? text : text[..length];
        text = text[digits.Length..];
        return digits;
    }

    private static bool TryTakeExponent(ReadOnlySpan<char> text, out int exponent)
    {
        exponent = 0;
        if (text is not ['e' or 'E', .. var digits])
            return false;
        var isNegative = digits is ['-', ..];
        digits = digits is ['-' or '+', ..] ? digits[1..] : digits;
        if (digits.IsEmpty || digits.ContainsAnyExceptInRange('0', '9'))
            return false;
        digits = digits.TrimStart('0');
        if (digits.Length > MostExponentDigits)
            return false;
        var magnitude = digits.IsEmpty ? 0 : long.Parse(digits, NumberStyles.None, CultureInfo.InvariantCulture);
        exponent = (int)Math.Min(MostExponent + 1L, magnitude);
        exponent = isNegative ? -exponent : exponent;
        return Math.Abs(exponent) <= MostExponent;
    }

    private static InvalidCastException NotANumber(ReadOnlySpan<char> text) => TypeErrors.NoForm(
        $"The text '{(text.Length <= 40 ? text : string.Concat(text[..40], "..."))}'", "a value of PostgreSQL type numeric",
        "Give digits with an optional sign, point and exponent, or NaN, Infinity or -Infinity");
}
