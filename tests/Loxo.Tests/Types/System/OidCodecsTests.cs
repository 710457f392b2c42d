namespace Loxo.Tests.Types;

public class OidCodecsTests
{
    [TestCase("oid")]
    [TestCase("xid")]
    [TestCase("cid")]
    [TestCase("regclass")]
    [TestCase("regtype")]
    [TestCase("regproc")]
    [TestCase("regnamespace")]
    public void An_object_number_has_no_sign(string type)
    {
        CodecCheck.BothWays(type, uint.MaxValue, "ffffffff");
        CodecCheck.BothWays(type, 25u, "00000019");
        CodecCheck.OnlyWhole<uint>(type, "00000019");
    }

    [Test]
    public void An_xid8_has_eight_bytes()
    {
        CodecCheck.BothWays("xid8", ulong.MaxValue, "ffffffffffffffff");
        CodecCheck.OnlyWhole<ulong>("xid8", "0000000000000001");
    }
}
