using System.Text;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class IntervalTextTests
{
    [TestCase("1 year 2 mons -3 days +04:05:06.789")]
    [TestCase("-2147483648 days -00:00:00.000001")]
    [TestCase("infinity")]
    [TestCase("-infinity")]
    public void Both_styles_lead_to_the_same_interval(string text)
    {
        Assert.That(IntervalText.TryRead(Encoding.UTF8.GetBytes(text), out var interval), Is.True);
        Assert.That(interval.ToString(), Is.EqualTo(text));
        Assert.That(!interval.IsFinite || IntervalText.TryReadIso(Encoding.UTF8.GetBytes(IntervalText.ToIso(interval)), out var again) && again == interval, Is.True);
    }

    [Test]
    public void Random_intervals_come_back_from_both_styles()
    {
        var random = new Random(17);
        for (var i = 0; i < 2000; i++)
        {
            var interval = new PgInterval(random.Next(-50, 50), random.Next(-40, 40), random.NextInt64(-100_000_000_000, 100_000_000_000) / (long)Math.Pow(10, random.Next(8)));
            Assert.That(PgInterval.Parse(interval.ToString()), Is.EqualTo(interval));
            Assert.That(PgInterval.Parse(interval.ToString("I", null)), Is.EqualTo(interval));
        }
    }

    // The server checks each part by itself, before it adds it to those before (AdjustDays, AdjustMicroseconds, datetime.c).
    [TestCase("P-1545375912D493632117W")]
    [TestCase("P1545375912D-493632117W")]
    [TestCase("P493632117W-1545375912D")]
    [TestCase("P-2147483648D306783379W")]
    [TestCase("P1Y-2147483649Y")]
    [TestCase("P1M-2147483649M")]
    [TestCase("P1D-2147483649D")]
    [TestCase("PT-1H2562047789H")]
    [TestCase("PT1H-2562047789H")]
    [TestCase("PT-1M153722867281M")]
    [TestCase("PT-1S9223372036855S")]
    [TestCase("PT1S-9223372036855S")]
    [TestCase("PT-2562047788H2562047789H")]
    [TestCase("PT-2562047788H153722867281M")]
    [TestCase("PT-2562047788H9223372036855S")]
    [TestCase("PT-2562047788H9223372036855S1.5S")]
    public void A_part_that_is_too_large_by_itself_is_refused_whatever_the_others_make_of_it(string text) => Assert.That(PgInterval.TryParse(text, null, out _), Is.False);

    [TestCase("P-2147483648D306783378W", 0, -2, 0)]
    [TestCase("P306783378W-2147483646D", 0, 0, 0)]
    [TestCase("P-306783378W2147483647D", 0, 1, 0)]
    [TestCase("P2147483647M-178956970Y", 7, 0, 0)]
    [TestCase("PT-2562047788H2562047788H", 0, 0, 0)]
    public void Parts_at_the_limits_are_added(string text, int months, int days, long time) => Assert.That(PgInterval.Parse(text), Is.EqualTo(new PgInterval(months, days, time)));

    [Test]
    public void No_prefix_of_an_interval_ends_in_anything_but_an_answer()
    {
        foreach (var text in new[] { "1 year 2 mons -3 days +04:05:06.789", "P1Y2M-3DT4H5M6.789S" })
        {
            for (var length = 0; length < text.Length; length++)
                Assert.That(() => PgInterval.TryParse(text.AsSpan(0, length), null, out _), Throws.Nothing);
        }
    }
}
