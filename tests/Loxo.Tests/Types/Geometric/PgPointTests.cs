namespace Loxo.Tests.Types;

public class PgPointTests
{
    [TestCase("(1.5,-2e-07)")]
    [TestCase("(NaN,Infinity)")]
    [TestCase("(-0,1e+15)")]
    public void Its_text_is_read_back(string text)
    {
        Assert.That(PgPoint.Parse(text).ToString(), Is.EqualTo(text));
        Assert.That(PgPoint.Parse(text.AsSpan()), Is.EqualTo(PgPoint.Parse(text)));
    }

    [TestCase("")]
    [TestCase("(1,2")]
    [TestCase("(1,2))")]
    [TestCase("1 2")]
    [TestCase("(1e4300,0)")]
    [TestCase("(0x10,0)")]
    [TestCase("(1,\u00a02)")]
    public void Other_text_is_refused(string text)
    {
        Assert.That(PgPoint.TryParse(text, null, out var none), Is.False);
        Assert.That(() => PgPoint.Parse(text), Throws.TypeOf<FormatException>().With.Message.Contains("PgPoint"));
        Assert.That(() => PgPoint.Parse(text.AsSpan()), Throws.TypeOf<FormatException>());
    }

    [Test]
    public void Blanks_do_not_count() => Assert.That(PgPoint.Parse(" ( 1 , 2 ) "), Is.EqualTo(new PgPoint(1, 2)));
}
