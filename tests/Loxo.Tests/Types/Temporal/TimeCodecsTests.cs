namespace Loxo.Tests.Types;

public class TimeCodecsTests
{
    [TestCase("00:00:00", "0000000000000000")]
    [TestCase("12:34:56.789", "0000000a8be62608")]
    [TestCase("23:59:59.999999", "000000141dd75fff")]
    public void A_time_is_microseconds_since_midnight(string text, string hex)
    {
        var value = TimeOnly.Parse(text, System.Globalization.CultureInfo.InvariantCulture);
        CodecCheck.BothWays("time", value, hex);
        CodecCheck.BothWays("time", value.ToTimeSpan(), hex);
        CodecCheck.BothWays("time", Convert.ToInt64(hex, 16), hex);
        CodecCheck.OnlyWhole<TimeOnly>("time", hex);
        CodecCheck.OnlyWhole<TimeSpan>("time", hex);
    }

    [Test]
    public void Twenty_four_hours_fit_into_a_TimeSpan_only()
    {
        const string end = "000000141dd76000";
        CodecCheck.BothWays("time", TimeSpan.FromDays(1), end);
        Assert.That(() => CodecCheck.Read<TimeOnly>("time", end), Throws.TypeOf<OverflowException>()
            .With.Message.EqualTo("The time 24:00 does not fit into TimeOnly. Read it as TimeSpan or long (microseconds since midnight)."));
    }

    [Test]
    public void A_TimeSpan_beyond_a_day_is_no_time()
    {
        Assert.That(() => CodecCheck.Write("time", TimeSpan.FromTicks(-1)), Throws.TypeOf<OverflowException>().With.Message.Contains("PgDbType.Interval"));
        Assert.That(() => CodecCheck.Write("time", TimeSpan.FromHours(25)), Throws.TypeOf<OverflowException>().With.Message.Contains("1.01:00:00"));
    }

    [TestCase("ffffffffffffffff")]
    [TestCase("000000141dd76001")]
    public void A_time_that_no_day_has_is_refused(string hex)
    {
        Assert.That(() => CodecCheck.Read<TimeOnly>("time", hex), Throws.TypeOf<PgException>().With.Message.Contains("between 00:00 and 24:00"));
        Assert.That(() => CodecCheck.Read<TimeSpan>("time", hex), Throws.TypeOf<PgException>());
        Assert.That(() => CodecCheck.Read<DateTimeOffset>("timetz", hex + "00000000"), Throws.TypeOf<PgException>());
    }

    [TestCase("12:34:56.789 +05:30", "0000000a8be62608ffffb2a8")]
    [TestCase("00:00:00 -14:00", "00000000000000000000c4e0")]
    [TestCase("00:00:00 +14:00", "0000000000000000ffff3b20")]
    public void A_timetz_is_a_time_and_seconds_west_of_UTC(string text, string hex)
    {
        var value = DateTimeOffset.Parse("0001-01-02 " + text, System.Globalization.CultureInfo.InvariantCulture);
        CodecCheck.BothWays("timetz", value, hex);
        Assert.That(CodecCheck.Read<DateTimeOffset>("timetz", hex).Offset, Is.EqualTo(value.Offset));
        CodecCheck.OnlyWhole<DateTimeOffset>("timetz", hex);
    }

    [Test]
    public void The_date_of_a_timetz_is_not_written() =>
        Assert.That(CodecCheck.Write("timetz", new DateTimeOffset(2024, 2, 29, 12, 0, 0, TimeSpan.Zero)), Is.EqualTo("0000000a0eebb00000000000"));

    [TestCase("000000141dd7600000000000", "24:00")]
    [TestCase("0000000a0eebb000ffff1f3c", "15:59:00")]
    [TestCase("0000000a0eebb000fffffb6c", "00:19:32")]
    [TestCase("0000000a0eebb0007fffffff", "-24855.03:14:07")]
    public void A_timetz_that_DateTimeOffset_does_not_have_is_refused(string hex, string shown) =>
        Assert.That(() => CodecCheck.Read<DateTimeOffset>("timetz", hex), Throws.TypeOf<OverflowException>()
            .With.Message.Contains(shown).And.Message.Contains("Cast it to text or to time in SQL"));
}
