using Loxo.Types;

namespace Loxo.Tests.Types;

public class ValueFormatTests
{
    [Test]
    public void There_is_one_format()
    {
        Assert.That(() => ValueFormat.Check(""), Throws.Nothing);
        Assert.That(() => ValueFormat.Check("G"), Throws.Nothing);
        Assert.That(() => ValueFormat.Check("X"), Throws.TypeOf<FormatException>().With.Message.Contains("'X'"));
    }

    [Test]
    public void A_text_is_copied_as_a_whole_or_not_at_all()
    {
        var room = new char[3];
        Assert.That((ValueFormat.TryCopy("abc", room, out var length), length, new string(room)), Is.EqualTo((true, 3, "abc")));
        Assert.That((ValueFormat.TryCopy("abcd", room, out length), length), Is.EqualTo((false, 0)));
    }

    [Test]
    public void An_error_shows_the_start_of_a_long_text() =>
        Assert.That(ValueFormat.NotA("date", new string('x', 50), "one").Message, Is.EqualTo($"The text '{new string('x', 40)}...' is not a date. Give one."));
}
