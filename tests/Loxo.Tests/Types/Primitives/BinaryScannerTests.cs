using Loxo.Types;

namespace Loxo.Tests.Types;

public class BinaryScannerTests
{
    [Test]
    public void It_takes_a_value_apart_from_left_to_right()
    {
        var scanner = new BinaryScanner(Convert.FromHexString("01" + "0002" + "00000003" + "ffffffff" + "0000000000000004" + "3ff8000000000000" + "616200" + "0000000163" + "ffffffff"), "x");
        Assert.That(scanner.TakeByte(), Is.EqualTo(1));
        Assert.That(scanner.TakeUInt16(), Is.EqualTo(2));
        Assert.That(scanner.TakeInt32(), Is.EqualTo(3));
        Assert.That(scanner.TakeUInt32(), Is.EqualTo(uint.MaxValue));
        Assert.That(scanner.TakeInt64(), Is.EqualTo(4));
        Assert.That(scanner.TakeDouble(), Is.EqualTo(1.5));
        Assert.That(scanner.TakeCString().SequenceEqual("ab"u8), Is.True);
        Assert.That(scanner.TryTakeValue(out var value) && value.SequenceEqual("c"u8), Is.True);
        Assert.That(scanner.TryTakeValue(out _), Is.False);
        Assert.That(scanner.Left, Is.Zero);
        scanner.End();
    }

    [Test]
    public void What_is_not_there_is_not_taken()
    {
        Assert.That(() => new BinaryScanner([1, 2, 3], "x").TakeInt32(), Throws.TypeOf<PgException>().With.Message.Contains("type x: it ends too early"));
        Assert.That(() => new BinaryScanner([1, 2, 3], "x").TakeCString().Length, Throws.TypeOf<PgException>());
        Assert.That(() => new BinaryScanner([1, 2, 3], "x").Take(-1).Length, Throws.TypeOf<PgException>());
        Assert.That(() => new BinaryScanner([1, 2, 3], "x").End(), Throws.TypeOf<PgException>());
        Assert.That(() => new BinaryScanner([0, 0, 0, 2, 0], "x").TakeCount(least: 1), Throws.TypeOf<PgException>());
        Assert.That(() => new BinaryScanner([255, 255, 255, 255], "x").TakeCount(least: 1), Throws.TypeOf<PgException>());
        Assert.That(new BinaryScanner([0, 0, 0, 1, 0], "x").TakeCount(least: 1), Is.EqualTo(1));
    }
}
