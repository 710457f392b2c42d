using System.Globalization;
using Loxo.Types;

namespace Loxo.Tests.Types;

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
        Assert.That(() => CodecCheck.Write("timestamp", new DateTime(2000, 1, 1, 0, 0, 0, DateTimeKind.Utc)), Throws.TypeOf<ArgumentException>()
            .With.Message.StartsWith($"A DateTime of Kind Utc cannot become a value of PostgreSQL type {Timestamp}").And.Message.Contains("PgDbType.TimestampTz"));

    [TestCase(DateTimeKind.Local)]
    [TestCase(DateTimeKind.Unspecified)]
    public void The_reading_of_a_clock_is_not_written_as_an_instant(DateTimeKind kind) =>
        Assert.That(() => CodecCheck.Write("timestamptz", new DateTime(2000, 1, 1, 0, 0, 0, kind)), Throws.TypeOf<ArgumentException>()
            .With.Message.StartsWith($"A DateTime of Kind {kind} cannot become a value of PostgreSQL type {TimestampTz}").And.Message.Contains("ToUniversalTime"));

    [Test]
    public void An_offset_would_be_lost_and_is_refused() =>
        Assert.That(() => CodecCheck.Write("timestamptz", new DateTimeOffset(2000, 1, 1, 0, 0, 0, TimeSpan.FromMinutes(330))), Throws.TypeOf<ArgumentException>()
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
            $"The {Timestamp} on {shown} does not fit into DateTime, which has the years 1 to 9999. Read it as PgTimestamp, or as long (microseconds since 2000-01-01)."));
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
            Assert.That(() => CodecCheck.Write("timestamptz", DateTime.MinValue), Throws.TypeOf<ArgumentException>());
        }
        finally
        {
            AppContext.SetSwitch(PgCalendar.InfinitySwitch, false);
        }
    }

    [TestCase("2024-02-29 12:34:56.789012", "0002b58341728614")]
    [TestCase("4714-11-24 00:00:00 BC", "fd0f7cc1411fa000")]
    [TestCase("294276-12-31 23:59:59.999999", "7fffff5bb3b29fff")]
    [TestCase("infinity", "7fffffffffffffff")]
    [TestCase("-infinity", "8000000000000000")]
    public void PgTimestamp_takes_every_timestamp(string text, string hex)
    {
        CodecCheck.BothWays("timestamp", PgTimestamp.Parse(text), hex);
        CodecCheck.BothWays("timestamptz", PgTimestamp.Parse(text), hex);
        CodecCheck.OnlyWhole<PgTimestamp>("timestamptz", hex);
    }

    [TestCase("7fffff5bb3b2a000")]
    [TestCase("fd0f7cc1411f9fff")]
    public void A_timestamp_that_no_server_has_is_refused(string hex) =>
        Assert.That(() => CodecCheck.Read<PgTimestamp>("timestamp", hex), Throws.TypeOf<PgException>().With.Message.Contains("out of range"));

    [TestCase(TimestampPolicy.AssumeUtc)]
    [TestCase(TimestampPolicy.ConvertToUtc)]
    [TestCase(TimestampPolicy.Legacy)]
    public void A_lax_policy_writes_the_reading_of_a_clock_whatever_its_kind(TimestampPolicy policy)
    {
        var codec = CodecUnder<DateTime>(policy, hasZone: false);
        foreach (var kind in Enum.GetValues<DateTimeKind>())
            Assert.That(CodecCheck.Write(writer => codec.Write(writer, new DateTime(10, kind).AddYears(1999))), Is.EqualTo("0000000000000001"));
        Assert.That(CodecCheck.Write(writer => codec.Write(writer, DateTime.MaxValue)), Is.EqualTo("7fffffffffffffff"));
        Assert.That(codec.Read(new byte[8]).Kind, Is.EqualTo(DateTimeKind.Unspecified));
    }

    [TestCase(TimestampPolicy.AssumeUtc, DateTimeKind.Utc, 0)]
    [TestCase(TimestampPolicy.AssumeUtc, DateTimeKind.Unspecified, 0)]
    [TestCase(TimestampPolicy.AssumeUtc, DateTimeKind.Local, 5)]
    [TestCase(TimestampPolicy.ConvertToUtc, DateTimeKind.Utc, 0)]
    [TestCase(TimestampPolicy.ConvertToUtc, DateTimeKind.Unspecified, 5)]
    [TestCase(TimestampPolicy.ConvertToUtc, DateTimeKind.Local, 5)]
    [TestCase(TimestampPolicy.Legacy, DateTimeKind.Utc, 0)]
    [TestCase(TimestampPolicy.Legacy, DateTimeKind.Unspecified, 0)]
    [TestCase(TimestampPolicy.Legacy, DateTimeKind.Local, 5)]
    public void A_lax_policy_says_which_instant_a_DateTime_is(TimestampPolicy policy, DateTimeKind kind, int hoursLater)
    {
        using var newYork = new LocalZone("America/New_York");
        var codec = CodecUnder<DateTime>(policy, hasZone: true);
        var written = CodecCheck.Write(writer => codec.Write(writer, new DateTime(2024, 1, 15, 12, 0, 0, kind)));
        Assert.That(CodecUnder<DateTime>(TimestampPolicy.Strict, hasZone: true).Read(Convert.FromHexString(written)),
            Is.EqualTo(new DateTime(2024, 1, 15, 12 + hoursLater, 0, 0, DateTimeKind.Utc)));
        Assert.That(CodecCheck.Write(writer => codec.Write(writer, DateTime.MaxValue)), Is.EqualTo("7fffffffffffffff"));
        Assert.That(CodecCheck.Write(writer => codec.Write(writer, DateTime.MinValue)), Is.EqualTo("8000000000000000"));
    }

    [Test]
    public void A_local_time_at_the_end_of_the_calendar_does_not_become_infinity()
    {
        using var newYork = new LocalZone("America/New_York");
        var codec = CodecUnder<DateTime>(TimestampPolicy.AssumeUtc, hasZone: true);
        Assert.That(() => CodecCheck.Write(writer => codec.Write(writer, new DateTime(9999, 12, 31, 23, 0, 0, DateTimeKind.Local))),
            Throws.TypeOf<OverflowException>().With.Message.EqualTo(
                "The local time 9999-12-31T23:00:00 does not fit into the years 1 to 9999 when it is converted to UTC. Write it as PgTimestamp."));
    }

    // What Npgsql 10.0.0 reads with its switch EnableLegacyTimestampBehavior.
    [Test]
    public void The_legacy_policy_reads_instants_in_local_time()
    {
        using var newYork = new LocalZone("America/New_York");
        var (asDateTime, asOffset) = (CodecUnder<DateTime>(TimestampPolicy.Legacy, hasZone: true), CodecUnder<DateTimeOffset>(TimestampPolicy.Legacy, hasZone: true));
        var noon = Convert.FromHexString(CodecCheck.Write("timestamptz", new DateTime(2024, 1, 15, 12, 0, 0, DateTimeKind.Utc)));

        Assert.Multiple(() =>
        {
            Assert.That(asDateTime.Read(noon), Is.EqualTo(new DateTime(2024, 1, 15, 7, 0, 0)));
            Assert.That(asDateTime.Read(noon).Kind, Is.EqualTo(DateTimeKind.Local));
            Assert.That(asOffset.Read(noon).ToString("o", null), Is.EqualTo("2024-01-15T07:00:00.0000000-05:00"));
            foreach (var (hex, infinity) in new[] { ("7fffffffffffffff", DateTime.MaxValue), ("8000000000000000", DateTime.MinValue) })
            {
                Assert.That(asDateTime.Read(Convert.FromHexString(hex)), Is.EqualTo(infinity));
                Assert.That(asDateTime.Read(Convert.FromHexString(hex)).Kind, Is.EqualTo(DateTimeKind.Unspecified));
                Assert.That(asOffset.Read(Convert.FromHexString(hex)), Is.EqualTo(new DateTimeOffset(infinity, TimeSpan.Zero)));
            }
        });
    }

    [Test]
    public void An_instant_that_has_no_local_time_does_not_become_infinity()
    {
        using var newYork = new LocalZone("America/New_York");
        var first = Convert.FromHexString(CodecCheck.Write("timestamptz", new DateTime(1, 1, 1, 1, 0, 0, DateTimeKind.Utc)));

        Assert.That(() => CodecUnder<DateTime>(TimestampPolicy.Legacy, hasZone: true).Read(first),
            Throws.TypeOf<OverflowException>().With.Message.EqualTo(
                "The timestamp with time zone 0001-01-01T01:00:00 UTC does not fit into the years 1 to 9999 in local time. Read it as PgTimestamp."));
    }

    [Test]
    public void The_switch_of_the_process_makes_the_legacy_policy_the_default()
    {
        AppContext.SetSwitch("Loxo.EnableLegacyTimestampBehavior", true);
        try
        {
            Assert.Multiple(() =>
            {
                Assert.That(new PgDataSourceBuilder().TimestampPolicy, Is.EqualTo(TimestampPolicy.Legacy));
                Assert.That(new PgParameter { DbType = System.Data.DbType.DateTime }.PgDbType, Is.EqualTo(PgDbType.Timestamp));
                Assert.That(new PgParameter { PgDbType = PgDbType.Timestamp }.DbType, Is.EqualTo(System.Data.DbType.DateTime));
                Assert.That(new PgParameter { PgDbType = PgDbType.TimestampTz }.DbType, Is.EqualTo(System.Data.DbType.DateTimeOffset));
            });
        }
        finally
        {
            AppContext.SetSwitch("Loxo.EnableLegacyTimestampBehavior", false);
        }
        Assert.That(new PgDataSourceBuilder().TimestampPolicy, Is.EqualTo(TimestampPolicy.Strict));
    }

    [TestCase(TimestampPolicy.AssumeUtc)]
    [TestCase(TimestampPolicy.ConvertToUtc)]
    [TestCase(TimestampPolicy.Legacy)]
    public void A_lax_policy_converts_an_offset(TimestampPolicy policy)
    {
        var codec = CodecUnder<DateTimeOffset>(policy, hasZone: true);
        var value = new DateTimeOffset(2000, 1, 1, 5, 30, 0, TimeSpan.FromMinutes(330)).AddTicks(10);
        Assert.That(CodecCheck.Write(writer => codec.Write(writer, value)), Is.EqualTo("0000000000000001"));
    }

    private static Codec<T> CodecUnder<T>(TimestampPolicy policy, bool hasZone) =>
        (hasZone ? TemporalTypes.TimestampTz(policy) : TemporalTypes.Timestamp(policy)).OfType<Codec<T>>().Single();

    /// <summary>Another local time zone, for the whole process, until it is disposed.</summary>
    private sealed class LocalZone : IDisposable
    {
        private readonly string? _before = Environment.GetEnvironmentVariable("TZ");

        public LocalZone(string zone)
        {
            Set(zone);
            if (TimeZoneInfo.Local.Id == zone)
                return;
            Dispose();
            Assert.Ignore("This system takes no time zone from TZ, or does not know " + zone);
        }

        public void Dispose() => Set(_before);

        private static void Set(string? zone)
        {
            Environment.SetEnvironmentVariable("TZ", zone);
            TimeZoneInfo.ClearCachedData();
        }
    }
}
