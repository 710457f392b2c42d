using System.Numerics;

namespace Loxo.Types;

/// <summary>
/// The fewest decimal digits that tell a floating-point number from its neighbours, as the server chooses them (d2s.c and f2s.c, with the
/// bounds of the rounding interval excluded). .NET includes the bounds, and breaks ties in another way.
/// </summary>
/// <param name="Digits">The digits, without zeros at either end.</param>
/// <param name="Exponent">The power of ten that the first digit counts.</param>
internal readonly record struct ShortestDigits(string Digits, int Exponent)
{
    // log10(2)
    private const double DigitsPerBit = 0.30102999566398119521;

    public static ShortestDigits Of(double positive) => Of(BitConverter.DoubleToUInt64Bits(positive), mantissaBits: 52, bias: 1023);

    public static ShortestDigits Of(float positive) => Of(BitConverter.SingleToUInt32Bits(positive), mantissaBits: 23, bias: 127);

    // The number and the middles between it and its neighbours are multiples of 2^power.
    private static ShortestDigits Of(ulong bits, int mantissaBits, int bias)
    {
        var fraction = bits & ((1UL << mantissaBits) - 1);
        var biased = (int)(bits >> mantissaBits);
        var mantissa = biased == 0 ? fraction : fraction | 1UL << mantissaBits;
        var power = Math.Max(biased, 1) - bias - mantissaBits - 2;
        var isLowerNeighbourNearer = fraction == 0 && biased > 1;
        var scale = (int)Math.Floor(power * DigitsPerBit) - 1;
        var number = Scaled(4 * mantissa, power, scale);
        var above = Scaled(4 * mantissa + 2, power, scale);
        var below = Scaled(4 * mantissa - (isLowerNeighbourNearer ? 1U : 2U), power, scale);
        return Shorten(number, above.IsExact ? above.Whole - 1 : above.Whole, below.Whole, scale);
    }

    // The multiple of 10^scale that is not larger.
    private static (BigInteger Whole, bool IsExact) Scaled(ulong multiple, int power, int scale)
    {
        var (numerator, denominator) = (new BigInteger(multiple), BigInteger.One);
        if (power >= 0)
            numerator <<= power;
        else
            denominator <<= -power;
        if (scale >= 0)
            denominator *= BigInteger.Pow(10, scale);
        else
            numerator *= BigInteger.Pow(10, -scale);
        var whole = BigInteger.DivRem(numerator, denominator, out var rest);
        return (whole, rest.IsZero);
    }

    // Digits go as long as a number remains between the bounds; the last one that went decides on rounding, half to even.
    private static ShortestDigits Shorten((BigInteger Whole, bool IsExact) number, BigInteger above, BigInteger below, int scale)
    {
        var (digits, isExact) = number;
        BigInteger last = 0;
        while (true)
        {
            var (shorterAbove, shorterBelow) = (above / 10, below / 10);
            if (shorterAbove <= shorterBelow)
                break;
            isExact &= last.IsZero;
            digits = BigInteger.DivRem(digits, 10, out last);
            (above, below) = (shorterAbove, shorterBelow);
            scale++;
        }
        var isTie = isExact && last == 5 && digits.IsEven;
        if (digits == below || (last >= 5 && !isTie))
            digits++;
        var text = digits.ToString(CultureInfo.InvariantCulture);
        return new ShortestDigits(text.TrimEnd('0'), scale + text.Length - 1);
    }
}
