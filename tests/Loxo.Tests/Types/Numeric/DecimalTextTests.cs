using Loxo.Types;

namespace Loxo.Tests.Types;

public class DecimalTextTests
{
    [TestCase("123.45", 2, -2, 2)]
    [TestCase("100", 2, 2, 0)]
    [TestCase("0.050", -2, -2, 3)]
    [TestCase("12e3", 4, 3, 0)]
    [TestCase("1.25e1", 1, -1, 1)]
    [TestCase("0.00", 0, 0, 2)]
    public void Digits_have_places_counted_from_the_point(string text, int highest, int lowest, int scale)
    {
        var digits = DecimalText.Parse(text);
        Assert.That((digits.HighestPlace, digits.LowestPlace, digits.Scale), Is.EqualTo((highest, lowest, scale)));
    }

    [Test]
    public void Groups_of_four_are_aligned_to_the_point()
    {
        var digits = DecimalText.Parse("12345.678");
        Assert.That((digits.GroupAt(4), digits.GroupAt(0), digits.GroupAt(-4), digits.GroupAt(-8)), Is.EqualTo((1, 2345, 6780, 0)));
    }

    [TestCase("")]
    [TestCase("-")]
    [TestCase(".")]
    [TestCase("1,5")]
    [TestCase("1 2")]
    [TestCase("0x10")]
    [TestCase("1e")]
    [TestCase("1e+")]
    [TestCase("1e9999999999")]
    [TestCase("--1")]
    [TestCase("one")]
    public void What_is_no_number_is_refused(string text) =>
        Assert.That(() => DecimalText.Parse(text).Scale, Throws.TypeOf<InvalidCastException>()
            .With.Message.StartsWith($"The text '{text}' cannot become a value of PostgreSQL type numeric. Give digits"));

    [Test]
    public void A_long_text_is_cut_in_the_error() =>
        Assert.That(() => DecimalText.Parse(new string('x', 1000)).Scale, Throws.TypeOf<InvalidCastException>().With.Message.Length.LessThan(250));
}
