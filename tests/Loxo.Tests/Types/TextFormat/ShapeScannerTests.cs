using Loxo.Types.TextFormat;

namespace Loxo.Tests.Types.TextFormat;

public class ShapeScannerTests
{
    [Test]
    public void Points_are_taken_from_left_to_right()
    {
        var scanner = new ShapeScanner(" ( 1.5 , -2e3 ) , (Infinity,NaN)");
        Assert.That(scanner.TryTakePoint(out var point), Is.True);
        Assert.That(point, Is.EqualTo(new PgPoint(1.5, -2000)));
        Assert.That(scanner.TryTake(','), Is.True);
        Assert.That(scanner.TryTakePoint(out point), Is.True);
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
    [TestCase("1,2")]
    public void What_is_no_point_is_not_taken_for_one(string text)
    {
        var scanner = new ShapeScanner(text);
        Assert.That(scanner.TryTakePoint(out _), Is.False);
    }

    [Test]
    public void Several_points_need_commas()
    {
        var two = new ShapeScanner("(1,2) , (3,4)");
        Assert.That(two.TryTakePoints(out var points), Is.True);
        Assert.That(points, Is.EqualTo(new[] { new PgPoint(1, 2), new PgPoint(3, 4) }));
        var unfinished = new ShapeScanner("(1,2),");
        Assert.That(unfinished.TryTakePoints(out _), Is.False);
        var one = new ShapeScanner("(1,2)");
        Assert.That(one.TryTakeTwo(out _, out _), Is.False);
    }
}
