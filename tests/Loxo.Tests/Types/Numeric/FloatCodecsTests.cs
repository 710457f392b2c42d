namespace Loxo.Tests.Types;

public class FloatCodecsTests
{
    [TestCase(1.5f, "3fc00000")]
    [TestCase(float.NegativeInfinity, "ff800000")]
    [TestCase(float.MaxValue, "7f7fffff")]
    [TestCase(float.Epsilon, "00000001")]
    public void A_real_is_four_bytes(float value, string hex)
    {
        CodecCheck.BothWays("real", value, hex);
        CodecCheck.BothWays<double>("real", value, hex);
        CodecCheck.OnlyWhole<float>("real", hex);
    }

    [TestCase(-1.5, "bff8000000000000")]
    [TestCase(double.PositiveInfinity, "7ff0000000000000")]
    [TestCase(double.MaxValue, "7fefffffffffffff")]
    [TestCase(double.Epsilon, "0000000000000001")]
    public void A_double_precision_is_eight_bytes(double value, string hex)
    {
        CodecCheck.BothWays("double precision", value, hex);
        CodecCheck.OnlyWhole<double>("double precision", hex);
    }

    [Test]
    public void NaN_comes_and_goes()
    {
        Assert.That(CodecCheck.Read<double>("float8", "7ff8000000000000"), Is.NaN);
        Assert.That(CodecCheck.Read<float>("float4", "7fc00000"), Is.NaN);
        Assert.That(CodecCheck.Read<double>("float8", CodecCheck.Write("float8", double.NaN)), Is.NaN);
        Assert.That(CodecCheck.Read<float>("float8", CodecCheck.Write("float8", float.NaN)), Is.NaN);
    }

    [Test]
    public void A_double_precision_reads_as_float_with_the_precision_of_float() =>
        Assert.That(CodecCheck.Read<float>("float8", CodecCheck.Write("float8", 0.1)), Is.EqualTo(0.1f));

    [Test]
    public void A_number_beyond_float_is_refused_instead_of_becoming_infinite()
    {
        Assert.That(() => CodecCheck.Read<float>("float8", CodecCheck.Write("float8", 1e300)), Throws.TypeOf<OverflowException>()
            .With.Message.EqualTo("The value 1E+300 of type double precision does not fit into float. Read it as double."));
        Assert.That(() => CodecCheck.Write("float4", -1e300), Throws.TypeOf<OverflowException>());
    }

    [Test]
    public void Infinity_stays_infinite_in_the_smaller_type() =>
        Assert.That(CodecCheck.Write("float4", double.NegativeInfinity), Is.EqualTo("ff800000"));
}
