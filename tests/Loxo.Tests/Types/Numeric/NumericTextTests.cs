using System.Numerics;
using FsCheck;
using FsCheck.Fluent;
using Loxo.Protocol.Frontend;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class NumericTextTests
{
    [TestCase("0", "0000000000000000")]
    [TestCase("0.00", "0000000000000002")]
    [TestCase("-1", "00010000400000000001")]
    [TestCase("123.45", "0002000000000002007b1194")]
    [TestCase("-0.0001", "0001ffff400000040001")]
    [TestCase("0.00001", "0001fffe0000000503e8")]
    [TestCase("79228162514264337593543950336", "00080007000000000007240c0659059210f1172f112b0150")]
    [TestCase("0.00000000000000000000000000001", "0001fff80000001d03e8")]
    [TestCase("1.0000000000000000000000000000000000000000", "00010000000000280001")]
    [TestCase("NaN", "00000000c0000000")]
    public void Text_is_what_the_server_shows(string text, string hex) => CodecCheck.BothWays("numeric", text, hex);

    // The server puts a scale of 32 into its infinities, and ignores it when it receives one.
    [TestCase("Infinity", "00000000d0000020", "00000000d0000000")]
    [TestCase("-Infinity", "00000000f0000020", "00000000f0000000")]
    public void Infinities_have_names(string text, string sent, string written)
    {
        Assert.That(CodecCheck.Read<string>("numeric", sent), Is.EqualTo(text));
        Assert.That(CodecCheck.Write("numeric", text), Is.EqualTo(written));
    }

    [TestCase("1e3", "1000")]
    [TestCase("-1.5E-3", "-0.0015")]
    [TestCase(" +007.50 ", "7.50")]
    [TestCase(".5", "0.5")]
    [TestCase("5.", "5")]
    [TestCase("-0", "0")]
    [TestCase("0e999999", "0")]
    [TestCase("12345e-2", "123.45")]
    public void Other_spellings_are_the_same_number(string text, string shown) =>
        Assert.That(CodecCheck.Read<string>("numeric", CodecCheck.Write("numeric", text)), Is.EqualTo(shown));

    [TestCase("1e131072")]
    [TestCase("1e-16384")]
    [TestCase("1e999999")]
    [TestCase("-1e-999999")]
    public void More_digits_than_numeric_has_are_refused(string text) =>
        Assert.That(() => CodecCheck.Write("numeric", text), Throws.TypeOf<OverflowException>());

    [Test]
    public void The_largest_numeric_goes_both_ways()
    {
        var text = new string('9', 131072) + "." + new string('9', 16383);
        Assert.That(CodecCheck.Read<string>("numeric", CodecCheck.Write("numeric", text)), Is.EqualTo(text));
    }

    [Test]
    public void A_long_number_is_abbreviated_for_errors() =>
        Assert.That(NumericText.Abbreviate(new NumericView(Convert.FromHexString("00010063000000000001"))),
            Is.EqualTo("1000000000000000000000000000000000000000... (397 characters)"));

    [Test]
    public void A_number_of_another_kind_needs_no_decimal_in_between() =>
        Assert.That(NumericText.ToNumber<BigInteger>(new NumericView(Convert.FromHexString("00010063000000000001"))), Is.EqualTo(BigInteger.Pow(10, 396)));

    [Test]
    public void Every_number_comes_back_with_its_digits()
    {
        var numbers =
            from whole in Digits(1, 30)
            from fraction in Digits(0, 30)
            from sign in Gen.Elements("", "-")
            select sign + (whole.TrimStart('0') is { Length: > 0 } trimmed ? trimmed : "7") + (fraction.Length > 0 ? "." + fraction : "");
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(3000), Prop.ForAll(numbers.ToArbitrary(), text =>
        {
            var writer = new MessageWriter();
            NumericText.Write(writer, text);
            return NumericText.ToText(new NumericView(writer.Pending)) == text;
        }));
    }

    private static Gen<string> Digits(int atLeast, int atMost) =>
        from length in Gen.Choose(atLeast, atMost)
        from digits in Gen.Elements("0123456789".ToCharArray()).ArrayOf(length)
        select new string(digits);
}
