using Loxo.Types.TextFormat;

namespace Loxo.Tests.Types.TextFormat;

public class ValueTextTests
{
    [TestCase(0.1, "0.1")]
    [TestCase(-0d, "-0")]
    [TestCase(1e20, "1e+20")]
    [TestCase(1e15, "1e+15")]
    [TestCase(-1234567890123456d, "-1.234567890123456e+15")]
    [TestCase(9007199254740993d, "9.007199254740992e+15")]
    [TestCase(123456789012345d, "123456789012345")]
    [TestCase(-2e-7, "-2e-07")]
    [TestCase(0.0001, "0.0001")]
    [TestCase(double.NaN, "NaN")]
    [TestCase(double.NegativeInfinity, "-Infinity")]
    public void A_number_is_shown_as_the_server_does(double number, string text) => Assert.That(ValueText.Show(number), Is.EqualTo(text));

    [Test]
    public void Text_that_is_no_value_is_refused_with_an_example() =>
        Assert.That(() => ValueText.Parse<PgInet>("x", "::1"), Throws.TypeOf<FormatException>().With.Message.EqualTo("The text 'x' is not a value of PgInet, which looks like ::1."));
}
