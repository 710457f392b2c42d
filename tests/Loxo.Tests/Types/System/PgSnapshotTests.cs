namespace Loxo.Tests.Types;

public class PgSnapshotTests
{
    [TestCase("10:20:10,14,15")]
    [TestCase("10:10:")]
    [TestCase("1:18446744073709551615:18446744073709551614")]
    public void Its_text_is_read_back(string text)
    {
        Assert.That(PgSnapshot.Parse(text).ToString(), Is.EqualTo(text));
        Assert.That(PgSnapshot.Parse(text.AsSpan()), Is.EqualTo(PgSnapshot.Parse(text)));
    }

    [TestCase("")]
    [TestCase("10:20")]
    [TestCase("10:20:x")]
    [TestCase("10:20:11,10")]
    [TestCase("10:20:20")]
    [TestCase("10:20:9")]
    [TestCase("20:10:")]
    [TestCase("0:10:")]
    [TestCase("10:20:,")]
    [TestCase("10:20:11,")]
    [TestCase("10:20:11,11")]
    [TestCase("a:20:")]
    [TestCase("10:b:")]
    public void Other_text_is_refused(string text)
    {
        Assert.That(PgSnapshot.TryParse(text, null, out var none), Is.False);
        Assert.That(none, Is.Null);
        Assert.That(() => PgSnapshot.Parse(text), Throws.TypeOf<FormatException>().With.Message.Contains("PgSnapshot"));
        Assert.That(() => PgSnapshot.Parse(text.AsSpan()), Throws.TypeOf<FormatException>());
    }

    [Test]
    public void It_knows_what_had_ended()
    {
        var snapshot = new PgSnapshot(10, 20, [10, 14, 15]);
        Assert.That((snapshot.XMin, snapshot.XMax), Is.EqualTo((10UL, 20UL)));
        Assert.That(snapshot.InProgress, Is.EqualTo(new ulong[] { 10, 14, 15 }));
        Assert.That(new ulong[] { 9, 10, 11, 14, 19, 20 }.Select(snapshot.HasEnded), Is.EqualTo(new[] { true, false, true, false, true, false }));
    }

    [Test]
    public void Numbers_out_of_order_are_refused()
    {
        Assert.That(() => new PgSnapshot(10, 20, [14, 10]), Throws.ArgumentException.With.Message.Contains("10:20:14,10"));
        Assert.That(() => new PgSnapshot(10, 9, []), Throws.ArgumentException);
        Assert.That(() => new PgSnapshot(10, 20, null!), Throws.ArgumentNullException);
    }

    [Test]
    public void It_is_equal_by_its_numbers()
    {
        Assert.That(new PgSnapshot(10, 20, [14]), Is.EqualTo(PgSnapshot.Parse("10:20:14")).And.Not.EqualTo(PgSnapshot.Parse("10:20:15")));
        Assert.That(new PgSnapshot(10, 20, [14]).GetHashCode(), Is.EqualTo(PgSnapshot.Parse("10:20:14").GetHashCode()));
        Assert.That(PgSnapshot.Parse("10:20:").Equals(null), Is.False);
    }
}
