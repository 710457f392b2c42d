namespace Loxo.Tests.Types;

public class PgLogSequenceNumberTests
{
    [TestCase("16/B374D848")]
    [TestCase("0/0")]
    [TestCase("FFFFFFFF/FFFFFFFF")]
    public void Its_text_is_read_back(string text)
    {
        Assert.That(PgLogSequenceNumber.Parse(text).ToString(), Is.EqualTo(text));
        Assert.That(PgLogSequenceNumber.Parse(text.AsSpan()), Is.EqualTo(PgLogSequenceNumber.Parse(text)));
    }

    [TestCase("")]
    [TestCase("0")]
    [TestCase("/")]
    [TestCase("0/")]
    [TestCase("/0")]
    [TestCase("0/123456789")]
    [TestCase("123456789/0")]
    [TestCase("0/0/0")]
    [TestCase("x/0")]
    [TestCase("-1/0")]
    public void Other_text_is_refused(string text)
    {
        Assert.That(PgLogSequenceNumber.TryParse(text, null, out var none), Is.False);
        Assert.That(none, Is.EqualTo(default(PgLogSequenceNumber)));
        Assert.That(() => PgLogSequenceNumber.Parse(text), Throws.TypeOf<FormatException>().With.Message.Contains("PgLogSequenceNumber"));
        Assert.That(() => PgLogSequenceNumber.Parse(text.AsSpan()), Throws.TypeOf<FormatException>());
    }

    private static readonly PgLogSequenceNumber Two = new(2);
    private static readonly PgLogSequenceNumber Five = new(5);

    [Test]
    public void Places_are_in_order()
    {
        var again = new PgLogSequenceNumber(2);
        Assert.That(new[] { Two < Five, Two <= Five, Five > Two, Five >= Two, Two <= again, Two >= again, Two == again, Two != Five }, Is.All.True);
        Assert.That(new[] { Two > Five, Two >= Five, Five < Two, Five <= Two, Two < again, Two > again, Two != again, Two == Five }, Is.All.False);
        Assert.That(new[] { Five, Two }.Order(), Is.EqualTo(new[] { Two, Five }));
        Assert.That((Two.CompareTo((object)Five), Two.CompareTo(null)), Is.EqualTo((-1, 1)));
        Assert.That(() => Two.CompareTo((object)2UL), Throws.ArgumentException);
        Assert.That((PgLogSequenceNumber.Larger(Two, Five), PgLogSequenceNumber.Smaller(Two, Five)), Is.EqualTo((Five, Two)));
        Assert.That((PgLogSequenceNumber.Larger(Five, Two), PgLogSequenceNumber.Smaller(Five, Two)), Is.EqualTo((Five, Two)));
        Assert.That(Two.GetHashCode(), Is.EqualTo(again.GetHashCode()));
        Assert.That(Two.Equals((object)again), Is.True);
    }

    [Test]
    public void Distances_are_bytes()
    {
        Assert.That((Five - Two, Two - Five), Is.EqualTo((3L, -3L)));
        Assert.That((Two + 3, Five - 3, Five + -3), Is.EqualTo((Five, Two, Two)));
        Assert.That(() => Two - 3, Throws.TypeOf<OverflowException>());
        Assert.That(() => new PgLogSequenceNumber(ulong.MaxValue) + 1, Throws.TypeOf<OverflowException>());
        Assert.That(() => new PgLogSequenceNumber(ulong.MaxValue) - PgLogSequenceNumber.Invalid, Throws.TypeOf<OverflowException>());
    }

    [Test]
    public void It_is_a_number()
    {
        Assert.That((ulong)PgLogSequenceNumber.Parse("1/0"), Is.EqualTo(0x1_0000_0000));
        Assert.That((PgLogSequenceNumber)5UL, Is.EqualTo(Five));
        Assert.That(PgLogSequenceNumber.Invalid.Value, Is.Zero);
    }
}
