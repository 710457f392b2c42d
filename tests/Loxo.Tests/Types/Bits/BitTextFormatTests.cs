using Loxo.Types;

namespace Loxo.Tests.Types;

public class BitTextFormatTests
{
    [TestCase("10101", "00000005a8")]
    [TestCase("", "00000000")]
    [TestCase("111111111", "00000009ff80")]
    public void Each_bit_is_a_digit(string text, string hex)
    {
        FormCheck.BothWays(new BitTextFormat("bit"), text, hex);
        FormCheck.OnlyWhole(new BitTextFormat("bit"), hex);
    }

    [TestCase("2")]
    [TestCase("1 0")]
    [TestCase("x1F")]
    public void Other_digits_are_refused(string text) => FormCheck.Refuses(new BitTextFormat("bit"), text);
}
