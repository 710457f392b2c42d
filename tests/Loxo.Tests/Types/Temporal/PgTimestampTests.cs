namespace Loxo.Tests.Types;

public class PgTimestampTests
{
    // As PostgreSQL 15 shows them, with the microseconds that timestamp_send shows.
    [TestCase("2000-01-01 00:00:00", 0)]
    [TestCase("1999-12-31 23:59:59.999999", -1)]
    [TestCase("2000-01-01 00:00:00.1", 100_000)]
    [TestCase("0001-12-31 23:59:59.5 BC", -63082281600_500000)]
    [TestCase("4714-11-24 00:00:00 BC", -211813488000000000)]
    [TestCase("294276-12-31 23:59:59.999999", 9223371331199999999)]
    [TestCase("infinity", long.MaxValue)]
    [TestCase("-infinity", long.MinValue)]
    public void It_is_parsed_and_shown_as_the_server_does(string text, long microseconds)
    {
        Assert.That(new PgTimestamp(microseconds).ToString(), Is.EqualTo(text));
        Assert.That(PgTimestamp.Parse(text).Microseconds, Is.EqualTo(microseconds));
        Assert.That($"{new PgTimestamp(microseconds)}", Is.EqualTo(text));
    }

    [TestCase("")]
    [TestCase("2000-01-01")]
    [TestCase("2000-01-01 00:00:00+00")]
    [TestCase("2000-01-01 25:61:00")]
    [TestCase("2000-01-01 106:00:00")]
    [TestCase("2000-01-01 24:00:00.000001")]
    [TestCase("2000-01-01 23:59:60.5")]
    [TestCase("2000-01-01 1:2:3")]
    [TestCase("2000-01-01 00:00:00.1234567")]
    [TestCase("00-01-01 00:00:00")]
    [TestCase("294276-12-31 24:00:00")]
    [TestCase("294277-01-01 00:00:00")]
    [TestCase("4714-11-23 23:59:59 BC")]
    public void What_is_no_timestamp_is_not_parsed(string text)
    {
        Assert.That(PgTimestamp.TryParse(text, null, out var nothing), Is.False);
        Assert.That(nothing, Is.EqualTo(default(PgTimestamp)));
        Assert.That(() => PgTimestamp.Parse(text), Throws.TypeOf<FormatException>().With.Message.Contains("is not a timestamp"));
        Assert.That(PgTimestamp.TryParse(null, null, out _), Is.False);
    }

    [TestCase("2000-01-31 24:00:00", "2000-02-01 00:00:00")]
    [TestCase("2000-01-31 23:59:60", "2000-02-01 00:00:00")]
    [TestCase("2000-01-31 00:00:60.5", "2000-01-31 00:01:00.5")]
    [TestCase(" INFINITY\t", "infinity")]
    public void The_end_of_a_day_or_minute_is_the_beginning_of_the_next(string text, string shown) => Assert.That(PgTimestamp.Parse(text).ToString(), Is.EqualTo(shown));

    [Test]
    public void It_is_a_date_and_a_time()
    {
        var moment = new PgTimestamp(new PgDate(-43, 3, 15), new TimeOnly(12, 34, 56, 789));
        Assert.That((moment.ToString(), moment.Date, moment.TimeOfDay), Is.EqualTo(("0044-03-15 12:34:56.789 BC", new PgDate(-43, 3, 15), new TimeOnly(12, 34, 56, 789))));
        Assert.That((PgTimestamp.MinValue.Date, PgTimestamp.MinValue.TimeOfDay), Is.EqualTo((PgDate.MinValue, TimeOnly.MinValue)));
        Assert.That((PgTimestamp.MaxValue.Date, PgTimestamp.MaxValue.TimeOfDay), Is.EqualTo((new PgDate(294276, 12, 31), new TimeOnly(863_999_999_990))));
        Assert.That((PgTimestamp.Infinity.Date, PgTimestamp.NegativeInfinity.Date), Is.EqualTo((PgDate.Infinity, PgDate.NegativeInfinity)));
        Assert.That((new PgTimestamp(PgDate.Infinity, new TimeOnly(1, 0)), new PgTimestamp(PgDate.NegativeInfinity, default)),
            Is.EqualTo((PgTimestamp.Infinity, PgTimestamp.NegativeInfinity)));
        Assert.That(() => PgTimestamp.Infinity.TimeOfDay, Throws.InvalidOperationException);
        Assert.That(() => new PgTimestamp(PgDate.MaxValue, default), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => new PgTimestamp(long.MaxValue - 1), Throws.TypeOf<ArgumentOutOfRangeException>());
    }

    [Test]
    public void A_DateTime_is_the_same_reading_of_the_clock()
    {
        var noon = new DateTime(2024, 2, 29, 12, 0, 0, DateTimeKind.Local);
        Assert.That(((DateTime)(PgTimestamp)noon, ((DateTime)(PgTimestamp)noon).Kind), Is.EqualTo((noon, DateTimeKind.Unspecified)));
        Assert.That(((PgTimestamp)noon).ToDateTime(DateTimeKind.Utc).Kind, Is.EqualTo(DateTimeKind.Utc));
        Assert.That((DateTime)(PgTimestamp)DateTime.MinValue, Is.EqualTo(DateTime.MinValue));
        Assert.That(((PgTimestamp)DateTime.MaxValue).ToString(), Is.EqualTo("9999-12-31 23:59:59.999999"));
        foreach (var text in new[] { "10000-01-01 00:00:00", "0001-12-31 23:59:59.999999 BC", "infinity", "-infinity" })
            Assert.That(() => (DateTime)PgTimestamp.Parse(text), Throws.TypeOf<OverflowException>().With.Message.Contains(text));
    }

    [Test]
    public void They_are_ordered_by_time()
    {
        PgTimestamp[] ordered = [PgTimestamp.NegativeInfinity, PgTimestamp.MinValue, default, new(1), PgTimestamp.MaxValue, PgTimestamp.Infinity];
        Assert.That(ordered.Reverse().Order(), Is.EqualTo(ordered));
        var (first, second) = (ordered[0], ordered[1]);
        Assert.That((first < second, first <= second, first > second, first >= second, first == second, first != second), Is.EqualTo((true, true, false, false, false, true)));
        Assert.That((first.IsFinite, second.IsFinite, ordered[5].IsInfinity, ordered[0].IsNegativeInfinity), Is.EqualTo((false, true, true, true)));
        Assert.That((first.Equals((object)PgTimestamp.NegativeInfinity), first.GetHashCode() == PgTimestamp.NegativeInfinity.GetHashCode()), Is.EqualTo((true, true)));
        Assert.That((((IComparable)first).CompareTo(null), ((IComparable)first).CompareTo(second)), Is.EqualTo((1, -1)));
        Assert.That(() => ((IComparable)first).CompareTo(1), Throws.ArgumentException);
    }

    [Test]
    public void It_is_formatted_into_a_span_that_is_long_enough()
    {
        Span<char> room = stackalloc char[19];
        Assert.That((default(PgTimestamp).TryFormat(room, out var length), length, room.ToString()), Is.EqualTo((true, 19, "2000-01-01 00:00:00")));
        Assert.That((new PgTimestamp(1).TryFormat(room, out length), length), Is.EqualTo((false, 0)));
        Assert.That(() => default(PgTimestamp).ToString("o", null), Throws.TypeOf<FormatException>());
    }
}
