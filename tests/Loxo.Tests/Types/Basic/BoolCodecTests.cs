namespace Loxo.Tests.Types;

public class BoolCodecTests
{
    [TestCase(true, "01")]
    [TestCase(false, "00")]
    public void A_bool_is_one_byte(bool value, string hex) => CodecCheck.BothWays("bool", value, hex);

    [Test]
    public void Another_size_is_refused() => CodecCheck.OnlyWhole<bool>("bool", "01");
}
