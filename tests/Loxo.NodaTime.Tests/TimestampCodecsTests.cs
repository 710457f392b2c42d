using NodaTime;

namespace Loxo.Noda.Tests;

public class TimestampCodecsTests
{
    private static readonly Instant Second = Instant.FromUtc(2000, 1, 1, 0, 0, 1);

    [Test]
    public void An_instant_is_microseconds_from_2000()
    {
        CodecCheck.BothWays(new InstantCodec(), Second, "00000000000f4240");
        CodecCheck.BothWays(new InstantCodec(), Second - Duration.FromSeconds(1) - Duration.FromTicks(10), "ffffffffffffffff");
        CodecCheck.BothWays(new ZonedDateTimeCodec(), Second.InUtc(), "00000000000f4240");
        CodecCheck.BothWays(new OffsetDateTimeCodec(), Second.WithOffset(Offset.Zero), "00000000000f4240");
        CodecCheck.BothWays(new LocalDateTimeCodec(), new LocalDateTime(2000, 1, 1, 0, 0, 1), "00000000000f4240");
    }

    [Test]
    public void Infinity_is_the_last_instant_and_minus_infinity_the_first()
    {
        CodecCheck.BothWays(new InstantCodec(), Instant.MaxValue, "7fffffffffffffff");
        CodecCheck.BothWays(new InstantCodec(), Instant.MinValue, "8000000000000000");
        CodecCheck.BothWays(new LocalDateTimeCodec(), LocalDate.MaxIsoValue + LocalTime.MaxValue, "7fffffffffffffff");
        CodecCheck.BothWays(new LocalDateTimeCodec(), LocalDate.MinIsoValue + LocalTime.MinValue, "8000000000000000");
    }

    [Test]
    public void What_is_finer_than_a_microsecond_is_cut_off_towards_the_past()
    {
        Assert.That(CodecCheck.Write(new InstantCodec(), Second + Duration.FromNanoseconds(1999)), Is.EqualTo("00000000000f4241"));
        Assert.That(CodecCheck.Write(new InstantCodec(), NodaConstants.UnixEpoch - Duration.FromNanoseconds(1)),
            Is.EqualTo(CodecCheck.Write(new InstantCodec(), NodaConstants.UnixEpoch - Duration.FromTicks(10))));
    }

    [TestCase("7ffffffffffffffe")]
    [TestCase("8000000000000001")]
    public void An_instant_that_NodaTime_has_not_is_refused(string hex) =>
        Assert.That(() => CodecCheck.Read(new InstantCodec(), hex), Throws.TypeOf<OverflowException>().With.Message.Contains("Read it as long"));

    [Test]
    public void The_year_after_the_last_one_is_refused() =>
        Assert.That(() => CodecCheck.Read(new InstantCodec(), "0380e70b913b8000"), Throws.TypeOf<OverflowException>().With.Message.StartsWith(
            "The timestamp with time zone 252455616000000000 microseconds from 2000-01-01 does not fit into Instant, which has the years -9998 to 9999."));

    [Test]
    public void A_zone_that_the_server_would_forget_is_refused()
    {
        var zone = DateTimeZone.ForOffset(Offset.FromHours(1));
        Assert.That(() => CodecCheck.Write(new ZonedDateTimeCodec(), Second.InZone(zone)), Throws.TypeOf<InvalidCastException>()
            .With.Message.EqualTo("A ZonedDateTime in zone UTC+01 cannot become a value of PostgreSQL type timestamp with time zone, which does not keep zones. "
                + "Write its ToInstant() or WithZone(DateTimeZone.Utc)."));
        Assert.That(CodecCheck.Write(new ZonedDateTimeCodec(), Second.InZone(DateTimeZoneProviders.Tzdb["Etc/UTC"])), Is.EqualTo("00000000000f4240"));
        Assert.That(() => CodecCheck.Write(new OffsetDateTimeCodec(), Second.WithOffset(Offset.FromHours(1))), Throws.TypeOf<InvalidCastException>()
            .With.Message.Contains("An OffsetDateTime with offset +01"));
    }

    [Test]
    public void A_date_of_another_calendar_is_the_same_day()
    {
        var julian = new LocalDateTime(2000, 1, 1, 0, 0, 1).WithCalendar(CalendarSystem.Julian);
        Assert.That(CodecCheck.Write(new LocalDateTimeCodec(), julian), Is.EqualTo("00000000000f4240"));
        Assert.That(CodecCheck.Write(new LocalDateCodec(), julian.Date.PlusDays(1)), Is.EqualTo("00000001"));
    }
}
