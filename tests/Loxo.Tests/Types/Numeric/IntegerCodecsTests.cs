namespace Loxo.Tests.Types;

public class IntegerCodecsTests
{
    [TestCase(short.MinValue, "8000")]
    [TestCase(short.MaxValue, "7fff")]
    [TestCase((short)258, "0102")]
    public void A_smallint_is_two_bytes(short value, string hex)
    {
        CodecCheck.BothWays("smallint", value, hex);
        CodecCheck.BothWays<int>("smallint", value, hex);
        CodecCheck.BothWays<long>("smallint", value, hex);
        CodecCheck.BothWays<float>("smallint", value, hex);
        CodecCheck.BothWays<double>("smallint", value, hex);
        CodecCheck.BothWays<decimal>("smallint", value, hex);
        CodecCheck.OnlyWhole<short>("smallint", hex);
    }

    [TestCase(int.MinValue, "80000000")]
    [TestCase(int.MaxValue, "7fffffff")]
    [TestCase(16909060, "01020304")]
    public void An_integer_is_four_bytes(int value, string hex)
    {
        CodecCheck.BothWays("integer", value, hex);
        CodecCheck.BothWays<long>("integer", value, hex);
        CodecCheck.BothWays<double>("integer", value, hex);
        CodecCheck.BothWays<decimal>("integer", value, hex);
        CodecCheck.OnlyWhole<int>("integer", hex);
    }

    [TestCase(long.MinValue, "8000000000000000")]
    [TestCase(long.MaxValue, "7fffffffffffffff")]
    [TestCase(72623859790382856, "0102030405060708")]
    public void A_bigint_is_eight_bytes(long value, string hex)
    {
        CodecCheck.BothWays("bigint", value, hex);
        CodecCheck.BothWays<decimal>("bigint", value, hex);
        CodecCheck.OnlyWhole<long>("bigint", hex);
    }

    [Test]
    public void Small_numbers_pass_through_every_numeric_type()
    {
        CodecCheck.BothWays<byte>("smallint", 200, "00c8");
        CodecCheck.BothWays<sbyte>("smallint", -2, "fffe");
        CodecCheck.BothWays<byte>("integer", 200, "000000c8");
        CodecCheck.BothWays<sbyte>("integer", -2, "fffffffe");
        CodecCheck.BothWays<short>("integer", -2, "fffffffe");
        CodecCheck.BothWays<float>("integer", 200, "000000c8");
        CodecCheck.BothWays<byte>("bigint", 200, "00000000000000c8");
        CodecCheck.BothWays<sbyte>("bigint", -2, "fffffffffffffffe");
        CodecCheck.BothWays<short>("bigint", -2, "fffffffffffffffe");
        CodecCheck.BothWays<int>("bigint", -2, "fffffffffffffffe");
        CodecCheck.BothWays<float>("bigint", 200, "00000000000000c8");
        CodecCheck.BothWays<double>("bigint", 200, "00000000000000c8");
    }

    [Test]
    public void A_value_too_large_to_read_says_what_would_hold_it() =>
        Assert.That(() => CodecCheck.Read<int>("bigint", "0000000080000000"), Throws.TypeOf<OverflowException>()
            .With.Message.EqualTo("The value 2147483648 of type bigint does not fit into int. Read it as long."));

    [Test]
    public void A_value_too_large_to_write_says_which_type_would_hold_it() =>
        Assert.That(() => CodecCheck.Write("smallint", 40000), Throws.TypeOf<OverflowException>()
            .With.Message.Contains("The value 40000 of type int does not fit into PostgreSQL type smallint."));

    [Test]
    public void A_fraction_is_refused_instead_of_cut_off() =>
        Assert.That(() => CodecCheck.Write("integer", 1.5m), Throws.TypeOf<InvalidCastException>()
            .With.Message.Contains("The value 1.5 of type decimal cannot become a value of PostgreSQL type integer. Round it"));

    [TestCase(double.NaN)]
    [TestCase(double.PositiveInfinity)]
    [TestCase(1e300)]
    public void What_is_no_whole_number_in_range_is_refused(double value) =>
        Assert.That(() => CodecCheck.Write("bigint", value), Throws.TypeOf<OverflowException>());
}
