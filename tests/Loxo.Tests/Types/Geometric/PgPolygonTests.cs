namespace Loxo.Tests.Types;

public class PgPolygonTests
{
    [TestCase("((1,2),(3,4),(5,6))")]
    [TestCase("((1,2))")]
    public void Its_text_is_read_back(string text)
    {
        Assert.That(PgPolygon.Parse(text).ToString(), Is.EqualTo(text));
        Assert.That(PgPolygon.Parse(text.AsSpan()), Is.EqualTo(PgPolygon.Parse(text)));
    }

    [TestCase("")]
    [TestCase("()")]
    [TestCase("[(1,2)]")]
    [TestCase("((1,2)")]
    [TestCase("1,2,3")]
    public void Other_text_is_refused(string text)
    {
        Assert.That(PgPolygon.TryParse(text, null, out var none), Is.False);
        Assert.That(() => PgPolygon.Parse(text), Throws.TypeOf<FormatException>().With.Message.Contains("PgPolygon"));
        Assert.That(() => PgPolygon.Parse(text.AsSpan()), Throws.TypeOf<FormatException>());
    }

    [Test]
    public void Its_points_are_a_list_that_does_not_change()
    {
        PgPoint[] points = [new(1, 2), new(3, 4)];
        var value = new PgPolygon(points);
        points[0] = new PgPoint(9, 9);
        Assert.That(value, Has.Count.EqualTo(2));
        Assert.That(value[0], Is.EqualTo(new PgPoint(1, 2)));
        Assert.That(value.ToArray(), Is.EqualTo(new PgPoint[] { new(1, 2), new(3, 4) }));
        Assert.That(() => value[2], Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => value[-1], Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => new PgPolygon((IEnumerable<PgPoint>)null!), Throws.ArgumentNullException);
    }

    [Test]
    public void It_is_equal_by_its_points()
    {
        var value = new PgPolygon(new PgPoint(1, 2), new PgPoint(3, 4));
        Assert.That(value == new PgPolygon(new List<PgPoint> { new(1, 2), new(3, 4) }), Is.True);
        Assert.That(value.GetHashCode(), Is.EqualTo(new PgPolygon(new PgPoint(1, 2), new PgPoint(3, 4)).GetHashCode()));
        Assert.That(value != new PgPolygon(new PgPoint(1, 2)), Is.True);
        Assert.That(value.Equals((object)new PgPolygon(new PgPoint(3, 4), new PgPoint(1, 2))), Is.False);
    }

    [Test]
    public void The_default_value_has_no_points()
    {
        Assert.That(default(PgPolygon), Has.Count.EqualTo(0));
        Assert.That(default(PgPolygon), Is.EqualTo(new PgPolygon([])));
    }
}
