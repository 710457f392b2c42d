using System.Numerics;

namespace Loxo.Types;

/// <summary>numeric as decimal text of any length, as the server shows it.</summary>
internal static class NumericText
{
    private const int AbbreviatedLength = 40;

    public static string ToText(NumericView numeric) =>
        string.Create(LengthOf(numeric), numeric, static (text, value) => Format(text, value));

    /// <summary>The text parsed as a number of another kind, without a string in between.</summary>
    public static T ToNumber<T>(NumericView numeric)
        where T : INumber<T>
    {
        var length = LengthOf(numeric);
        var rented = length > 256 ? ArrayPool<char>.Shared.Rent(length) : null;
        var text = rented is null ? stackalloc char[length] : rented.AsSpan(0, length);
        try
        {
            Format(text, numeric);
            return T.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture);
        }
        finally
        {
            if (rented is not null)
                ArrayPool<char>.Shared.Return(rented);
        }
    }

    public static string Abbreviate(NumericView numeric)
    {
        var text = ToText(numeric);
        return text.Length <= AbbreviatedLength
            ? text
            : string.Create(CultureInfo.InvariantCulture, $"{text.AsSpan(0, AbbreviatedLength)}... ({text.Length} characters)");
    }

    /// <summary>Writes digits with an optional sign, point and exponent, NaN or an infinity, as the server reads them.</summary>
    public static void Write(MessageWriter writer, ReadOnlySpan<char> text)
    {
        text = AsciiBlanks.Trim(text);
        if (SpecialOf(text) is { } special)
            NumericDecimal.WriteGroups(writer, [], 0, special, 0);
        else
            WriteDigits(writer, DecimalText.Parse(text));
    }

    /// <summary>As <see cref="Write"/>, but false, with nothing written, for what is no number or has too many digits.</summary>
    public static bool TryWrite(MessageWriter writer, ReadOnlySpan<char> text)
    {
        text = AsciiBlanks.Trim(text);
        if (SpecialOf(text) is null && !(DecimalText.TryParse(text, out var digits) && Fits(digits)))
            return false;
        Write(writer, text);
        return true;
    }

    public static int LengthOf(NumericView numeric) => numeric.Special?.Length
        ?? (IsShownNegative(numeric) ? 1 : 0) + WholeDigits(numeric) + (numeric.Scale > 0 ? 1 + numeric.Scale : 0);

    public static void Format(Span<char> destination, NumericView numeric)
    {
        if (numeric.Special is { } special)
        {
            special.CopyTo(destination);
            return;
        }
        if (IsShownNegative(numeric))
        {
            destination[0] = '-';
            destination = destination[1..];
        }
        var whole = WholeDigits(numeric);
        for (var i = 0; i < whole; i++)
            destination[i] = DigitAt(numeric, whole - 1 - i);
        if (numeric.Scale == 0)
            return;
        destination[whole] = '.';
        for (var i = 1; i <= numeric.Scale; i++)
            destination[whole + i] = DigitAt(numeric, -i);
    }

    private static bool IsShownNegative(NumericView numeric) => numeric.IsNegative && numeric.Count > 0;

    private static int WholeDigits(NumericView numeric)
    {
        if (numeric.Count == 0 || numeric.Weight < 0)
            return 1;
        var inFirstGroup = numeric[0] switch { >= 1000 => 4, >= 100 => 3, >= 10 => 2, _ => 1 };
        return numeric.Weight * NumericFormat.DigitsPerGroup + inFirstGroup;
    }

    private static char DigitAt(NumericView numeric, int place)
    {
        var index = numeric.Weight - (place >> 2);
        if (index < 0 || index >= numeric.Count)
            return '0';
        var group = numeric[index];
        return (char)('0' + (place & 3) switch { 0 => group, 1 => group / 10, 2 => group / 100, _ => group / 1000 } % 10);
    }

    // In any case, and shorter than they are shown (numeric_in, numeric.c).
    private static ushort? SpecialOf(ReadOnlySpan<char> text)
    {
        if (text.Equals("NaN", StringComparison.OrdinalIgnoreCase))
            return NumericFormat.NaN;
        var word = text is ['-' or '+', ..] ? text[1..] : text;
        if (!word.Equals("Infinity", StringComparison.OrdinalIgnoreCase) && !word.Equals("inf", StringComparison.OrdinalIgnoreCase))
            return null;
        return text[0] == '-' ? NumericFormat.NegativeInfinity : NumericFormat.PositiveInfinity;
    }

    private static bool Fits(DecimalText digits) =>
        digits.HighestPlace < NumericFormat.MaxWholeDigits && digits.Scale <= NumericFormat.MaxScale;

    private static void WriteDigits(MessageWriter writer, DecimalText digits)
    {
        if (!Fits(digits))
        {
            var whole = Math.Max(0, digits.HighestPlace + 1);
            throw TypeErrors.OutOfRange($"A number with {whole} digits before the point and {digits.Scale} after it",
                "PostgreSQL type numeric, which has 131072 and 16383", "Round it");
        }
        var weight = digits.HighestPlace >> 2;
        var count = digits.IsZero ? 0 : weight - (digits.LowestPlace >> 2) + 1;
        Span<ushort> groups = count <= 64 ? stackalloc ushort[count] : new ushort[count];
        for (var i = 0; i < count; i++)
            groups[i] = digits.GroupAt((weight - i) * NumericFormat.DigitsPerGroup);
        var sign = digits is { IsNegative: true, IsZero: false } ? NumericFormat.Negative : NumericFormat.Positive;
        NumericDecimal.WriteGroups(writer, groups, weight, sign, digits.Scale);
    }
}
