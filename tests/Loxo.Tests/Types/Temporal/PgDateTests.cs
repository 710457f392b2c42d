namespace Loxo.Tests.Types;

public class PgDateTests
{
    // As PostgreSQL 15 shows them, with the days that date_send shows.
    [TestCase("2000-01-01", 0)]
    [TestCase("1999-12-31", -1)]
    [TestCase("0001-01-01", -730119)]
    [TestCase("0001-12-31 BC", -730120)]
    [TestCase("4714-11-24 BC", -2451545)]
    [TestCase("10000-01-01", 2921940)]
    [TestCase("5874897-12-31", 2145031948)]
    [TestCase("infinity", int.MaxValue)]
    [TestCase("-infinity", int.MinValue)]
    public void It_is_parsed_and_shown_as_the_server_does(string text, int days)
    {
        Assert.That(new PgDate(days).ToString(), Is.EqualTo(text));
        Assert.That(PgDate.Parse(text).Days, Is.EqualTo(days));
        Assert.That(PgDate.Parse($" {text} ").Days, Is.EqualTo(days));
        Assert.That($"{new PgDate(days)}", Is.EqualTo(text));
    }

    [TestCase("")]
    [TestCase("2023-02-29")]
    [TestCase("0000-01-01")]
    [TestCase("01/02/2003")]
    [TestCase("4714-11-23 BC")]
    [TestCase("5874898-01-01")]
    [TestCase("10-09-22")]
    [TestCase("2000-1-5")]
    [TestCase("20000131")]
    [TestCase("2000-01-01\u00a0")]
    [TestCase("2000-01-01 and more than any date has of characters")]
    public void What_is_no_date_is_not_parsed(string text)
    {
        Assert.That(PgDate.TryParse(text, null, out var nothing), Is.False);
        Assert.That(nothing, Is.EqualTo(default(PgDate)));
        Assert.That(() => PgDate.Parse(text), Throws.TypeOf<FormatException>().With.Message.Contains("is not a date. Give a date such as"));
        Assert.That(PgDate.TryParse(null, null, out _), Is.False);
    }

    [Test]
    public void Years_before_our_era_are_counted_with_a_year_zero()
    {
        var ides = new PgDate(-43, 3, 15);
        Assert.That((ides.ToString(), ides.Year, ides.Month, ides.Day), Is.EqualTo(("0044-03-15 BC", -43, 3, 15)));
        Assert.That(new PgDate(0, 2, 29).ToString(), Is.EqualTo("0001-02-29 BC"));
        Assert.That(() => new PgDate(-1, 2, 29), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => new PgDate(5_874_898, 1, 1), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => new PgDate(-2_451_546), Throws.TypeOf<ArgumentOutOfRangeException>());
    }

    [Test]
    public void Infinity_is_no_day()
    {
        Assert.That((PgDate.Infinity.IsInfinity, PgDate.Infinity.IsNegativeInfinity, PgDate.Infinity.IsFinite), Is.EqualTo((true, false, false)));
        Assert.That((PgDate.NegativeInfinity.IsInfinity, PgDate.NegativeInfinity.IsNegativeInfinity, PgDate.MinValue.IsFinite), Is.EqualTo((false, true, true)));
        Assert.That(() => PgDate.Infinity.Year, Throws.InvalidOperationException.With.Message.Contains("infinity"));
    }

    [Test]
    public void A_DateOnly_is_the_same_day_even_at_the_ends_of_its_calendar()
    {
        foreach (var day in new[] { DateOnly.MinValue, DateOnly.MaxValue, new DateOnly(2024, 2, 29) })
            Assert.That((DateOnly)(PgDate)day, Is.EqualTo(day));
        Assert.That(((PgDate)DateOnly.MaxValue).ToString(), Is.EqualTo("9999-12-31"));
        foreach (var text in new[] { "10000-01-01", "0001-12-31 BC", "infinity", "-infinity" })
            Assert.That(() => (DateOnly)PgDate.Parse(text), Throws.TypeOf<OverflowException>().With.Message.Contains(text));
    }

    [Test]
    public void They_are_ordered_by_time()
    {
        PgDate[] ordered = [PgDate.NegativeInfinity, PgDate.MinValue, default, new(1), PgDate.MaxValue, PgDate.Infinity];
        Assert.That(ordered.Reverse().Order(), Is.EqualTo(ordered));
        var (first, second) = (ordered[0], ordered[1]);
        Assert.That((first < second, first <= second, first > second, first >= second, first == second, first != second), Is.EqualTo((true, true, false, false, false, true)));
        Assert.That((first.Equals((object)PgDate.NegativeInfinity), first.GetHashCode() == PgDate.NegativeInfinity.GetHashCode()), Is.EqualTo((true, true)));
        Assert.That((((IComparable)first).CompareTo(null), ((IComparable)first).CompareTo(second)), Is.EqualTo((1, -1)));
        Assert.That(() => ((IComparable)first).CompareTo(1), Throws.ArgumentException);
    }

    [Test]
    public void It_is_formatted_into_a_span_that_is_long_enough()
    {
        Span<char> room = stackalloc char[10];
        Assert.That((default(PgDate).TryFormat(room, out var length), length, room.ToString()), Is.EqualTo((true, 10, "2000-01-01")));
        Assert.That((new PgDate(0, 1, 1).TryFormat(room, out length), length), Is.EqualTo((false, 0)));
        Assert.That(() => default(PgDate).ToString("d", null), Throws.TypeOf<FormatException>());
    }
}
