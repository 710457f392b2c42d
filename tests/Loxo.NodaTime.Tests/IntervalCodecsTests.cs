using NodaTime;

namespace Loxo.Noda.Tests;

public class IntervalCodecsTests
{
    [Test]
    public void A_period_keeps_months_days_and_time_apart()
    {
        var period = new PeriodBuilder { Years = 1, Months = 2, Days = -3, Hours = 4, Minutes = 5, Seconds = 6, Milliseconds = 789 }.Build();
        CodecCheck.BothWays(new PeriodCodec(), period, "000000036c97ca88fffffffd0000000e");
        CodecCheck.BothWays(new PeriodCodec(), Period.FromHours(25), "00000014f46b04000000000000000000");
        CodecCheck.BothWays(new PeriodCodec(), Period.FromDays(1), "00000000000000000000000100000000");
    }

    [Test]
    public void Units_that_the_server_has_not_are_made_of_those_it_has()
    {
        Assert.That(CodecCheck.Write(new PeriodCodec(), Period.FromWeeks(2)), Is.EqualTo(CodecCheck.Write(new PeriodCodec(), Period.FromDays(14))));
        Assert.That(CodecCheck.Write(new PeriodCodec(), Period.FromTicks(15)), Is.EqualTo(CodecCheck.Write(new PeriodCodec(), Period.FromNanoseconds(1000))));
    }

    [Test]
    public void A_period_that_no_interval_can_hold_is_refused()
    {
        foreach (var period in new[] { Period.FromYears(int.MaxValue), Period.FromWeeks(int.MinValue), Period.FromHours(long.MaxValue), Period.FromSeconds(long.MinValue) })
            Assert.That(() => CodecCheck.Write(new PeriodCodec(), period), Throws.TypeOf<OverflowException>().With.Message.EndsWith("Give a shorter one."));
    }

    [TestCase("7fffffffffffffff7fffffff7fffffff", "infinity")]
    [TestCase("80000000000000008000000080000000", "-infinity")]
    public void Infinity_is_no_period(string hex, string name)
    {
        Assert.That(() => CodecCheck.Read(new PeriodCodec(), hex), Throws.TypeOf<OverflowException>()
            .With.Message.EqualTo($"The interval {name} does not fit into Period. Read it as PgInterval."));
        Assert.That(() => CodecCheck.Read(new DurationCodec(), hex), Throws.TypeOf<OverflowException>());
    }

    [TestCase("7fffffffffffffff0000000000000000")]
    [TestCase("80000000000000008000000080000001")]
    public void The_longest_periods_are_read_and_written_again(string hex) =>
        Assert.That(CodecCheck.Write(new PeriodCodec(), CodecCheck.Read(new PeriodCodec(), hex)), Is.EqualTo(hex));

    [Test]
    public void A_duration_is_days_and_time()
    {
        CodecCheck.BothWays(new DurationCodec(), Duration.FromHours(25), "00000000d693a4000000000100000000");
        CodecCheck.BothWays(new DurationCodec(), -Duration.FromHours(25), "ffffffff296c5c00ffffffff00000000");
        Assert.That(CodecCheck.Read(new DurationCodec(), "00000014f46b04000000000000000000"), Is.EqualTo(Duration.FromHours(25)));
    }

    [Test]
    public void An_interval_that_is_no_duration_is_refused()
    {
        Assert.That(() => CodecCheck.Read(new DurationCodec(), "00000000000000000000000000000001"), Throws.TypeOf<InvalidCastException>()
            .With.Message.EqualTo("An interval of 1 months cannot become Duration. Read it as Period."));
        Assert.That(() => CodecCheck.Read(new DurationCodec(), "00000000000000007fffffff00000000"), Throws.TypeOf<OverflowException>());
    }
}
