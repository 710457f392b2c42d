using System.Text;

namespace Loxo.Tests.Types;

public class TextCodecsTests
{
    private static readonly string[] TextTypes = ["text", "varchar", "bpchar", "name", "xml", "json", "refcursor", "unknown", "cstring"];

    [TestCase("", "")]
    [TestCase("abc", "616263")]
    [TestCase("grün €", "6772c3bc6e20e282ac")]
    [TestCase("\U0001F600", "f09f9880")]
    public void Text_is_UTF_8(string value, string hex)
    {
        foreach (var type in TextTypes)
        {
            CodecCheck.BothWays(type, value, hex);
            CodecCheck.BothWays(type, value.ToCharArray(), hex);
            Assert.That(CodecCheck.Write<ReadOnlyMemory<char>>(type, value.AsMemory()), Is.EqualTo(hex));
            Assert.That(CodecCheck.Read<ReadOnlyMemory<char>>(type, hex).ToString(), Is.EqualTo(value));
            CodecCheck.BothWays(type, Encoding.UTF8.GetBytes(value), hex);
        }
    }

    [TestCase('a', "61")]
    [TestCase('ü', "c3bc")]
    [TestCase('€', "e282ac")]
    [TestCase('\uFFFD', "efbfbd")]
    public void A_char_is_a_text_of_one_character(char value, string hex) => CodecCheck.BothWays("text", value, hex);

    [TestCase("")]
    [TestCase("6161")]
    [TestCase("f09f9880")]
    [TestCase("ff")]
    [TestCase("e282")]
    public void A_text_that_is_not_one_character_is_no_char(string hex) =>
        Assert.That(() => CodecCheck.Read<char>("text", hex), Throws.TypeOf<InvalidCastException>()
            .With.Message.EqualTo($"A text of {hex.Length / 2} bytes that is not exactly one character cannot become char. Read it as string."));

    [Test]
    public void Segments_are_written_as_far_as_they_reach()
    {
        Assert.That(CodecCheck.Write("text", new ArraySegment<char>("xabcx".ToCharArray(), 1, 3)), Is.EqualTo("616263"));
        Assert.That(CodecCheck.Write("text", default(ArraySegment<char>)), Is.Empty);
        Assert.That(CodecCheck.Read<ArraySegment<char>>("text", "616263"), Is.EqualTo("abc"));
    }

    [Test]
    public void A_lone_surrogate_is_no_char_either() =>
        Assert.That(() => CodecCheck.Write("text", '\uD800'), Throws.TypeOf<PgException>());
}
