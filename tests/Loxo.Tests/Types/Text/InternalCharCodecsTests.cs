namespace Loxo.Tests.Types;

public class InternalCharCodecsTests
{
    [TestCase('x', "78")]
    [TestCase('\0', "00")]
    [TestCase('\u00ff', "ff")]
    public void One_byte_is_one_character(char value, string hex)
    {
        CodecCheck.BothWays("\"char\"", value, hex);
        CodecCheck.BothWays("\"char\"", (byte)value, hex);
        CodecCheck.OnlyWhole<char>("\"char\"", hex);
        CodecCheck.OnlyWhole<byte>("\"char\"", hex);
    }

    [Test]
    public void A_character_beyond_one_byte_is_refused() =>
        Assert.That(() => CodecCheck.Write("\"char\"", '€'), Throws.TypeOf<OverflowException>()
            .With.Message.EqualTo("The character '€' does not fit into PostgreSQL type \"char\", which is one byte. Write it as text."));
}
