using Loxo.Types;

namespace Loxo.Tests.Types;

public class NumericViewTests
{
    [TestCase("", "it ends within its header")]
    [TestCase("00010000000000", "it ends within its header")]
    [TestCase("0002000000000000" + "0001", "its number of digits does not fit its length")]
    [TestCase("ffff000000000000" + "0001", "its number of digits does not fit its length")]
    [TestCase("0000000012340000", "its sign is unknown")]
    [TestCase("0000000000004000", "it has more digits after the point than PostgreSQL allows")]
    public void Bytes_that_are_no_numeric_are_refused(string hex, string why) =>
        Assert.That(() => Count(hex), Throws.TypeOf<PgException>()
            .With.Message.EqualTo($"The server sent bytes that are not a value of PostgreSQL type numeric: {why}."));

    [TestCase("0001000000000000" + "2710")]
    [TestCase("0001000000000000" + "ffff")]
    public void A_group_of_more_than_four_digits_is_refused(string hex)
    {
        Assert.That(() => CodecCheck.Read<decimal>("numeric", hex), Throws.TypeOf<PgException>());
        Assert.That(() => CodecCheck.Read<string>("numeric", hex), Throws.TypeOf<PgException>());
    }

    [Test]
    public void Zeros_at_the_ends_are_trimmed() => Assert.That(Count("0004000100000000" + "0000" + "0001" + "0000" + "0000"), Is.EqualTo(1));

    [TestCase("000200000000000100011388", true)]
    [TestCase("00010000000000020001", false)]
    [TestCase("0000000000000002", false)]
    public void A_fraction_is_digits_after_the_point_that_are_not_zero(string hex, bool expected) =>
        Assert.That(new NumericView(Convert.FromHexString(hex)).HasFraction, Is.EqualTo(expected));

    private static int Count(string hex) => new NumericView(Convert.FromHexString(hex)).Count;
}
