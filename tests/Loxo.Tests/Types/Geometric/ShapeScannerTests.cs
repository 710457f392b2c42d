using Loxo.Types;

namespace Loxo.Tests.Types;

public class ShapeScannerTests
{
    [Test]
    public void Points_are_taken_from_left_to_right()
    {
        var scanner = new ShapeScanner(" ( 1.5 , -2e3 ) , (Infinity,NaN)");
        Assert.That(scanner.TryTakePoint(out var point), Is.True);
        Assert.That(point, Is.EqualTo(new PgPoint(1.5, -2000)));
        Assert.That(scanner.TryTake(','), Is.True);
        Assert.That(scanner.TryTakePoint(out point), Is.True, "blanks in front of it are skipped");
        Assert.That(point, Is.EqualTo(new PgPoint(double.PositiveInfinity, double.NaN)));
        Assert.That(scanner.IsAtEnd, Is.True);
        Assert.That(scanner.TryTake(','), Is.False);
        Assert.That(scanner.TryTakeNumber(out _), Is.False);
    }

    [TestCase("")]
    [TestCase("()")]
    [TestCase("(1)")]
    [TestCase("(1,)")]
    [TestCase("(1,2")]
    [TestCase("(1 1,2)")]
    [TestCase("1 2")]
    [TestCase("(1e4300,0)")]
    [TestCase("(\u00a01,2)")]
    public void What_is_no_point_is_not_taken_for_one(string text)
    {
        var scanner = new ShapeScanner(text);
        Assert.That(scanner.TryTakePoint(out _), Is.False);
    }

    [TestCase("(1,2) , (3,4)")]
    [TestCase("(1,2)(3,4)")]
    [TestCase("((1,2),(3,4))")]
    [TestCase("( ( 1,2 ),3,4 )")]
    [TestCase("1,2,3,4")]
    [TestCase("(1,2,3,4)")]
    [TestCase("((1,2),(3,4),)")]
    public void Parentheses_and_commas_between_points_can_be_left_out(string text)
    {
        var points = new PgPoint[2];
        var scanner = new ShapeScanner(text);
        Assert.That((scanner.TryTakePoints(points, mayBeOpen: true, out var isOpen), isOpen, scanner.IsAtEnd), Is.EqualTo((true, false, true)));
        Assert.That(points, Is.EqualTo(new[] { new PgPoint(1, 2), new PgPoint(3, 4) }));
    }

    [Test]
    public void Brackets_stand_around_points_where_they_are_allowed()
    {
        var points = new PgPoint[2];
        var allowed = new ShapeScanner("[(1,2),(3,4)]");
        Assert.That((allowed.TryTakePoints(points, mayBeOpen: true, out var isOpen), isOpen, allowed.IsAtEnd), Is.EqualTo((true, true, true)));
        var refused = new ShapeScanner("[(1,2),(3,4)]");
        Assert.That(refused.TryTakePoints(points, mayBeOpen: false, out _), Is.False);
        var unfinished = new ShapeScanner("((1,2),(3,4)");
        Assert.That(unfinished.TryTakePoints(points, mayBeOpen: false, out _), Is.False);
    }

    [TestCase("(1,2),(3,4)", 2)]
    [TestCase("1,2,3", 0)]
    [TestCase("", 0)]
    public void Points_are_counted_by_commas(string text, int count) => Assert.That(ShapeScanner.CountPoints(text), Is.EqualTo(count));
}
