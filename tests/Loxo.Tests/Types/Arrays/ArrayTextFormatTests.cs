using Loxo.Protocol;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class ArrayTextFormatTests
{
    private static readonly ArrayTextFormat Texts = new(CodecCheck.Type("text"), new PlainTextFormat());

    [TestCase("{}", "000000000000000000000017")]
    [TestCase("{1,2}", "000000010000000000000017000000020000000100000004000000010000000400000002")]
    [TestCase("[0:1]={1,2}", "000000010000000000000017000000020000000000000004000000010000000400000002")]
    [TestCase("{1,null}", "00000001000000010000001700000002000000010000000400000001ffffffff")]
    [TestCase("{{1},{2}}", "0000000200000000000000170000000200000001000000010000000100000004000000010000000400000002")]
    [TestCase("[-1:-1][2:3]={{1,2}}", "00000002000000000000001700000001ffffffff000000020000000200000004000000010000000400000002")]
    [TestCase("{{},{}}", "000000000000000000000017")]
    public void Elements_stand_in_braces(string text, string hex) =>
        Assert.That(FormCheck.ToBinary(new ArrayTextFormat(CodecCheck.Type("integer"), new IntegerTextFormat<int>("integer")), text), Is.EqualTo(hex));

    [Test]
    public void Quotes_and_backslashes_protect_what_is_special()
    {
        string?[] expected = ["a b", null, "NULL", "x\"y\\", "", "{,}", "plain"];
        Assert.That(CodecCheck.ReadText<string?[]>("text[]", """{"a b",NULL,"NULL","x\"y\\","","{,}",plain}"""), Is.EqualTo(expected));
    }

    [Test]
    public void What_is_written_is_read_again()
    {
        string?[] values = ["a b", null, "NULL", "x\"y\\", "", "{,}"];
        var codec = CodecCheck.Codec<string?[]>("text[]", FormatCode.Text);
        Assert.That(codec.Read(Convert.FromHexString(CodecCheck.Write(writer => codec.Write(writer, values)))), Is.EqualTo(values));
        Assert.That(CodecCheck.Codec<int[]>("integer[]", FormatCode.Text).Read("{}"u8), Is.Empty);
    }

    [Test]
    public void Elements_are_read_as_in_a_column_of_their_own() =>
        Assert.That(CodecCheck.ReadText<DateOnly?[]>("date[]", "{2024-02-29,NULL,infinity}"), Is.EqualTo(new DateOnly?[] { new(2024, 2, 29), null, DateOnly.MaxValue }));

    [Test]
    public void Two_dimensions_are_not_flattened() =>
        Assert.That(() => CodecCheck.ReadText<int[]>("integer[]", "{{1,2},{3,4}}"), Throws.TypeOf<InvalidCastException>().With.Message.Contains("2 dimensions"));

    [TestCase("")]
    [TestCase("1,2")]
    [TestCase("{1,2")]
    [TestCase("{\"a}")]
    [TestCase("{\"a\"b}")]
    [TestCase("{a}b}")]
    [TestCase("{a\\}")]
    [TestCase("[0:1]")]
    [TestCase("[0:1]{1,2}")]
    [TestCase("[0]={1}")]
    [TestCase("[0:1][0:0]={1,2}")]
    [TestCase("{a,b}}")]
    [TestCase("{{a,b},{c}}")]
    [TestCase("{{a},b}")]
    [TestCase("{a,}")]
    [TestCase("{{{{{{{a}}}}}}}")]
    public void What_is_no_array_is_refused(string text) => FormCheck.Refuses(Texts, text);
}
