namespace Loxo.Tests.Types;

public class PgCircleTests
{
    [TestCase("<(1,2),3>")]
    [TestCase("<(1.5,-2),1e+20>")]
    public void Its_text_is_read_back(string text)
    {
        Assert.That(PgCircle.Parse(text).ToString(), Is.EqualTo(text));
        Assert.That(PgCircle.Parse(text.AsSpan()), Is.EqualTo(PgCircle.Parse(text)));
    }

    [TestCase("")]
    [TestCase("<(1,2)>")]
    [TestCase("<(1,2),3")]
    [TestCase("<(1,2),3>>")]
    [TestCase("<(1,2),-3>")]
    [TestCase("<(1,2),1e400>")]
    public void Other_text_is_refused(string text)
    {
        Assert.That(PgCircle.TryParse(text, null, out var none), Is.False);
        Assert.That(() => PgCircle.Parse(text), Throws.TypeOf<FormatException>().With.Message.Contains("PgCircle"));
        Assert.That(() => PgCircle.Parse(text.AsSpan()), Throws.TypeOf<FormatException>());
    }

    [Test]
    public void It_has_a_middle_and_a_radius()
    {
        var circle = new PgCircle(1, 2, 3);
        Assert.That((circle.X, circle.Y, circle.Center, circle.Radius), Is.EqualTo((1d, 2d, new PgPoint(1, 2), 3d)));
        Assert.That(circle, Is.EqualTo(new PgCircle(new PgPoint(1, 2), 3)));
    }
}
