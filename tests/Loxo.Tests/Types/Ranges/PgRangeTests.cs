using System.Collections;
using System.Globalization;
using System.Net;
using System.Net.NetworkInformation;
using System.Numerics;

namespace Loxo.Tests.Types;

public class PgRangeTests
{
    [Test]
    public void Two_values_are_bounds_that_belong_to_the_range()
    {
        var range = new PgRange<int>(1, 5);
        Assert.That((range.LowerBound, range.UpperBound, range.LowerBoundIsInclusive, range.UpperBoundIsInclusive), Is.EqualTo((1, 5, true, true)));
        Assert.That((range.LowerBoundInfinite, range.UpperBoundInfinite, range.IsEmpty), Is.EqualTo((false, false, false)));
        Assert.That(new PgRange<int>(1, false, 5, true), Is.EqualTo(new PgRange<int>(1, false, false, 5, true, false)).And.Not.EqualTo(range));
    }

    [Test]
    public void A_bound_that_is_missing_is_not_looked_at()
    {
        var range = new PgRange<int>(7, true, true, 5, true, false);
        Assert.That((range.LowerBound, range.LowerBoundIsInclusive, range.LowerBoundInfinite), Is.EqualTo((0, false, true)));
        Assert.That(range, Is.EqualTo(new PgRange<int>(8, false, true, 5, true, false)));
        Assert.That(range.GetHashCode(), Is.EqualTo(new PgRange<int>(8, false, true, 5, true, false).GetHashCode()));
    }

    [Test]
    public void Null_is_no_bound() =>
        Assert.That(new PgRange<string>("a", null), Is.EqualTo(new PgRange<string>("a", true, false, null, false, true)));

    [Test]
    public void What_contains_nothing_is_empty_and_all_empty_ranges_are_equal()
    {
        Assert.That(default(PgRange<int>).IsEmpty, Is.True);
        Assert.That(PgRange<int>.Empty == default, Is.True);
        Assert.That(new PgRange<int>(5, true, 5, false), Is.EqualTo(PgRange<int>.Empty));
        Assert.That(new PgRange<int>(5, true, 5, true).IsEmpty, Is.False);
        Assert.That(new PgRange<int>(0, false, true, 0, false, true).IsEmpty, Is.False);
        var empty = PgRange<int>.Empty;
        Assert.That((empty.LowerBoundInfinite, empty.UpperBoundInfinite, empty.LowerBoundIsInclusive, empty.LowerBound), Is.EqualTo((false, false, false, 0)));
    }

    [Test]
    public void Ranges_that_are_written_otherwise_are_other_ranges_here()
    {
        Assert.That(new PgRange<int>(1, true, 5, true) != new PgRange<int>(1, true, 6, false), Is.True);
        Assert.That(new PgRange<int>(1, 5).Equals("[1,5]"), Is.False);
    }

    [TestCase("[1,5)")]
    [TestCase("(,5]")]
    [TestCase("[-1,)")]
    [TestCase("(,)")]
    [TestCase("empty")]
    public void The_text_is_the_server_s_both_ways(string text) => BothWays<int>(text);

    [Test]
    public void Bounds_look_as_on_the_server()
    {
        BothWays<decimal>("[1.50,1000000.0]");
        BothWays<BigInteger>("[1,79228162514264337593543950336)");
        BothWays<double>("[1e+20,Infinity)");
        BothWays<DateOnly>("[2024-02-29,infinity)");
        BothWays<DateTime>("[\"2024-02-29 12:34:56.789\",infinity)");
        BothWays<DateTime>("[\"2024-02-29 12:34:56.789+00\",\"2024-03-01 00:00:00+00\")");
        BothWays<DateTimeOffset>("(-infinity,\"2024-02-29 12:34:56.789+00\")");
        BothWays<TimeOnly>("[12:34:56,23:59:59.999999]");
        BothWays<string>("""["","a,b""\\)"]""");
        BothWays<Guid>("[00112233-4455-6677-8899-aabbccddeeff,)");
    }

    [Test]
    public void The_kind_of_a_moment_comes_from_its_text()
    {
        Assert.That(PgRange<DateTime>.Parse("[\"2024-02-29 00:00:00+00\",)").LowerBound.Kind, Is.EqualTo(DateTimeKind.Utc));
        Assert.That(PgRange<DateTime>.Parse("[\"2024-02-29 00:00:00\",)").LowerBound.Kind, Is.EqualTo(DateTimeKind.Unspecified));
    }

    [Test]
    public void An_offset_is_shown_as_the_same_instant() => Assert.That(
        new PgRange<DateTimeOffset>(new(2024, 1, 1, 5, 30, 0, new(5, 30, 0)), true, false, default, false, true).ToString(),
        Is.EqualTo("[\"2024-01-01 00:00:00+00\",)"));

    [Test]
    public void A_type_that_no_built_in_type_has_is_shown_but_not_read()
    {
        Assert.That(new PgRange<uint>(1, 5).ToString(), Is.EqualTo("[1,5]"));
        Assert.That(() => PgRange<uint>.Parse("[1,5]"), Throws.TypeOf<NotSupportedException>().With.Message.Contains("uint"));
    }

    [TestCase(" [ 1,5) ", "[1,5)")]
    [TestCase(" \t[1,5)\n", "[1,5)")]
    [TestCase("[\"1\",\\5)", "[1,5)")]
    [TestCase("EMPTY", "empty")]
    [TestCase("", null)]
    [TestCase("[1,5", null)]
    [TestCase("[1)", null)]
    [TestCase("[1,5,7)", null)]
    [TestCase("[1,5) x", null)]
    [TestCase("{1,5}", null)]
    [TestCase("[1,\"5)", null)]
    [TestCase("[1,x)", null)]
    [TestCase("[1,99999999999)", null)]
    [TestCase("emptyx", null)]
    [TestCase("[5,1]", null)]
    [TestCase("[1e2,200)", null)]
    [TestCase("[1.0,2)", null)]
    [TestCase("[\u00a01,2)", null)]
    public void Text_is_taken_as_the_server_takes_it(string text, string? expected)
    {
        Assert.That(PgRange<int>.TryParse(text, CultureInfo.InvariantCulture, out var range), Is.EqualTo(expected is not null));
        if (expected is not null)
            Assert.That(range.ToString(), Is.EqualTo(expected));
        else
            Assert.That(() => PgRange<int>.Parse(text), Throws.TypeOf<FormatException>());
    }

    [Test]
    public void Bounds_are_in_the_server_s_order()
    {
        InOrder<double>("-Infinity", "0", "Infinity", "NaN");
        InOrder<float>("-Infinity", "0", "Infinity", "NaN");
        InOrder<double?>("1", "2", "NaN");
        InOrder<PgNumeric>("-Infinity", "0", "Infinity", "NaN");
        InOrder<int?>("1", "5");
        InOrder<PgInterval>("-1 days", "-00:00:00.5", "23:59:59", "1 day", "29 days 24:00:01", "1 mon 00:00:02");
        InOrder<PgInterval?>("1 day", "1 mon");
        InOrder<TimeSpan>("-00:00:01", "1 day");
        InOrder<Guid>("00112233-4455-6677-8899-aabbccddeeff", "80000000-0000-0000-0000-000000000000", "80000000-0000-f000-0000-000000000000", "80000000-0000-f000-8000-000000000000");
        InOrder<byte[]>("\\x", "\\x00", "\\x0001", "\\x80");
        InOrder<BitArray>("0", "01", "1", "100000000", "11");
        InOrder<PgTid>("(1,2)", "(1,10)", "(4000000000,1)");
        InOrder<PhysicalAddress>("08:00:2b:01:02:03", "80:00:2b:01:02:03");
        InOrder<PgInet>("10.0.0.0/8", "10.1.0.0/8", "10.0.0.0/9", "10.0.0.0", "10.0.0.1", "192.0.0.0/4", "::1");
        InOrder<PgCidr>("10.0.0.0/8", "10.0.0.0/9", "10.128.0.0/9", "::/0");
        InOrder<IPAddress>("1.2.3.4", "200.2.3.4", "::1");
    }

    [Test]
    public void The_order_of_texts_is_left_to_the_server()
    {
        Assert.That(PgRange<string>.TryParse("[b,a]", null, out _) && PgRange<string>.TryParse("[a,B]", null, out _), Is.True);
        Assert.That(PgRange<char>.TryParse("[a,B]", null, out _), Is.True);
    }

    [Test]
    public void Bounds_that_are_equal_to_the_server_hold_nothing_unless_both_belong_to_the_range()
    {
        PgInterval month = new(1, 0, 0), days = new(0, 29, 86_400_000_000);
        Assert.That(new PgRange<PgInterval>(month, true, days, false).IsEmpty && new PgRange<PgInterval?>(month, false, days, true).IsEmpty, Is.True);
        Assert.That(new PgRange<PgInterval>(month, days).IsEmpty || PgRange<PgInterval>.Parse("[\"1 mon\",\"30 days\"]").IsEmpty, Is.False);
        Assert.That(PgRange<PgInterval>.Parse("[\"1 mon\",\"30 days\")").IsEmpty, Is.True);
        Assert.That(new PgRange<byte[]>([1], true, [1], false).IsEmpty && new PgRange<BitArray>(new(3), true, new(3), false).IsEmpty, Is.True);
        Assert.That(new PgRange<double>(double.NaN, true, double.NaN, false).IsEmpty && new PgRange<double>(0.0, true, -0.0, false).IsEmpty, Is.True);
        Assert.That(new PgRange<double>(double.NaN, double.NaN).IsEmpty, Is.False);
    }

    [Test]
    public void Null_is_no_range() => Assert.That(PgRange<int>.TryParse(null, null, out _), Is.False);

    private static void InOrder<T>(params string[] bounds)
    {
        for (var i = 0; i < bounds.Length; i++)
        {
            for (var j = 0; j < bounds.Length; j++)
            {
                var text = $"[\"{bounds[i].Replace("\\", "\\\\", StringComparison.Ordinal)}\",\"{bounds[j].Replace("\\", "\\\\", StringComparison.Ordinal)}\"]";
                Assert.That(PgRange<T>.TryParse(text, null, out _), Is.EqualTo(i <= j), text);
            }
        }
    }

    private static void BothWays<T>(string text)
    {
        var range = PgRange<T>.Parse(text);
        Assert.That(range.ToString(), Is.EqualTo(text));
        Assert.That(PgRange<T>.Parse(range.ToString()), Is.EqualTo(range));
    }
}
