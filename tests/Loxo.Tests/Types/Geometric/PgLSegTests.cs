namespace Loxo.Tests.Types;

public class PgLSegTests
{
    [TestCase("[(1,2),(3,4)]")]
    public void Its_text_is_read_back(string text)
    {
        Assert.That(PgLSeg.Parse(text).ToString(), Is.EqualTo(text));
        Assert.That(PgLSeg.Parse(text.AsSpan()), Is.EqualTo(PgLSeg.Parse(text)));
    }

    [TestCase("")]
    [TestCase("[(1,2)]")]
    [TestCase("[(1,2),(3,4)")]
    [TestCase("[(1,2),(3,4)],")]
    [TestCase("[((1,2),(3,4))]")]
    [TestCase("[(1,2),(3,4),(5,6)]")]
    public void Other_text_is_refused(string text)
    {
        Assert.That(PgLSeg.TryParse(text, null, out var none), Is.False);
        Assert.That(() => PgLSeg.Parse(text), Throws.TypeOf<FormatException>().With.Message.Contains("PgLSeg"));
        Assert.That(() => PgLSeg.Parse(text.AsSpan()), Throws.TypeOf<FormatException>());
    }

    [Test]
    public void It_has_a_start_and_an_end()
    {
        var segment = PgLSeg.Parse("[(1,2),(3,4)]");
        Assert.That((segment.Start, segment.End), Is.EqualTo((new PgPoint(1, 2), new PgPoint(3, 4))));
    }
}
