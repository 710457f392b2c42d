using System.Text;

namespace Loxo.Tests.Types;

public class VersionedCodecsTests
{
    [TestCase("jsonb", "{\"a\": 1}", "017b2261223a20317d")]
    [TestCase("jsonpath", "$.\"a\"", "01242e226122")]
    public void Text_stands_behind_a_version(string type, string text, string hex)
    {
        CodecCheck.BothWays(type, text, "01" + Convert.ToHexStringLower(Encoding.UTF8.GetBytes(text)));
        Assert.That(CodecCheck.Read<string>(type, hex), Is.EqualTo(text));
        CodecCheck.BothWays(type, text.ToCharArray(), hex);
        CodecCheck.BothWays(type, Encoding.UTF8.GetBytes(text), hex);
        Assert.That(CodecCheck.Write<ReadOnlyMemory<byte>>(type, Encoding.UTF8.GetBytes(text)), Is.EqualTo(hex));
        Assert.That(CodecCheck.Read<ReadOnlyMemory<char>>(type, hex).ToString(), Is.EqualTo(text));
    }

    [Test]
    public void Another_version_is_refused()
    {
        Assert.That(() => CodecCheck.Read<string>("jsonb", "027b7d"), Throws.TypeOf<PgException>().With.Message.Contains("its version is 2"));
        Assert.That(() => CodecCheck.Read<ReadOnlyMemory<byte>>("jsonb", ""), Throws.TypeOf<PgException>().With.Message.Contains("its version is missing"));
    }
}
