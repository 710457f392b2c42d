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
