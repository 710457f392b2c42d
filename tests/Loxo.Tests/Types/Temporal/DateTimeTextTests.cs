using Loxo.Types;

namespace Loxo.Tests.Types;

public class DateTimeTextTests
{
    [TestCase("+05", 18000)]
    [TestCase("-05:30", -19800)]
    [TestCase("+00:19:32", 1172)]
    public void An_offset_has_one_to_three_parts(string text, int seconds)
    {
        var scanner = new TextScanner(System.Text.Encoding.ASCII.GetBytes(text));
        Assert.That(DateTimeText.TryTakeOffset(ref scanner, out var taken) && scanner.IsAtEnd, Is.True);
        Assert.That(taken, Is.EqualTo(seconds));
    }

    [TestCase("05")]
    [TestCase("+")]
    [TestCase("+05:")]
    [TestCase("+05:99")]
    public void Something_else_is_no_offset(string text)
    {
        var scanner = new TextScanner(System.Text.Encoding.ASCII.GetBytes(text));
        Assert.That(DateTimeText.TryTakeOffset(ref scanner, out _), Is.False);
    }

    [TestCase(0, "00:00:00")]
    [TestCase(1, "00:00:00.000001")]
    [TestCase(86_399_500_000, "23:59:59.5")]
    public void A_time_is_shown_without_zeros_at_its_end(long microseconds, string text) => Assert.That(DateTimeText.FormatTime(microseconds), Is.EqualTo(text));
}
