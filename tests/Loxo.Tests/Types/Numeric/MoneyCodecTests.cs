namespace Loxo.Tests.Types;

public class MoneyCodecTests
{
    [TestCase("0.01", "0000000000000001")]
    [TestCase("12.34", "00000000000004d2")]
    [TestCase("92233720368547758.07", "7fffffffffffffff")]
    [TestCase("-92233720368547758.08", "8000000000000000")]
    [TestCase("0.00", "0000000000000000")]
    public void Money_is_cents(string text, string hex)
    {
        var value = decimal.Parse(text, System.Globalization.CultureInfo.InvariantCulture);
        CodecCheck.BothWays("money", value, hex);
        Assert.That(CodecCheck.Read<decimal>("money", hex).Scale, Is.EqualTo(2));
        CodecCheck.OnlyWhole<decimal>("money", hex);
    }

    [TestCase("1.005", "0000000000000065")]
    [TestCase("-1.005", "ffffffffffffff9b")]
    public void More_decimals_are_rounded_as_the_server_does(string text, string hex) =>
        Assert.That(CodecCheck.Write("money", decimal.Parse(text, System.Globalization.CultureInfo.InvariantCulture)), Is.EqualTo(hex));

    [TestCase("92233720368547758.08")]
    [TestCase("-92233720368547758.09")]
    [TestCase("79228162514264337593543950335")]
    public void An_amount_beyond_money_is_refused(string text) =>
        Assert.That(() => CodecCheck.Write("money", decimal.Parse(text, System.Globalization.CultureInfo.InvariantCulture)), Throws.TypeOf<OverflowException>()
            .With.Message.EqualTo($"The value {text} does not fit into PostgreSQL type money. Write it as numeric."));
}
