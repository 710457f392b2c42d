namespace Loxo.Types;

/// <summary>The text of a numeric, taken apart: digits by their place, where place 0 is the one before the point.</summary>
internal readonly ref struct DecimalText
{
    // As far as the server reads an exponent, even that of zero (set_var_from_str, numeric.c). No place overflows by it.
    private const int MostExponent = FloatParts.MostExponent - 1;

    private readonly FloatParts _parts;

    private DecimalText(FloatParts parts)
    {
        _parts = parts;
        Scale = Math.Max(0, parts.Fraction.Length - parts.Exponent);
        if (parts.IsZero)
            return;
        HighestPlace = parts.Power;
        var last = parts.Fraction.LastIndexOfAnyExcept('0');
        LowestPlace = PlaceOf(last >= 0 ? parts.Whole.Length + last : parts.Whole.LastIndexOfAnyExcept('0'));
    }

    public bool IsNegative => _parts.IsNegative;

    public bool IsZero => _parts.IsZero;

    /// <summary>Digits after the point, zeros at the end included.</summary>
    public int Scale { get; }

    public int HighestPlace { get; }

    public int LowestPlace { get; }

    public static DecimalText Parse(ReadOnlySpan<char> text) => TryParse(text, out var number) ? number : throw TypeErrors.NoForm(
        $"The text '{(text.Length <= 40 ? text : string.Concat(text[..40], "..."))}'", "a value of PostgreSQL type numeric",
        "Give digits with an optional sign, point and exponent, or NaN, Infinity or -Infinity");

    public static bool TryParse(ReadOnlySpan<char> text, out DecimalText number)
    {
        var isNumber = FloatParts.TryTake(text, out var parts, out var length) && length == text.Length
            && Math.Abs(parts.Exponent) <= MostExponent;
        number = isNumber ? new DecimalText(parts) : default;
        return isNumber;
    }

    /// <summary>The four digits whose lowest is at <paramref name="place"/>.</summary>
    public ushort GroupAt(int place) =>
        (ushort)(DigitAt(place + 3) * 1000 + DigitAt(place + 2) * 100 + DigitAt(place + 1) * 10 + DigitAt(place));

    private int DigitAt(int place)
    {
        var index = PlaceOf(place); // the same way back
        if (index < 0 || index >= _parts.Whole.Length + _parts.Fraction.Length)
            return 0;
        return (index < _parts.Whole.Length ? _parts.Whole[index] : _parts.Fraction[index - _parts.Whole.Length]) - '0';
    }

    /// <summary>The place of a digit, counted from the first digit of the text; or the digit of a place.</summary>
    private int PlaceOf(int index) => _parts.Whole.Length - 1 - index + _parts.Exponent;
}
