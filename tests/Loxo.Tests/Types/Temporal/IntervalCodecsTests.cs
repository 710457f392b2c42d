namespace Loxo.Tests.Types;

public class IntervalCodecsTests
{
    [TestCase(14, -3, 14706789000, "000000036c97ca88fffffffd0000000e")]
    [TestCase(0, 0, -1, "ffffffffffffffff0000000000000000")]
    [TestCase(0, 1, 0, "00000000000000000000000100000000")]
    [TestCase(int.MaxValue, 0, 0, "0000000000000000000000007fffffff")]
    [TestCase(int.MinValue, int.MinValue, long.MinValue, "80000000000000008000000080000000")]
    public void An_interval_keeps_its_three_parts(int months, int days, long time, string hex)
    {
        CodecCheck.BothWays("interval", new PgInterval(months, days, time), hex);
        CodecCheck.OnlyWhole<PgInterval>("interval", hex);
        CodecCheck.OnlyWhole<TimeSpan>("interval", hex);
    }

    [TestCase("00:00:00", "00000000000000000000000000000000")]
    [TestCase("1.01:00:00", "00000000d693a4000000000100000000")]
    [TestCase("-1.01:00:00", "ffffffff296c5c00ffffffff00000000")]
    [TestCase("-00:00:00.000001", "ffffffffffffffff0000000000000000")]
    public void A_TimeSpan_is_days_and_time(string text, string hex) =>
        CodecCheck.BothWays("interval", TimeSpan.Parse(text, System.Globalization.CultureInfo.InvariantCulture), hex);

    [Test]
    public void Hours_beyond_a_day_add_up() =>
        Assert.That(CodecCheck.Read<TimeSpan>("interval", "00000014f46b04000000000000000000"), Is.EqualTo(TimeSpan.FromHours(25)));

    [Test]
    public void Every_TimeSpan_survives_but_for_its_last_digit()
    {
        foreach (var value in new[] { TimeSpan.MinValue, TimeSpan.MaxValue })
            Assert.That(CodecCheck.Read<TimeSpan>("interval", CodecCheck.Write("interval", value)).Ticks, Is.EqualTo(value.Ticks / 10 * 10));
    }

    [Test]
    public void Months_have_no_place_in_a_TimeSpan() =>
        Assert.That(() => CodecCheck.Read<TimeSpan>("interval", "000000036c97ca88fffffffd0000000e"), Throws.TypeOf<InvalidCastException>()
            .With.Message.EqualTo("The interval '1 year 2 mons -3 days +04:05:06.789', which has months, cannot become TimeSpan. Read it as PgInterval."));

    [TestCase("7fffffffffffffff7fffffff00000000")]
    [TestCase("7fffffffffffffff0000000000000000")]
    [TestCase("80000000000000008000000000000000")]
    public void An_interval_longer_than_a_TimeSpan_is_refused(string hex) =>
        Assert.That(() => CodecCheck.Read<TimeSpan>("interval", hex), Throws.TypeOf<OverflowException>().With.Message.Contains("Read it as PgInterval"));

    [Test]
    public void Infinity_has_no_place_in_a_TimeSpan() =>
        Assert.That(() => CodecCheck.Read<TimeSpan>("interval", "7fffffffffffffff7fffffff7fffffff"), Throws.TypeOf<OverflowException>()
            .With.Message.EqualTo("The interval 'infinity' does not fit into TimeSpan. Read it as PgInterval."));
}
