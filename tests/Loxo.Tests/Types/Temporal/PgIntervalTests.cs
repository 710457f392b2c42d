namespace Loxo.Tests.Types;

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
    public void Its_text_is_the_servers(int months, int days, long time, string text)
    {
        Assert.That(new PgInterval(months, days, time).ToString(), Is.EqualTo(text));
        Assert.That(PgInterval.Parse(text), Is.EqualTo(new PgInterval(months, days, time)));
    }

    [TestCase("1 year 2 mons -3 days +04:05:06.789", "P1Y2M-3DT4H5M6.789S")]
    [TestCase("00:00:00", "PT0S")]
    [TestCase("-00:00:00.000001", "PT-0.000001S")]
    [TestCase("-1 mons +1 day -00:00:01", "P-1M1DT-1S")]
    [TestCase("25:00:00", "PT25H")]
    [TestCase("-178956970 years -8 mons -2147483648 days", "P-178956970Y-8M-2147483648D")]
    [TestCase("-2562047788:00:54.775807", "PT-2562047788H-54.775807S")]
    [TestCase("10 years 00:01:00", "P10YT1M")]
    [TestCase("infinity", "infinity")]
    public void It_has_a_form_in_ISO_8601(string text, string iso)
    {
        Assert.That(PgInterval.Parse(text).ToString("I", null), Is.EqualTo(iso));
        Assert.That($"{PgInterval.Parse(text):I}", Is.EqualTo(iso));
        Assert.That(PgInterval.Parse(iso), Is.EqualTo(PgInterval.Parse(text)));
    }

    [TestCase("P2W", "14 days")]
    [TestCase("P1Y1Y", "2 years")]
    [TestCase(" 1 day ", "1 day")]
    [TestCase("P1YT", "1 year")]
    [TestCase("PT", "00:00:00")]
    public void It_is_parsed_from_some_other_texts_too(string text, string shown) => Assert.That(PgInterval.Parse(text).ToString(), Is.EqualTo(shown));

    [TestCase("")]
    [TestCase("P")]
    [TestCase("P1")]
    [TestCase("1 month 1 months")]
    [TestCase("1 monkey")]
    [TestCase("1 day 2 days")]
    [TestCase("1 day 1 year")]
    [TestCase("P+1Y")]
    [TestCase(" P1Y")]
    [TestCase("P2147483647D1D-5D")]
    [TestCase("PT1234567890.5S")]
    [TestCase("P1H")]
    [TestCase("PT1D")]
    [TestCase("PT1.5H")]
    [TestCase("P3000000000D")]
    [TestCase("PT999999999999999999H")]
    [TestCase("1 fortnight")]
    [TestCase("1 day ago and quite a number of other words, which together are longer than any interval that there is, with blanks and all the rest of it")]
    public void What_is_no_interval_is_not_parsed(string text)
    {
        Assert.That(PgInterval.TryParse(text, null, out var nothing), Is.False);
        Assert.That(nothing, Is.EqualTo(default(PgInterval)));
        Assert.That(() => PgInterval.Parse(text), Throws.TypeOf<FormatException>());
        Assert.That(PgInterval.TryParse(null, null, out _), Is.False);
    }

    [Test]
    public void Infinity_is_told_from_long_intervals()
    {
        Assert.That((PgInterval.Infinity.IsInfinity, PgInterval.Infinity.IsNegativeInfinity, PgInterval.Infinity.IsFinite), Is.EqualTo((true, false, false)));
        Assert.That((PgInterval.NegativeInfinity.IsInfinity, PgInterval.NegativeInfinity.IsNegativeInfinity), Is.EqualTo((false, true)));
        Assert.That(new PgInterval(int.MaxValue, int.MaxValue, long.MaxValue - 1).IsFinite, Is.True);
    }

    [Test]
    public void A_TimeSpan_is_days_and_time()
    {
        Assert.That((PgInterval)new TimeSpan(25, 0, 0), Is.EqualTo(new PgInterval(0, 1, 3_600_000_000)));
        Assert.That((TimeSpan)new PgInterval(0, 1, -1), Is.EqualTo(TimeSpan.FromDays(1) - TimeSpan.FromMicroseconds(1)));
        Assert.That(() => (TimeSpan)new PgInterval(1, 0, 0), Throws.TypeOf<OverflowException>().With.Message.Contains("1 mon"));
        Assert.That(() => (TimeSpan)new PgInterval(0, int.MaxValue, 0), Throws.TypeOf<OverflowException>());
        Assert.That(() => (TimeSpan)PgInterval.Infinity, Throws.TypeOf<OverflowException>().With.Message.Contains("infinity"));
    }

    [Test]
    public void It_is_formatted_into_a_span_that_is_long_enough()
    {
        Span<char> room = stackalloc char[5];
        Assert.That((new PgInterval(0, 1, 0).TryFormat(room, out var length), length, room.ToString()), Is.EqualTo((true, 5, "1 day")));
        Assert.That((new PgInterval(0, 10, 0).TryFormat(room, out length), length), Is.EqualTo((false, 0)));
        Assert.That((new PgInterval(0, 10, 0).TryFormat(room, out length, "I"), room[..length].ToString()), Is.EqualTo((true, "P10D")));
        Assert.That(() => default(PgInterval).ToString("c", null), Throws.TypeOf<FormatException>());
    }

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
