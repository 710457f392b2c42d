using System.Globalization;
using Loxo.Types;

namespace Loxo.Tests.Types;

[NonParallelizable] // one test turns a switch of the process
public class DateCodecsTests
{
    [TestCase("2000-01-01", "00000000")]
    [TestCase("1999-12-31", "ffffffff")]
    [TestCase("2024-02-29", "00002279")]
    [TestCase("0001-01-02", "fff4dbfa")]
    [TestCase("9999-12-30", "002c95d2")]
    public void A_date_is_days_since_2000(string date, string hex)
    {
        var value = DateOnly.ParseExact(date, "yyyy-MM-dd", CultureInfo.InvariantCulture);
        CodecCheck.BothWays("date", value, hex);
        CodecCheck.BothWays("date", value.ToDateTime(default), hex);
        CodecCheck.BothWays("date", value.DayNumber - new DateOnly(2000, 1, 1).DayNumber, hex);
        CodecCheck.OnlyWhole<DateOnly>("date", hex);
        CodecCheck.OnlyWhole<DateTime>("date", hex);
    }

    [Test]
    public void Infinity_is_the_end_of_the_calendar()
    {
        CodecCheck.BothWays("date", DateOnly.MaxValue, "7fffffff");
        CodecCheck.BothWays("date", DateOnly.MinValue, "80000000");
        CodecCheck.BothWays("date", DateTime.MaxValue, "7fffffff");
        CodecCheck.BothWays("date", DateTime.MinValue, "80000000");
    }

    [Test]
    public void The_last_day_is_a_date_if_it_has_no_time() => CodecCheck.BothWays("date", DateTime.MaxValue.Date, "002c95d3");

    [Test]
    public void The_time_of_a_DateTime_is_not_written() =>
        Assert.That(CodecCheck.Write("date", new DateTime(2000, 1, 1, 23, 59, 59, DateTimeKind.Local)), Is.EqualTo("00000000"));

    [TestCase("002c95d4", "10000-01-01")]
    [TestCase("7fda970c", "5874897-12-31")]
    [TestCase("fff4dbf8", "0001-12-31 BC")]
    [TestCase("ffda97a7", "4714-11-24 BC")]
    public void A_date_that_NET_does_not_have_is_refused_by_name(string hex, string shown)
    {
        Assert.That(() => CodecCheck.Read<DateOnly>("date", hex), Throws.TypeOf<OverflowException>().With.Message.EqualTo(
            $"The date {shown} does not fit into DateOnly, which has the years 1 to 9999. Read it as PgDate, or as int (days since 2000-01-01)."));
        Assert.That(() => CodecCheck.Read<DateTime>("date", hex), Throws.TypeOf<OverflowException>().With.Message.Contains("DateTime"));
        Assert.That(CodecCheck.Read<int>("date", hex), Is.EqualTo(Convert.ToInt32(hex, 16)));
    }

    [Test]
    public void The_conversion_of_infinity_can_be_turned_off()
    {
        AppContext.SetSwitch(PgCalendar.InfinitySwitch, true);
        try
        {
            CodecCheck.BothWays("date", DateOnly.MaxValue, "002c95d3");
            CodecCheck.BothWays("date", DateOnly.MinValue, "fff4dbf9");
            Assert.That(() => CodecCheck.Read<DateOnly>("date", "7fffffff"), Throws.TypeOf<OverflowException>().With.Message.Contains("infinity"));
            Assert.That(() => CodecCheck.Read<DateTime>("date", "80000000"), Throws.TypeOf<OverflowException>().With.Message.Contains("-infinity"));
        }
        finally
        {
            AppContext.SetSwitch(PgCalendar.InfinitySwitch, false);
        }
    }

    [TestCase("2024-02-29", "00002279")]
    [TestCase("0044-03-15 BC", "fff49d7b")]
    [TestCase("4714-11-24 BC", "ffda97a7")]
    [TestCase("5874897-12-31", "7fda970c")]
    [TestCase("infinity", "7fffffff")]
    [TestCase("-infinity", "80000000")]
    public void PgDate_takes_every_date(string text, string hex)
    {
        CodecCheck.BothWays("date", PgDate.Parse(text), hex);
        CodecCheck.OnlyWhole<PgDate>("date", hex);
    }

    [TestCase("7fda970d")]
    [TestCase("ffda97a6")]
    public void A_date_that_no_server_has_is_refused(string hex) =>
        Assert.That(() => CodecCheck.Read<PgDate>("date", hex), Throws.TypeOf<PgException>().With.Message.Contains("out of range"));

    // The first and the last day are days; only their first and last moment stand for the infinities.
    [TestCase("0001-01-01T00:00:00.0000000", "80000000")]
    [TestCase("0001-01-01T00:00:00.0000001", "fff4dbf9")]
    [TestCase("0001-01-01T12:00:00.0000000", "fff4dbf9")]
    [TestCase("9999-12-31T00:00:00.0000000", "002c95d3")]
    [TestCase("9999-12-31T23:59:59.9999998", "002c95d3")]
    [TestCase("9999-12-31T23:59:59.9999999", "7fffffff")]
    public void A_time_on_the_first_or_last_day_is_no_infinity(string time, string hex) =>
        Assert.That(CodecCheck.Write("date", DateTime.Parse(time, System.Globalization.CultureInfo.InvariantCulture)), Is.EqualTo(hex));
}
