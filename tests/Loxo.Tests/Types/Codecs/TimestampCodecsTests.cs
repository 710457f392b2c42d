using System.Globalization;
using Loxo.Types.Codecs;

namespace Loxo.Tests.Types.Codecs;

[NonParallelizable] // one test turns a switch of the process
public class TimestampCodecsTests
{
    private const string Timestamp = "timestamp without time zone";
    private const string TimestampTz = "timestamp with time zone";

    [TestCase("2000-01-01 00:00:00.000000", "0000000000000000")]
    [TestCase("1999-12-31 23:59:59.999999", "ffffffffffffffff")]
    [TestCase("2024-02-29 12:34:56.789012", "0002b58341728614")]
    [TestCase("0001-01-01 00:00:00.000001", "ff1fe2ffc59c6001")]
    [TestCase("9999-12-31 23:59:59.999999", "0380e70b913b7fff")]
    public void A_timestamp_is_microseconds_since_2000(string text, string hex)
    {
        var value = DateTime.ParseExact(text, "yyyy-MM-dd HH:mm:ss.ffffff", CultureInfo.InvariantCulture);
        CodecCheck.BothWays("timestamp", value, hex);
        CodecCheck.BothWays("timestamptz", DateTime.SpecifyKind(value, DateTimeKind.Utc), hex);
        CodecCheck.BothWays("timestamptz", new DateTimeOffset(value, TimeSpan.Zero), hex);
        CodecCheck.BothWays("timestamp", Convert.ToInt64(hex, 16), hex);
        CodecCheck.BothWays("timestamptz", Convert.ToInt64(hex, 16), hex);
        CodecCheck.OnlyWhole<DateTime>("timestamp", hex);
        CodecCheck.OnlyWhole<DateTimeOffset>("timestamptz", hex);
    }

    [Test]
    public void The_kind_read_tells_an_instant_from_the_reading_of_a_clock()
    {
        Assert.That(CodecCheck.Read<DateTime>("timestamp", "0000000000000000").Kind, Is.EqualTo(DateTimeKind.Unspecified));
        Assert.That(CodecCheck.Read<DateTime>("timestamptz", "0000000000000000").Kind, Is.EqualTo(DateTimeKind.Utc));
    }

    [Test]
    public void A_local_time_is_the_reading_of_a_clock() =>
        Assert.That(CodecCheck.Write("timestamp", new DateTime(2000, 1, 1, 0, 0, 0, DateTimeKind.Local)), Is.EqualTo("0000000000000000"));

    [Test]
    public void An_instant_is_not_written_as_the_reading_of_a_clock() =>
        Assert.That(() => CodecCheck.Write("timestamp", new DateTime(2000, 1, 1, 0, 0, 0, DateTimeKind.Utc)), Throws.TypeOf<InvalidCastException>()
            .With.Message.StartsWith($"A DateTime of Kind Utc cannot become a value of PostgreSQL type {Timestamp}").And.Message.Contains("PgDbType.TimestampTz"));

    [TestCase(DateTimeKind.Local)]
    [TestCase(DateTimeKind.Unspecified)]
    public void The_reading_of_a_clock_is_not_written_as_an_instant(DateTimeKind kind) =>
        Assert.That(() => CodecCheck.Write("timestamptz", new DateTime(2000, 1, 1, 0, 0, 0, kind)), Throws.TypeOf<InvalidCastException>()
            .With.Message.StartsWith($"A DateTime of Kind {kind} cannot become a value of PostgreSQL type {TimestampTz}").And.Message.Contains("ToUniversalTime"));

    [Test]
    public void An_offset_would_be_lost_and_is_refused() =>
        Assert.That(() => CodecCheck.Write("timestamptz", new DateTimeOffset(2000, 1, 1, 0, 0, 0, TimeSpan.FromMinutes(330))), Throws.TypeOf<InvalidCastException>()
            .With.Message.StartsWith($"A DateTimeOffset with offset +05:30 cannot become a value of PostgreSQL type {TimestampTz}").And.Message.Contains("ToUniversalTime()"));

    [Test]
    public void What_is_finer_than_a_microsecond_is_cut_off_even_before_2000()
    {
        Assert.That(CodecCheck.Write("timestamp", new DateTime(2000, 1, 1).AddTicks(19)), Is.EqualTo("0000000000000001"));
        Assert.That(CodecCheck.Write("timestamp", new DateTime(2000, 1, 1).AddTicks(-1)), Is.EqualTo("ffffffffffffffff"));
    }

    [Test]
    public void Infinity_is_the_end_of_the_calendar_whatever_the_kind()
    {
        CodecCheck.BothWays("timestamp", DateTime.MaxValue, "7fffffffffffffff");
        CodecCheck.BothWays("timestamp", DateTime.MinValue, "8000000000000000");
        CodecCheck.BothWays("timestamptz", DateTime.MaxValue, "7fffffffffffffff");
        CodecCheck.BothWays("timestamptz", DateTime.MinValue, "8000000000000000");
        CodecCheck.BothWays("timestamptz", DateTimeOffset.MaxValue, "7fffffffffffffff");
        CodecCheck.BothWays("timestamptz", DateTimeOffset.MinValue, "8000000000000000");
        Assert.That(CodecCheck.Write("timestamp", DateTime.SpecifyKind(DateTime.MaxValue, DateTimeKind.Utc)), Is.EqualTo("7fffffffffffffff"));
    }

    [TestCase("7fffff5bb3b29fff", "294276-12-31")]
    [TestCase("0380e70b913b8000", "10000-01-01")]
    [TestCase("fd0f7cc1411fa000", "4714-11-24 BC")]
    [TestCase("ff1af9e8fb46d000", "0044-03-15 BC")]
    public void A_time_that_NET_does_not_have_is_refused_by_its_date(string hex, string shown)
    {
        Assert.That(() => CodecCheck.Read<DateTime>("timestamp", hex), Throws.TypeOf<OverflowException>().With.Message.EqualTo(
            $"The {Timestamp} on {shown} does not fit into DateTime, which has the years 1 to 9999. Read it as long (microseconds since 2000-01-01) or cast it to text in SQL."));
        Assert.That(() => CodecCheck.Read<DateTime>("timestamptz", hex), Throws.TypeOf<OverflowException>().With.Message.Contains(shown));
        Assert.That(() => CodecCheck.Read<DateTimeOffset>("timestamptz", hex), Throws.TypeOf<OverflowException>().With.Message.Contains("DateTimeOffset"));
    }

    [Test]
    public void The_conversion_of_infinity_can_be_turned_off()
    {
        AppContext.SetSwitch(PgCalendar.InfinitySwitch, true);
        try
        {
            CodecCheck.BothWays("timestamp", DateTime.MinValue, "ff1fe2ffc59c6000");
            Assert.That(() => CodecCheck.Read<DateTime>("timestamp", "7fffffffffffffff"), Throws.TypeOf<OverflowException>().With.Message.Contains("infinity"));
            Assert.That(() => CodecCheck.Write("timestamptz", DateTime.MinValue), Throws.TypeOf<InvalidCastException>());
        }
        finally
        {
            AppContext.SetSwitch(PgCalendar.InfinitySwitch, false);
        }
    }
}
