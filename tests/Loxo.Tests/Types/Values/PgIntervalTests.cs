namespace Loxo.Tests.Types.Values;

public class PgIntervalTests
{
    // As PostgreSQL 15 and (infinity) 17 show them.
    [TestCase(14, -3, 14706789000, "1 year 2 mons -3 days +04:05:06.789")]
    [TestCase(-10, 0, 0, "-10 mons")]
    [TestCase(1, -1, 1000000, "1 mon -1 days +00:00:01")]
    [TestCase(-1, 1, -1000000, "-1 mons +1 day -00:00:01")]
    [TestCase(0, 0, 0, "00:00:00")]
    [TestCase(0, 0, -1, "-00:00:00.000001")]
    [TestCase(24, 0, 90000000000, "2 years 25:00:00")]
    [TestCase(0, 0, -9223372036854775807, "-2562047788:00:54.775807")]
    [TestCase(0, 0, long.MinValue, "-2562047788:00:54.775808")]
    [TestCase(int.MaxValue, int.MaxValue, long.MaxValue, "infinity")]
    [TestCase(int.MinValue, int.MinValue, long.MinValue, "-infinity")]
    public void Its_text_is_the_servers(int months, int days, long time, string text) =>
        Assert.That(new PgInterval(months, days, time).ToString(), Is.EqualTo(text));

    [Test]
    public void Equal_means_that_every_part_is()
    {
        var interval = new PgInterval(1, 2, 3);
        Assert.That(interval == new PgInterval(1, 2, 3), Is.True);
        Assert.That(interval.Equals((object)new PgInterval(1, 2, 3)), Is.True);
        Assert.That(interval.GetHashCode(), Is.EqualTo(new PgInterval(1, 2, 3).GetHashCode()));
        Assert.That(interval != new PgInterval(2, 2, 3), Is.True);
        Assert.That(interval.Equals(new PgInterval(1, 3, 3)), Is.False);
        Assert.That(interval.Equals(new PgInterval(1, 2, 4)), Is.False);
        Assert.That(new PgInterval(1, 0, 0), Is.Not.EqualTo(new PgInterval(0, 30, 0)));
    }
}
