namespace Loxo.Tests.Types;

public class PgBoxTests
{
    [TestCase("(3,4),(1,2)")]
    [TestCase("(NaN,4),(1,2)")]
    public void Its_text_is_read_back(string text)
    {
        Assert.That(PgBox.Parse(text).ToString(), Is.EqualTo(text));
        Assert.That(PgBox.Parse(text.AsSpan()), Is.EqualTo(PgBox.Parse(text)));
    }

    [TestCase("")]
    [TestCase("(3,4)")]
    [TestCase("[(3,4),(1,2)]")]
    [TestCase("(3,4),(1,2),,")]
    [TestCase("(3,4),(1,1e400)")]
    public void Other_text_is_refused(string text)
    {
        Assert.That(PgBox.TryParse(text, null, out var none), Is.False);
        Assert.That(() => PgBox.Parse(text), Throws.TypeOf<FormatException>().With.Message.Contains("PgBox"));
        Assert.That(() => PgBox.Parse(text.AsSpan()), Throws.TypeOf<FormatException>());
    }

    [Test]
    public void Any_two_opposite_corners_make_it()
    {
        var box = new PgBox(new PgPoint(3, 4), new PgPoint(1, 2));
        Assert.That(new PgBox(new PgPoint(1, 4), new PgPoint(3, 2)), Is.EqualTo(box));
        Assert.That(new PgBox(new PgPoint(1, 2), new PgPoint(3, 4)), Is.EqualTo(box));
        Assert.That(new PgBox(top: 4, right: 3, bottom: 2, left: 1), Is.EqualTo(box));
        Assert.That((box.UpperRight, box.LowerLeft), Is.EqualTo((new PgPoint(3, 4), new PgPoint(1, 2))));
        Assert.That((box.Left, box.Right, box.Bottom, box.Top), Is.EqualTo((1d, 3d, 2d, 4d)));
        Assert.That(box == default, Is.False);
        Assert.That(box != default, Is.True);
        Assert.That(box.GetHashCode(), Is.EqualTo(new PgBox(4, 3, 2, 1).GetHashCode()));
    }

    [Test]
    public void It_is_empty_without_an_area()
    {
        Assert.That(new PgBox(4, 3, 2, 1).IsEmpty, Is.False);
        Assert.That(new PgBox(4, 3, 4, 1).IsEmpty, Is.True);
        Assert.That(new PgBox(4, 3, 2, 3).IsEmpty, Is.True);
        Assert.That((new PgBox(4, 3, 2, 0).Width, new PgBox(4, 3, 2, 0).Height), Is.EqualTo((3d, 2d)));
    }

    [Test]
    public void NaN_is_larger_than_any_number_as_it_is_to_the_server()
    {
        Assert.That(new PgBox(new PgPoint(double.NaN, 1), new PgPoint(2, 3)).Right, Is.NaN);
        Assert.That(new PgBox(new PgPoint(2, 1), new PgPoint(double.NaN, 3)).Right, Is.NaN);
    }
}
