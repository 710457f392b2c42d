using Loxo.Types;

namespace Loxo.Tests.Types;

public class TextScannerTests
{
    [Test]
    public void It_takes_a_text_apart_from_left_to_right()
    {
        var scanner = new TextScanner("2024-02 day BC"u8);
        Assert.That(scanner.TryTakeNumber(out var year) && year == 2024 && scanner.TryTake("-"u8), Is.True);
        Assert.That(scanner.TryTakeNumber(out var month, out var digits) && month == 2 && digits == 2, Is.True);
        Assert.That(scanner.TryTake("x"u8), Is.False);
        Assert.That(scanner.TryTake(" "u8), Is.True);
        Assert.That(scanner.TakeLetters().SequenceEqual("day"u8), Is.True);
        Assert.That(scanner.TakeLetters().IsEmpty, Is.True);
        Assert.That(scanner.IsAtEnd, Is.False);
        Assert.That(scanner.TryTake(" BC"u8), Is.True);
        Assert.That(scanner.IsAtEnd, Is.True);
    }

    [Test]
    public void What_is_no_number_is_not_taken()
    {
        var letters = new TextScanner("x1"u8);
        Assert.That(letters.TryTakeNumber(out _), Is.False);
        var tooLong = new TextScanner("1234567890123456789"u8);
        Assert.That(tooLong.TryTakeNumber(out _), Is.False);
        var empty = new TextScanner(""u8);
        Assert.That(empty.TryTakeNumber(out _), Is.False);
        Assert.That(empty.TryTake("x"u8), Is.False);
    }
}
