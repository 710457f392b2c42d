using Loxo.Types;

namespace Loxo.Tests.Types;

public class FloatTextTests
{
    // Each as SELECT ...::float8::text of PostgreSQL 15 shows it.
    [TestCase(0.1, "0.1")]
    [TestCase(0d, "0")]
    [TestCase(-0d, "-0")]
    [TestCase(1e20, "1e+20")]
    [TestCase(1e15, "1e+15")]
    [TestCase(1e100, "1e+100")]
    [TestCase(-1234567890123456d, "-1.234567890123456e+15")]
    [TestCase(9007199254740993d, "9.007199254740992e+15")]
    [TestCase(5e22, "4.9999999999999996e+22")] // 5e+22 is in the middle of two doubles
    [TestCase(123456789012345d, "123456789012345")]
    [TestCase(100000000000000d, "100000000000000")]
    [TestCase(12345.678, "12345.678")]
    [TestCase(0.12345678901234568, "0.12345678901234568")]
    [TestCase(-2e-7, "-2e-07")]
    [TestCase(0.0001, "0.0001")]
    [TestCase(0.00012345678901234567, "0.00012345678901234567")]
    [TestCase(5e-324, "5e-324")]
    [TestCase(double.MaxValue, "1.7976931348623157e+308")]
    [TestCase(double.NaN, "NaN")]
    [TestCase(double.NegativeInfinity, "-Infinity")]
    public void A_double_is_shown_as_the_server_does(double number, string text) => Assert.That(FloatText.Show(number), Is.EqualTo(text));

    [TestCase(0.1f, "0.1")]
    [TestCase(1e6f, "1e+06")]
    [TestCase(999999f, "999999")]
    [TestCase(-1234567f, "-1.234567e+06")]
    [TestCase(16777216f, "1.6777216e+07")]
    [TestCase(1e-5f, "1e-05")]
    [TestCase(0.0001f, "0.0001")]
    [TestCase(1e-45f, "1e-45")]
    [TestCase(float.MaxValue, "3.4028235e+38")]
    [TestCase(float.NegativeInfinity, "-Infinity")]
    public void A_float_is_shown_as_the_server_does(float number, string text) => Assert.That(FloatText.Show(number), Is.EqualTo(text));

    [Test]
    public void What_is_shown_is_read_back([Random(long.MinValue, long.MaxValue, 200)] long bits)
    {
        var number = BitConverter.Int64BitsToDouble(bits);
        Assert.That(FloatText.TryParse(FloatText.Show(number), out double again), Is.True);
        Assert.That(again, Is.EqualTo(number));
        var single = BitConverter.Int32BitsToSingle((int)bits);
        Assert.That(FloatText.TryParse(FloatText.Show(single), out float singleAgain), Is.True);
        Assert.That(singleAgain, Is.EqualTo(single));
    }

    [TestCase("1.5x", 1.5, 3)]
    [TestCase("1e", 1, 1)]
    [TestCase("1e+", 1, 1)]
    [TestCase(".5", .5, 2)]
    [TestCase("5.", 5, 2)]
    [TestCase("+1E-2 ", 0.01, 5)]
    [TestCase("inf", double.PositiveInfinity, 3)]
    [TestCase("-INFINITY", double.NegativeInfinity, 9)]
    [TestCase("infinit", double.PositiveInfinity, 3)]
    [TestCase("nan", double.NaN, 3)]
    [TestCase("0e99999999999", 0, 13)]
    [TestCase("0x10", 0, 1)]
    public void A_number_is_taken_as_far_as_it_goes(string text, double expected, int taken)
    {
        Assert.That((FloatText.TryTake(text, out double number, out var length), length), Is.EqualTo((true, taken)));
        Assert.That(number, Is.EqualTo(expected));
    }

    [Test]
    public void Zeros_may_make_up_for_an_exponent_of_any_size()
    {
        Assert.That(FloatText.TryParse("0." + new string('0', 20_000) + "15e20001", out double number), Is.True);
        Assert.That(number, Is.EqualTo(1.5));
        Assert.That(FloatText.TryParse("-" + new string('9', 20_000) + "e-20000", out number), Is.True);
        Assert.That(number, Is.EqualTo(-1));
    }

    [TestCase("")]
    [TestCase(".")]
    [TestCase("-")]
    [TestCase("e5")]
    [TestCase("1e4300")]
    [TestCase("-1e309")]
    [TestCase("1e-400")]
    [TestCase("1 2")]
    [TestCase("\u00a01")]
    [TestCase("1\0")]
    [TestCase("0x10")]
    public void What_the_server_refuses_is_no_number(string text) => Assert.That(FloatText.TryParse(text, out double _), Is.False);

    [TestCase("1e39")]
    [TestCase("1e-46")]
    public void A_float_has_limits_of_its_own(string text)
    {
        Assert.That(FloatText.TryParse(text, out float _), Is.False);
        Assert.That(FloatText.TryParse(text, out double _), Is.True);
    }
}
