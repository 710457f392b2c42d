namespace Loxo.Tests.Types;

public class UuidCodecTests
{
    private const string Hex = "00112233445566778899aabbccddeeff";

    [Test]
    public void The_most_significant_byte_comes_first() =>
        CodecCheck.BothWays("uuid", new Guid("00112233-4455-6677-8899-aabbccddeeff"), Hex);

    [Test]
    public void Another_size_is_refused() => CodecCheck.OnlyWhole<Guid>("uuid", Hex);
}
