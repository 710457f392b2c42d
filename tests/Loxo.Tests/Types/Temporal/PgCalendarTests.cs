using Loxo.Types;

namespace Loxo.Tests.Types;

public class PgCalendarTests
{
    [TestCase(0, "2000-01-01")]
    [TestCase(-730120, "0001-12-31 BC")]
    [TestCase(-730119, "0001-01-01")]
    [TestCase(2921940, "10000-01-01")]
    [TestCase(2145031948, "5874897-12-31")]
    public void Every_day_has_a_date(long days, string date) => Assert.That(PgCalendar.Describe(days), Is.EqualTo(date));

    [Test]
    public void Days_and_dates_are_two_ways_to_say_the_same()
    {
        for (long day = -2_451_545; day < 3_000_000; day += 9_973)
        {
            var text = PgCalendar.Describe(day);
            var isBefore = text.EndsWith(" BC", StringComparison.Ordinal);
            var parts = text.Replace(" BC", "").Split('-');
            var year = long.Parse(parts[0]);
            Assert.That(PgCalendar.ToDays(isBefore ? 1 - year : year, long.Parse(parts[1]), long.Parse(parts[2])), Is.EqualTo(day), text);
        }
    }

    [TestCase(2023, 2, 29)]
    [TestCase(2023, 13, 1)]
    [TestCase(2023, 0, 1)]
    [TestCase(2023, 4, 31)]
    [TestCase(2023, 4, 0)]
    [TestCase(999_999_999_999, 1, 1)]
    public void There_is_no_day_for_what_is_no_date(long year, long month, long day) => Assert.That(PgCalendar.ToDays(year, month, day), Is.Null);

    [TestCase(-1, -1)]
    [TestCase(0, 0)]
    [TestCase(86_399_999_999, 0)]
    [TestCase(86_400_000_000, 1)]
    public void A_day_starts_at_midnight_before_2000_too(long microseconds, long day) => Assert.That(PgCalendar.DayOf(microseconds), Is.EqualTo(day));
}
