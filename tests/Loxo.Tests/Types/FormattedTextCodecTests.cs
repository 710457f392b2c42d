using Loxo.Protocol;

namespace Loxo.Tests.Types;

public class FormattedTextCodecTests
{
    [Test]
    public void A_value_is_its_text() => CodecCheck.BothWays("inet", "10.0.0.1/8", "020800040a000001");

    [Test]
    public void Text_that_is_no_value_says_what_to_do() =>
        Assert.That(() => CodecCheck.Write("inet", "10.0.0"), Throws.TypeOf<InvalidCastException>().With.Message.EqualTo(
            "The text '10.0.0' cannot become a value of PostgreSQL type inet. Write it as the server shows such values, or send it as text and cast it in SQL."));

    [Test]
    public void Only_the_beginning_of_a_long_text_is_shown() =>
        Assert.That(() => CodecCheck.Write("inet", new string('x', 1000)), Throws.TypeOf<InvalidCastException>().With.Message.Contains("'" + new string('x', 40) + "...'"));

    [Test]
    public void In_text_format_the_text_is_taken_as_it_is() =>
        Assert.That(CodecCheck.Codec<string>("inet", FormatCode.Text).Read("not looked at"u8), Is.EqualTo("not looked at"));

    [Test]
    public void An_array_is_its_text_too()
    {
        var hex = CodecCheck.Write<string?[]>("inet[]", ["10.0.0.1/8", null]);
        Assert.That(CodecCheck.Read<string>("inet[]", hex), Is.EqualTo("{10.0.0.1/8,NULL}"));
        Assert.That(CodecCheck.Read<string?[]>("inet[]", hex), Is.EqualTo(new[] { "10.0.0.1/8", null }));
        Assert.That(CodecCheck.Read<string?[]>("inet[]", CodecCheck.Write("inet[]", "{10.0.0.1/8,NULL}")), Is.EqualTo(new[] { "10.0.0.1/8", null }));
    }
}
