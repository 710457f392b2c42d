using Loxo.Types;

namespace Loxo.Tests.Types;

public class RangeTextFormatTests
{
    private static readonly RangeTextFormat Integers = new("int4range", CodecCheck.Type("integer"), new IntegerTextFormat<int>("integer"));
    private static readonly RangeTextFormat Texts = new("textrange", CodecCheck.Type("text"), new PlainTextFormat());
    private static readonly MultirangeTextFormat Several = new("int4multirange", Integers);

    [Test]
    public void A_range_is_its_bounds_in_brackets()
    {
        FormCheck.BothWays(Integers, "[1,5)", "0200000004000000010000000400000005");
        FormCheck.BothWays(Integers, "empty", "01");
        FormCheck.BothWays(Integers, "(,5]", "0c0000000400000005");
        FormCheck.BothWays(Integers, "(,)", "18");
        FormCheck.OnlyWhole(Integers, "0200000004000000010000000400000005");
    }

    [Test]
    public void Quotes_protect_what_is_special() => FormCheck.BothWays(Texts, """["","a,b""\\)"]""", "060000000000000006612c62225c29");

    [Test]
    public void A_backslash_protects_too() => Assert.That(FormCheck.ToBinary(Texts, """[a\,b,\"]"""), Is.EqualTo("0600000003612c620000000122"));

    [Test]
    public void A_multirange_is_ranges_in_braces()
    {
        FormCheck.BothWays(Several, "{[1,3),[5,8)}", "00000002000000110200000004000000010000000400000003000000110200000004000000050000000400000008");
        FormCheck.BothWays(Several, "{}", "00000000");
        Assert.That(FormCheck.ToBinary(Several, " { empty , (,) } "), Is.EqualTo("0000000200000001010000000118"));
        FormCheck.OnlyWhole(Several, "00000001000000110200000004000000010000000400000003");
    }

    [TestCase("")]
    [TestCase("[1,5")]
    [TestCase("[1,5)x")]
    [TestCase("1,5")]
    [TestCase("[1]")]
    [TestCase("[1,\"5)")]
    public void What_is_no_range_is_refused(string text) => FormCheck.Refuses(Integers, text);

    [TestCase("")]
    [TestCase("[1,5)")]
    [TestCase("{[1,5)")]
    [TestCase("{[1,5),}")]
    [TestCase("{[1,5)[7,8)}")]
    [TestCase("{,}")]
    [TestCase("}{")]
    public void What_is_no_multirange_is_refused(string text) => FormCheck.Refuses(Several, text);
}
