using NodaTime;

namespace Loxo.Noda.Tests;

public class DateAndTimeCodecsTests
{
    [Test]
    public void A_date_is_days_from_2000()
    {
        CodecCheck.BothWays(new LocalDateCodec(), new LocalDate(2000, 1, 2), "00000001");
        CodecCheck.BothWays(new LocalDateCodec(), new LocalDate(1999, 12, 31), "ffffffff");
        CodecCheck.BothWays(new LocalDateCodec(), LocalDate.MaxIsoValue, "7fffffff");
        CodecCheck.BothWays(new LocalDateCodec(), LocalDate.MinIsoValue, "80000000");
    }

    [TestCase("7ffffffe")]
    [TestCase("80000001")]
    public void A_date_that_NodaTime_has_not_is_refused(string hex) =>
        Assert.That(() => CodecCheck.Read(new LocalDateCodec(), hex), Throws.TypeOf<OverflowException>().With.Message.Contains("Read it as int"));

    [Test]
    public void A_time_is_microseconds_from_midnight()
    {
        CodecCheck.BothWays(new LocalTimeCodec(), LocalTime.Midnight, "0000000000000000");
        CodecCheck.BothWays(new LocalTimeCodec(), new LocalTime(23, 59, 59).PlusTicks(9999990), "000000141dd75fff");
        Assert.That(CodecCheck.Write(new LocalTimeCodec(), LocalTime.MaxValue), Is.EqualTo("000000141dd75fff"));
    }

    [Test]
    public void The_end_of_a_day_is_no_time_of_it()
    {
        Assert.That(() => CodecCheck.Read(new LocalTimeCodec(), "000000141dd76000"), Throws.TypeOf<OverflowException>()
            .With.Message.EqualTo("The time without time zone 24:00 does not fit into LocalTime. Read it as TimeSpan."));
        Assert.That(() => CodecCheck.Read(new LocalTimeCodec(), "000000141dd76001"), Throws.TypeOf<PgException>());
        Assert.That(() => CodecCheck.Read(new LocalTimeCodec(), "ffffffffffffffff"), Throws.TypeOf<PgException>());
    }

    [Test]
    public void A_time_with_offset_has_its_zone_west_of_UTC()
    {
        CodecCheck.BothWays(new OffsetTimeCodec(), new OffsetTime(LocalTime.Midnight, Offset.FromHours(1)), "0000000000000000fffff1f0");
        CodecCheck.BothWays(new OffsetTimeCodec(), new OffsetTime(LocalTime.FromSecondsSinceMidnight(1), Offset.FromSeconds(-57599)), "00000000000f42400000e0ff");
        Assert.That(() => CodecCheck.Read(new OffsetTimeCodec(), "00000000000000000000e100"), Throws.TypeOf<PgException>());
        Assert.That(() => CodecCheck.Write(new OffsetTimeCodec(), new OffsetTime(LocalTime.Midnight, Offset.FromHours(16))), Throws.TypeOf<OverflowException>());
    }
}
