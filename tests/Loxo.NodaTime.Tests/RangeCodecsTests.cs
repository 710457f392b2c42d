using NodaTime;

namespace Loxo.Noda.Tests;

public class RangeCodecsTests
{
    private const string Zero = "000000080000000000000000", One = "000000080000000000000001", Infinity = "000000087fffffffffffffff";
    private static readonly Instant Epoch = Instant.FromUtc(2000, 1, 1, 0, 0);
    private static readonly Duration Microsecond = Duration.FromTicks(10);

    [Test]
    public void An_interval_includes_its_start_but_not_its_end()
    {
        CodecCheck.BothWays(new IntervalCodec(), new Interval(Epoch, Epoch + Microsecond), "02" + Zero + One);
        CodecCheck.BothWays(new IntervalCodec(), new Interval(null, Epoch), "08" + Zero);
        CodecCheck.BothWays(new IntervalCodec(), new Interval(Epoch, null), "12" + Zero);
        CodecCheck.BothWays(new IntervalCodec(), new Interval(null, null), "18");
    }

    [Test]
    public void Other_bounds_are_moved_by_the_least_step()
    {
        Assert.That(CodecCheck.Read(new IntervalCodec(), "04" + Zero + One), Is.EqualTo(new Interval(Epoch + Microsecond, Epoch + Microsecond * 2)));
        Assert.That(CodecCheck.Read(new IntervalCodec(), "06" + Zero + Infinity), Is.EqualTo(new Interval(Epoch, Instant.MaxValue)));
    }

    [Test]
    public void An_empty_range_is_an_empty_interval() => Assert.That(CodecCheck.Read(new IntervalCodec(), "01").Duration, Is.EqualTo(Duration.Zero));

    [Test]
    public void A_range_that_ends_before_it_starts_is_refused() =>
        Assert.That(() => CodecCheck.Read(new IntervalCodec(), "02" + One + Zero), Throws.TypeOf<PgException>());

    [Test]
    public void A_date_interval_includes_both_ends()
    {
        var days = new DateInterval(new LocalDate(2000, 1, 1), new LocalDate(2000, 1, 2));
        CodecCheck.BothWays(new DateIntervalCodec(), days, "060000000400000000" + "0000000400000001");
        Assert.That(CodecCheck.Read(new DateIntervalCodec(), "020000000400000000" + "0000000400000002"), Is.EqualTo(days));
        Assert.That(CodecCheck.Read(new DateIntervalCodec(), "0400000004ffffffff" + "0000000400000001"), Is.EqualTo(days));
    }

    [Test]
    public void A_date_interval_without_a_bound_has_the_first_or_last_day()
    {
        CodecCheck.BothWays(new DateIntervalCodec(), new DateInterval(LocalDate.MinIsoValue, new LocalDate(2000, 1, 1)), "0c0000000400000000");
        CodecCheck.BothWays(new DateIntervalCodec(), new DateInterval(new LocalDate(2000, 1, 1), LocalDate.MaxIsoValue), "120000000400000000");
        CodecCheck.BothWays(new DateIntervalCodec(), new DateInterval(LocalDate.MinIsoValue, LocalDate.MaxIsoValue), "18");
        Assert.That(CodecCheck.Read(new DateIntervalCodec(), "020000000480000000" + "000000047fffffff").End, Is.EqualTo(LocalDate.MaxIsoValue));
    }

    [TestCase("01")]
    [TestCase("0200000004000000000000000400000000")]
    public void No_date_interval_is_empty(string hex) =>
        Assert.That(() => CodecCheck.Read(new DateIntervalCodec(), hex), Throws.TypeOf<InvalidCastException>().With.Message.Contains("Read it as PgRange<LocalDate>"));
}
