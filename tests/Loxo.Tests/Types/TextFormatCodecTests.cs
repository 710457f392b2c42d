using Loxo.Protocol;

namespace Loxo.Tests.Types;

public class TextFormatCodecTests
{
    [Test]
    public void Text_is_read_as_every_NET_type_that_binary_is()
    {
        Assert.That(CodecCheck.ReadText<int>("integer", "42"), Is.EqualTo(42));
        Assert.That(CodecCheck.ReadText<int?>("integer", "42"), Is.EqualTo(42));
        Assert.That(CodecCheck.ReadText<decimal>("integer", "-42"), Is.EqualTo(-42m));
        Assert.That(CodecCheck.ReadText<int>("bigint", "42"), Is.EqualTo(42));
    }

    [Test]
    public void The_errors_are_those_of_binary() =>
        Assert.That(() => CodecCheck.ReadText<int>("bigint", "2147483648"), Throws.TypeOf<OverflowException>()
            .With.Message.EqualTo("The value 2147483648 of type bigint does not fit into int. Read it as long."));

    [Test]
    public void A_value_is_written_as_text()
    {
        Assert.That(CodecCheck.Write(writer => CodecCheck.Codec<int>("integer", FormatCode.Text).Write(writer, -42)), Is.EqualTo("2d3432"));
        Assert.That(CodecCheck.Write(writer => CodecCheck.Codec<bool?>("boolean", FormatCode.Text).Write(writer, true)), Is.EqualTo("74"));
    }
}
