using System.Globalization;
using System.Numerics;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class PgNumericTests
{
    private static readonly string Largest = new string('9', 131_072) + "." + new string('9', 16_383);

    // As PostgreSQL 15 shows and sends them.
    [TestCase("0", "0000000000000000")]
    [TestCase("0.00", "0000000000000002")]
    [TestCase("-1.50", "0002000040000002" + "0001" + "1388")]
    [TestCase("NaN", "00000000c0000000")]
    [TestCase("Infinity", "00000000d0000000")]
    [TestCase("-Infinity", "00000000f0000000")]
    [TestCase("79228162514264337593543950336", "00080007000000000007240c0659059210f1172f112b0150")]
    public void It_is_read_and_written_as_it_is_shown(string text, string hex)
    {
        CodecCheck.BothWays("numeric", PgNumeric.Parse(text), hex);
        Assert.That(CodecCheck.Read<PgNumeric>("numeric", hex).ToString(), Is.EqualTo(text));
        CodecCheck.OnlyWhole<PgNumeric>("numeric", hex);
        Assert.That(CodecCheck.ReadText<PgNumeric>("numeric", text).ToString(), Is.EqualTo(text));
    }

    [Test]
    public void The_largest_and_the_smallest_keep_all_their_digits()
    {
        Assert.That(PgNumeric.Parse(Largest).ToString(), Is.EqualTo(Largest));
        var smallest = "-0." + new string('0', 16_382) + "1";
        Assert.That(PgNumeric.Parse(smallest).ToString(), Is.EqualTo(smallest));
        Assert.That(() => PgNumeric.Parse("1" + Largest), Throws.TypeOf<OverflowException>());
        Assert.That(() => PgNumeric.Parse(Largest + "9"), Throws.TypeOf<OverflowException>());
        Assert.That(PgNumeric.TryParse("1e131072", null, out _), Is.False);
    }

    [TestCase("")]
    [TestCase("1,5")]
    [TestCase("infinite")]
    public void What_is_no_number_is_not_parsed(string text)
    {
        Assert.That(() => PgNumeric.Parse(text), Throws.TypeOf<FormatException>());
        Assert.That(PgNumeric.TryParse(text, null, out var nothing), Is.False);
        Assert.That(nothing, Is.EqualTo(PgNumeric.Zero));
        Assert.That(PgNumeric.TryParse(null, null, out _), Is.False);
    }

    [Test]
    public void Zeros_at_the_end_are_shown_but_make_no_other_number()
    {
        var (one, same) = (PgNumeric.Parse("1.0"), PgNumeric.Parse("1.00"));
        Assert.That((one == same, one.Equals((object)same), one.GetHashCode() == same.GetHashCode(), one.CompareTo(same)), Is.EqualTo((true, true, true, 0)));
        Assert.That((one.Scale, same.Scale, one.ToString(), same.ToString()), Is.EqualTo((1, 2, "1.0", "1.00")));
        var padded = CodecCheck.Read<PgNumeric>("numeric", "0004000100000000" + "0000" + "0001" + "0000" + "0000");
        Assert.That((padded == one, padded.GetHashCode()), Is.EqualTo((true, one.GetHashCode())));
        Assert.That(PgNumeric.Parse("-0.0"), Is.EqualTo(default(PgNumeric)));
        Assert.That(PgNumeric.Parse("-0.0").GetHashCode(), Is.EqualTo(default(PgNumeric).GetHashCode()));
    }

    [Test]
    public void They_are_ordered_as_the_server_orders_them()
    {
        string[] ordered =
        [
            "-Infinity", "-1e131071", "-10000", "-9999.9999", "-1.00001", "-1", "-0.5", "-0.00001", "0", "0.00001", "0.5", "1", "1.0001", "1.00010001", "2", "9999",
            "10000", "10000.1", "1e131071", "Infinity", "NaN",
        ];
        var numbers = ordered.Select(text => PgNumeric.Parse(text)).ToArray();
        for (var i = 0; i < numbers.Length; i++)
        {
            for (var j = 0; j < numbers.Length; j++)
            {
                Assert.That(Math.Sign(numbers[i].CompareTo(numbers[j])), Is.EqualTo(Math.Sign(i.CompareTo(j))), $"{ordered[i]} and {ordered[j]}");
                Assert.That((numbers[i] < numbers[j], numbers[i] <= numbers[j], numbers[i] > numbers[j], numbers[i] >= numbers[j], numbers[i] != numbers[j]),
                    Is.EqualTo((i < j, i <= j, i > j, i >= j, i != j)));
            }
        }
        Assert.That(((IComparable)numbers[0]).CompareTo(null), Is.EqualTo(1));
        Assert.That(() => ((IComparable)numbers[0]).CompareTo("1"), Throws.ArgumentException);
    }

    [Test]
    public void It_says_what_it_is()
    {
        Assert.That((PgNumeric.NaN.IsNaN, PgNumeric.NaN.IsFinite, PgNumeric.PositiveInfinity.IsNaN, PgNumeric.PositiveInfinity.Scale), Is.EqualTo((true, false, false, 0)));
        Assert.That((PgNumeric.PositiveInfinity.Sign, PgNumeric.NegativeInfinity.Sign, PgNumeric.Parse("-0.1").Sign, PgNumeric.Zero.Sign), Is.EqualTo((1, -1, -1, 0)));
        Assert.That((PgNumeric.Parse("5.00").IsInteger, PgNumeric.Parse("5.01").IsInteger, PgNumeric.NaN.IsInteger), Is.EqualTo((true, false, false)));
        Assert.That(() => PgNumeric.NaN.Sign, Throws.TypeOf<ArithmeticException>());
    }

    [Test]
    public void Conversions_are_exact_or_refused()
    {
        Assert.That(((decimal)(PgNumeric)1.50m).ToString(CultureInfo.InvariantCulture), Is.EqualTo("1.50"));
        Assert.That((double)(PgNumeric)0.1, Is.EqualTo(0.1));
        Assert.That((double)(PgNumeric)double.NaN, Is.NaN);
        Assert.That((long)(PgNumeric)long.MinValue, Is.EqualTo(long.MinValue));
        Assert.That((BigInteger)(PgNumeric)BigInteger.Pow(-7, 301), Is.EqualTo(BigInteger.Pow(-7, 301)));
        Assert.That(() => (decimal)PgNumeric.Parse("1e29"), Throws.TypeOf<OverflowException>());
        Assert.That(() => (decimal)PgNumeric.Parse("0." + new string('3', 29)), Throws.TypeOf<OverflowException>());
        Assert.That(() => (long)PgNumeric.Parse("1.5"), Throws.TypeOf<InvalidCastException>());
        Assert.That(() => (long)PgNumeric.Parse("9223372036854775808"), Throws.TypeOf<OverflowException>());
        Assert.That(() => (double)PgNumeric.Parse("1e309"), Throws.TypeOf<OverflowException>());
        Assert.That(() => (BigInteger)PgNumeric.NaN, Throws.TypeOf<InvalidCastException>());
        Assert.That(() => (PgNumeric)BigInteger.Pow(10, 131_072), Throws.TypeOf<OverflowException>());
    }

    [Test]
    public void It_is_formatted_into_a_span_that_is_long_enough()
    {
        Span<char> room = stackalloc char[5];
        Assert.That(PgNumeric.Parse("-1.50").TryFormat(room, out var length), Is.True);
        Assert.That(room[..length].ToString(), Is.EqualTo("-1.50"));
        Assert.That(PgNumeric.Parse("-1.500").TryFormat(room, out length), Is.False);
        Assert.That(length, Is.Zero);
        Assert.That(string.Create(CultureInfo.InvariantCulture, $"{PgNumeric.Parse("1.5"):G}"), Is.EqualTo("1.5"));
        Assert.That(() => PgNumeric.Zero.ToString("N2", null), Throws.TypeOf<FormatException>());
    }

    [Test]
    public void Digits_that_no_server_sends_are_refused_when_they_are_read() =>
        Assert.That(() => CodecCheck.Read<PgNumeric>("numeric", "00010000000000002710"), Throws.TypeOf<PgException>());

    [Test]
    public void A_policy_makes_it_the_default()
    {
        Assert.That(NumericTypes.Numeric(NumericPolicy.PgNumeric).First().ValueType, Is.EqualTo(typeof(PgNumeric)));
        Assert.That(NumericTypes.Numeric(NumericPolicy.Throw).First().ValueType, Is.EqualTo(typeof(decimal)));
    }
}
