namespace Loxo.Tests.Types;

public class RangeTextTests
{
    [TestCase("int4range", "0200000004000000010000000400000005", "[1,5)")]
    [TestCase("int4range", "01", "empty")]
    [TestCase("int4range", "080000000400000005", "(,5)")]
    [TestCase("int8range", "18", "(,)")]
    [TestCase("numrange", "060000000c0002000000000001000113880000000c000200000000000100021388", "[1.5,2.5]")]
    [TestCase("tsrange", "02000000080002b0d5d4e94000000000080002b0e9f2c0a000", "[\"2024-01-01 00:00:00\",\"2024-01-02 00:00:00\")")]
    [TestCase("daterange", "12000000040000223e", "[2024-01-01,)")]
    [TestCase("int4multirange", "00000002000000110200000004000000010000000400000003000000110200000004000000050000000400000008", "{[1,3),[5,8)}")]
    [TestCase("int4multirange", "00000000", "{}")]
    public void A_range_is_its_bounds(string type, string hex, string text) => Assert.That(CodecCheck.Read<string>(type, hex), Is.EqualTo(text));

    [Test]
    public void A_range_that_is_cut_is_refused()
    {
        CodecCheck.OnlyWhole<string>("int4range", "0200000004000000010000000400000005");
        CodecCheck.OnlyWhole<string>("int4multirange", "00000001000000110200000004000000010000000400000003");
    }
}
