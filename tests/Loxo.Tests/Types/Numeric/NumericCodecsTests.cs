using System.Globalization;
using System.Numerics;

namespace Loxo.Tests.Types;

public class NumericCodecsTests
{
    [Test]
    public void Whole_numbers_read_and_write_as_every_integer_type()
    {
        const string five = "00010000000000000005";
        CodecCheck.BothWays<byte>("numeric", 5, five);
        CodecCheck.BothWays<short>("numeric", 5, five);
        CodecCheck.BothWays("numeric", 5, five);
        CodecCheck.BothWays<long>("numeric", 5, five);
        CodecCheck.BothWays<double>("numeric", 5, five);
        CodecCheck.BothWays<float>("numeric", 5, five);
        CodecCheck.BothWays<BigInteger>("numeric", 5, five);
    }

    [Test]
    public void A_whole_number_with_zeros_after_the_point_is_whole() => Assert.That(CodecCheck.Read<int>("numeric", "00010000000000020005"), Is.EqualTo(5));

    [Test]
    public void A_fraction_does_not_become_an_integer() =>
        Assert.That(() => CodecCheck.Read<int>("numeric", "000200000000000100011388"), Throws.TypeOf<InvalidCastException>()
            .With.Message.EqualTo("The value 1.5 of type numeric cannot become int. Read it as decimal."));

    [Test]
    public void A_number_too_large_for_an_integer_is_refused() =>
        Assert.That(() => CodecCheck.Read<byte>("numeric", CodecCheck.Write("numeric", 300)), Throws.TypeOf<OverflowException>());

    [TestCase("79228162514264337593543950336", "00080007000000000007240c0659059210f1172f112b0150")]
    [TestCase("-79228162514264337593543950335", "00080007400000000007240c0659059210f1172f112b014f")]
    [TestCase("0", "0000000000000000")]
    [TestCase("10000000000000000000000000000000000000000", "0001000a000000000001")]
    public void BigInteger_takes_every_whole_number(string text, string hex) =>
        CodecCheck.BothWays("numeric", BigInteger.Parse(text, CultureInfo.InvariantCulture), hex);

    [Test]
    public void BigInteger_takes_the_largest_numeric()
    {
        var largest = BigInteger.Pow(10, 131072) - 1;
        Assert.That(CodecCheck.Read<BigInteger>("numeric", CodecCheck.Write("numeric", largest)), Is.EqualTo(largest));
        Assert.That(() => CodecCheck.Write("numeric", largest + 1), Throws.TypeOf<OverflowException>());
    }

    [TestCase("000200000000000100011388", "1.5")]
    [TestCase("00000000c0000000", "NaN")]
    [TestCase("00000000d0000020", "Infinity")]
    public void BigInteger_refuses_what_is_not_whole(string hex, string shown) =>
        Assert.That(() => CodecCheck.Read<BigInteger>("numeric", hex), Throws.TypeOf<InvalidCastException>()
            .With.Message.EqualTo($"The numeric value {shown} cannot become BigInteger. Read it as PgNumeric, decimal, double or string."));

    [TestCase(0.1, "0.1")]
    [TestCase(-1e300, null)]
    [TestCase(double.Epsilon, null)]
    [TestCase(123456789.125, "123456789.125")]
    [TestCase(double.PositiveInfinity, "Infinity")]
    [TestCase(double.NegativeInfinity, "-Infinity")]
    [TestCase(double.NaN, "NaN")]
    public void A_double_comes_back_as_it_was(double value, string? text)
    {
        var hex = CodecCheck.Write("numeric", value);
        Assert.That(CodecCheck.Read<double>("numeric", hex), Is.EqualTo(value));
        if (text is not null)
            Assert.That(CodecCheck.Read<string>("numeric", hex), Is.EqualTo(text));
    }

    [Test]
    public void A_numeric_with_more_digits_than_double_reads_as_the_nearest() =>
        Assert.That(CodecCheck.Read<double>("numeric", CodecCheck.Write("numeric", "0.1000000000000000055511151231257827021181583404541015625")), Is.EqualTo(0.1));

    [Test]
    public void A_numeric_beyond_double_is_refused_instead_of_becoming_infinite()
    {
        Assert.That(() => CodecCheck.Read<double>("numeric", CodecCheck.Write("numeric", "-1e400")), Throws.TypeOf<OverflowException>());
        Assert.That(() => CodecCheck.Read<float>("numeric", CodecCheck.Write("numeric", "1e40")), Throws.TypeOf<OverflowException>());
    }

    [Test]
    public void Unsigned_and_wide_integers_are_whole_numbers_too()
    {
        const string five = "00010000000000000005";
        CodecCheck.BothWays<sbyte>("numeric", 5, five);
        CodecCheck.BothWays<ushort>("numeric", 5, five);
        CodecCheck.BothWays<uint>("numeric", 5, five);
        CodecCheck.BothWays<ulong>("numeric", 5, five);
        CodecCheck.BothWays<Int128>("numeric", 5, five);
        CodecCheck.BothWays<UInt128>("numeric", 5, five);
        Assert.That(CodecCheck.Read<ulong>("numeric", CodecCheck.Write("numeric", ulong.MaxValue)), Is.EqualTo(ulong.MaxValue));
        Assert.That(CodecCheck.Read<UInt128>("numeric", CodecCheck.Write("numeric", UInt128.MaxValue)), Is.EqualTo(UInt128.MaxValue));
        Assert.That(CodecCheck.Read<Int128>("numeric", CodecCheck.Write("numeric", Int128.MinValue)), Is.EqualTo(Int128.MinValue));
    }

    [Test]
    public void A_number_beyond_a_wide_integer_is_refused_with_a_type_that_takes_it()
    {
        Assert.That(() => CodecCheck.Read<Int128>("numeric", CodecCheck.Write("numeric", UInt128.MaxValue)), Throws.TypeOf<OverflowException>()
            .With.Message.EqualTo("The numeric value 340282366920938463463374607431768211455 does not fit into Int128. Read it as BigInteger or PgNumeric."));
        Assert.That(() => CodecCheck.Read<UInt128>("numeric", CodecCheck.Write("numeric", -1)), Throws.TypeOf<OverflowException>());
        Assert.That(() => CodecCheck.Read<ulong>("numeric", CodecCheck.Write("numeric", -1)), Throws.TypeOf<OverflowException>());
    }
}
