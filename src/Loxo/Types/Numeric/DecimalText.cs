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

/// <summary>A decimal number at the start of a text, taken apart.</summary>
internal readonly ref struct FloatParts(ReadOnlySpan<char> text, ReadOnlySpan<char> whole, ReadOnlySpan<char> fraction, int exponent)
{
    /// <summary>Stands for every larger exponent.</summary>
    public const int MostExponent = int.MaxValue / 2;

    private const int MostExponentDigits = 10;

    // .NET counts exponents up to here.
    private const int MostExponentOfNet = 9999;

    // The powers of ten of the largest and of the smallest double, and some.
    private const int MostPower = 310;
    private const int LeastPower = -330;

    private readonly ReadOnlySpan<char> _text = text;

    public ReadOnlySpan<char> Whole { get; } = whole;

    public ReadOnlySpan<char> Fraction { get; } = fraction;

    public int Exponent { get; } = exponent;

    public bool IsNegative => _text is ['-', ..];

    public bool IsZero => Whole.IndexOfAnyExcept('0') < 0 && Fraction.IndexOfAnyExcept('0') < 0;

    /// <summary>Whether the number is far too large or far too close to zero for any floating-point type.</summary>
    public bool IsOutOfReach => !IsZero && Power is > MostPower or < LeastPower;

    /// <summary>The power of ten that the first digit other than zero counts.</summary>
    public int Power => Exponent + (Whole.IndexOfAnyExcept('0') is >= 0 and var first
        ? Whole.Length - 1 - first
        : -1 - Fraction.IndexOfAnyExcept('0'));

    /// <summary>As far as the number goes: the e of no exponent is not part of it.</summary>
    public static bool TryTake(ReadOnlySpan<char> text, out FloatParts parts, out int length)
    {
        length = text is ['-' or '+', ..] ? 1 : 0;
        var whole = Digits(text[length..]);
        length += whole.Length;
        ReadOnlySpan<char> fraction = [];
        if (length < text.Length && text[length] == '.')
        {
            fraction = Digits(text[(length + 1)..]);
            length += whole.Length + fraction.Length > 0 ? 1 + fraction.Length : 0;
        }
        var exponent = TakeExponent(text, ref length);
        parts = new FloatParts(text[..length], whole, fraction, exponent);
        return whole.Length + fraction.Length > 0;
    }

    /// <summary>A text that .NET reads as the same number.</summary>
    public string Spell()
    {
        if (Math.Abs(Exponent) <= MostExponentOfNet)
            return _text.ToString();
        var digits = string.Concat(Whole, Fraction).TrimStart('0');
        var power = IsZero ? 0 : Power;
        return string.Create(CultureInfo.InvariantCulture, $"{(IsNegative ? "-" : "")}0.{digits}e{power + 1}");
    }

    private static int TakeExponent(ReadOnlySpan<char> text, ref int length)
    {
        if (length >= text.Length || text[length] is not ('e' or 'E'))
            return 0;
        var rest = text[(length + 1)..];
        var sign = rest is ['-' or '+', ..] ? 1 : 0;
        var digits = Digits(rest[sign..]);
        if (digits.IsEmpty)
            return 0;
        length += 1 + sign + digits.Length;
        digits = digits.TrimStart('0');
        var magnitude = digits.IsEmpty ? 0
            : digits.Length > MostExponentDigits ? MostExponent
            : (int)Math.Min(MostExponent, long.Parse(digits, NumberStyles.None, CultureInfo.InvariantCulture));
        return rest[0] == '-' ? -magnitude : magnitude;
    }

    private static ReadOnlySpan<char> Digits(ReadOnlySpan<char> text) =>
        text.IndexOfAnyExceptInRange('0', '9') is >= 0 and var end ? text[..end] : text;
}
