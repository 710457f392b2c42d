using System.Globalization;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class NumericRoundingTests
{
    private static readonly Codec<decimal> Rounding =
        NumericTypes.Numeric(NumericPolicy.Round).OfType<Codec<decimal>>().Single();

    // The exact ones, the halves in both directions, and a half that more digits far behind make more than a half.
    [TestCase("1.50", "1.50")]
    [TestCase("0.00000000000000000000000000005", "0.0000000000000000000000000000")]
    [TestCase("0.00000000000000000000000000015", "0.0000000000000000000000000002")]
    [TestCase("0.00000000000000000000000000025", "0.0000000000000000000000000002")]
    [TestCase("0.000000000000000000000000000250000000000000000000000000000000000000000000000000001", "0.0000000000000000000000000003")]
    [TestCase("-0.00000000000000000000000000015", "-0.0000000000000000000000000002")]
    [TestCase("3.3333333333333333333333333333333333333333333333333333", "3.3333333333333333333333333333")]
    [TestCase("9.9999999999999999999999999999999999999999999999999999", "10.000000000000000000000000000")]
    [TestCase("79228162514264337593543950334.5", "79228162514264337593543950334")]
    [TestCase("79228162514264337593543950335.4999999999999999999999999999999999999", "79228162514264337593543950335")]
    [TestCase("-12345678901234567890.123456789012345678901234567890", "-12345678901234567890.123456789")]
    [TestCase("0.1e-200", "0.0000000000000000000000000000")]
    public void The_nearest_decimal_is_read(string text, string expected) =>
        Assert.That(Rounding.Read(Convert.FromHexString(CodecCheck.Write("numeric", text))).ToString(CultureInfo.InvariantCulture), Is.EqualTo(expected));

    [TestCase("79228162514264337593543950335.5")]
    [TestCase("79228162514264337593543950336")]
    [TestCase("-1e29")]
    [TestCase("1e1000")]
    [TestCase("NaN")]
    [TestCase("Infinity")]
    public void What_is_too_large_or_no_number_is_refused(string text) =>
        Assert.That(() => Rounding.Read(Convert.FromHexString(CodecCheck.Write("numeric", text))), Throws.TypeOf<OverflowException>()
            .With.Message.Contains("Read it as PgNumeric").And.Message.Not.Contains("NumericPolicy.Round"));

    [Test]
    public void Rounding_agrees_with_a_division_of_whole_numbers()
    {
        var random = new Random(4711);
        for (var i = 0; i < 3000; i++)
        {
            var whole = string.Concat(Enumerable.Range(0, random.Next(1, 26)).Select(_ => random.Next(10)));
            var fraction = string.Concat(Enumerable.Range(0, random.Next(1, 60)).Select(_ => random.Next(2) * 5));
            var text = whole + "." + fraction;
            var read = Rounding.Read(Convert.FromHexString(CodecCheck.Write("numeric", text)));
            Assert.That(read, Is.EqualTo(ByDivision(whole, fraction, read.Scale)), text);
        }
    }

    private static decimal ByDivision(string whole, string fraction, int scale)
    {
        var all = System.Numerics.BigInteger.Parse(whole + fraction, CultureInfo.InvariantCulture);
        var dropped = Math.Max(0, fraction.Length - scale);
        var (quotient, rest) = System.Numerics.BigInteger.DivRem(all, System.Numerics.BigInteger.Pow(10, dropped));
        var twice = rest * 2 - System.Numerics.BigInteger.Pow(10, dropped);
        var up = dropped > 0 && (twice > 0 || (twice.IsZero && !quotient.IsEven));
        var (high, low) = UInt128.DivRem((UInt128)(quotient + (up ? 1 : 0)), UInt128.One << 64);
        return new decimal((int)(ulong)low, (int)((ulong)low >> 32), (int)(ulong)high, false, (byte)Math.Min(scale, fraction.Length));
    }
}
