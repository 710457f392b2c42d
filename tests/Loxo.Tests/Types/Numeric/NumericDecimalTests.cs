using System.Globalization;
using FsCheck;
using FsCheck.Fluent;

namespace Loxo.Tests.Types;

public class NumericDecimalTests
{
    [TestCase("0", "0000000000000000")]
    [TestCase("0.00", "0000000000000002")]
    [TestCase("1", "00010000000000000001")]
    [TestCase("-1", "00010000400000000001")]
    [TestCase("10000", "00010001000000000001")]
    [TestCase("1.5", "000200000000000100011388")]
    [TestCase("1.50", "000200000000000200011388")]
    [TestCase("123.45", "0002000000000002007b1194")]
    [TestCase("-0.0001", "0001ffff400000040001")]
    [TestCase("0.00001", "0001fffe0000000503e8")]
    [TestCase("100000000000000000000", "00010005000000000001")]
    [TestCase("12345678901234567890.12345678", "000700040000000804d2162e23340d801ed204d2162e")]
    [TestCase("79228162514264337593543950335", "00080007000000000007240c0659059210f1172f112b014f")]
    [TestCase("-79228162514264337593543950335", "00080007400000000007240c0659059210f1172f112b014f")]
    [TestCase("7.9228162514264337593543950335", "000800000000001c0007240c0659059210f1172f112b014f")]
    [TestCase("0.0000000000000000000000000001", "0001fff90000001c0001")]
    [TestCase("10000000000000000000000000000", "00010007000000000001")]
    public void A_decimal_keeps_its_digits_and_its_scale(string text, string hex)
    {
        var value = decimal.Parse(text, CultureInfo.InvariantCulture);
        CodecCheck.BothWays("numeric", value, hex);
        Assert.That(CodecCheck.Read<decimal>("numeric", hex).ToString(CultureInfo.InvariantCulture), Is.EqualTo(text));
        CodecCheck.OnlyWhole<decimal>("numeric", hex);
    }

    [TestCase("00080007000000000007240c0659059210f1172f112b0150", "79228162514264337593543950336")]
    [TestCase("0001000700000000000a", "100000000000000000000000000000")]
    [TestCase("0001fff80000001d03e8", "0.00000000000000000000000000001")]
    [TestCase("00017fff000000000001", "1000000000000000000000000000000000000000... (131069 characters)")]
    public void A_number_that_does_not_fit_is_refused_with_its_digits(string hex, string shown) =>
        Assert.That(() => CodecCheck.Read<decimal>("numeric", hex), Throws.TypeOf<OverflowException>()
            .With.Message.StartsWith($"The numeric value {shown} does not fit into decimal, which has 28 digits. Read it as "));

    [Test]
    public void A_number_with_too_many_digits_after_the_point_is_refused_with_what_helps() =>
        Assert.That(() => CodecCheck.Read<decimal>("numeric", "0001fff80000001d03e8"), Throws.TypeOf<OverflowException>()
            .With.Message.EndsWith("Read it as PgNumeric, double or string, round() it in SQL, or choose NumericPolicy.Round."));

    [TestCase("00000000c0000000", "NaN")]
    [TestCase("00000000d0000020", "Infinity")]
    [TestCase("00000000f0000020", "-Infinity")]
    public void What_is_no_number_is_refused_by_name(string hex, string shown) =>
        Assert.That(() => CodecCheck.Read<decimal>("numeric", hex), Throws.TypeOf<OverflowException>()
            .With.Message.EqualTo($"The numeric value {shown} does not fit into decimal. Read it as PgNumeric, double or string."));

    [Test]
    public void Zeros_beyond_the_28th_digit_are_dropped() =>
        Assert.That(CodecCheck.Read<decimal>("numeric", "0001000000000028" + "0001").ToString(CultureInfo.InvariantCulture),
            Is.EqualTo("1." + new string('0', 28)));

    [Test]
    public void Negative_zero_is_written_as_zero() =>
        Assert.That(CodecCheck.Write("numeric", new decimal(0, 0, 0, isNegative: true, scale: 1)), Is.EqualTo("0000000000000001"));

    [Test]
    public void Groups_of_zeros_at_either_end_do_not_matter() =>
        Assert.That(CodecCheck.Read<decimal>("numeric", "0004000100000000" + "0000" + "0001" + "0000" + "0000"), Is.EqualTo(1m));

    [Test]
    public void Every_decimal_comes_back_as_it_was()
    {
        var decimals =
            from low in ArbMap.Default.GeneratorFor<int>()
            from middle in Gen.OneOf(Gen.Constant(0), ArbMap.Default.GeneratorFor<int>())
            from high in Gen.OneOf(Gen.Constant(0), ArbMap.Default.GeneratorFor<int>())
            from isNegative in ArbMap.Default.GeneratorFor<bool>()
            from scale in Gen.Choose(0, 28)
            select new decimal(low, middle, high, isNegative, (byte)scale);
        var property = Prop.ForAll(decimals.ToArbitrary(), value =>
        {
            var read = CodecCheck.Read<decimal>("numeric", CodecCheck.Write("numeric", value));
            return read == value && read.Scale == value.Scale;
        });
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(5000), property);
    }
}
