namespace Loxo.Types;

/// <summary>A decimal number at the start of a text, taken apart.</summary>
internal readonly ref struct FloatParts(ReadOnlySpan<char> text, ReadOnlySpan<char> whole, ReadOnlySpan<char> fraction, int exponent)
{
    // The powers of ten of the largest and of the smallest double, and some.
    private const int MostPower = 310;
    private const int LeastPower = -330;

    // .NET counts exponents up to here.
    private const int MostExponent = 9999;
    private const int MostExponentDigits = 9;

    private readonly ReadOnlySpan<char> _text = text;
    private readonly ReadOnlySpan<char> _whole = whole;
    private readonly ReadOnlySpan<char> _fraction = fraction;
    private readonly int _exponent = exponent;

    public bool IsZero => _whole.IndexOfAnyExcept('0') < 0 && _fraction.IndexOfAnyExcept('0') < 0;

    /// <summary>Whether the number is far too large or far too close to zero for any type.</summary>
    public bool IsOutOfReach => !IsZero && Power is > MostPower or < LeastPower;

    // The power of ten that the first digit other than zero counts.
    private int Power => _exponent + (_whole.IndexOfAnyExcept('0') is >= 0 and var first
        ? _whole.Length - 1 - first
        : -1 - _fraction.IndexOfAnyExcept('0'));

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
        if (Math.Abs(_exponent) <= MostExponent)
            return _text.ToString();
        var digits = string.Concat(_whole, _fraction).TrimStart('0');
        var power = IsZero ? 0 : Power;
        return string.Create(CultureInfo.InvariantCulture, $"{(_text[0] == '-' ? "-" : "")}0.{digits}e{power + 1}");
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
            : digits.Length > MostExponentDigits ? 1_000_000_000
            : int.Parse(digits, NumberStyles.None, CultureInfo.InvariantCulture);
        return rest[0] == '-' ? -magnitude : magnitude;
    }

    private static ReadOnlySpan<char> Digits(ReadOnlySpan<char> text) =>
        text.IndexOfAnyExceptInRange('0', '9') is >= 0 and var end ? text[..end] : text;
}
