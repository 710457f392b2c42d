namespace Loxo.Tests.Types;

public class VoidCodecTests
{
    [Test]
    public void A_void_is_DBNull() => CodecCheck.BothWays("void", DBNull.Value, "");

    [Test]
    public void A_void_has_no_bytes() => Assert.That(() => CodecCheck.Read<DBNull>("void", "00"), Throws.TypeOf<PgException>());
}
