namespace Loxo.Tests.Types;

public class PgLineTests
{
    [TestCase("{1,-1,0}")]
    [TestCase("{0,2.5,-3}")]
    public void Its_text_is_read_back(string text)
    {
        Assert.That(PgLine.Parse(text).ToString(), Is.EqualTo(text));
        Assert.That(PgLine.Parse(text.AsSpan()), Is.EqualTo(PgLine.Parse(text)));
    }

    [TestCase("")]
    [TestCase("{1,2}")]
    [TestCase("{1,2,3,4}")]
    [TestCase("{1,2,3")]
    [TestCase("{1,2,3}}")]
    [TestCase("(1,2,3)")]
    public void Other_text_is_refused(string text)
    {
        Assert.That(PgLine.TryParse(text, null, out var none), Is.False);
        Assert.That(() => PgLine.Parse(text), Throws.TypeOf<FormatException>().With.Message.Contains("PgLine"));
        Assert.That(() => PgLine.Parse(text.AsSpan()), Throws.TypeOf<FormatException>());
    }

    [Test]
    public void It_has_three_numbers()
    {
        var line = PgLine.Parse("{1,2,3}");
        Assert.That((line.A, line.B, line.C), Is.EqualTo((1d, 2d, 3d)));
        Assert.That(line, Is.EqualTo(new PgLine(1, 2, 3)).And.Not.EqualTo(new PgLine(1, 2, 4)));
    }
}
