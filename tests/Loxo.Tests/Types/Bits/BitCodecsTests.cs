using System.Collections;
using System.Collections.Specialized;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class BitCodecsTests
{
    [TestCase("00000005a8", "10101")]
    [TestCase("00000000", "")]
    [TestCase("0000000180", "1")]
    [TestCase("0000000817", "00010111")]
    [TestCase("00000009ff80", "111111111")]
    [TestCase("0000002880000000ff", "1000000000000000000000000000000011111111")]
    public void Bits_are_in_order(string hex, string digits)
    {
        CodecCheck.BothWays("bit varying", Bits(digits), hex);
        CodecCheck.BothWays("bit", Bits(digits), hex);
        CodecCheck.BothWays("bit varying", digits, hex);
        CodecCheck.OnlyWhole<BitArray>("bit", hex);
    }

    [Test]
    public void What_is_behind_the_last_bit_does_not_count()
    {
        Assert.That(CodecCheck.Write("bit", CodecCheck.Read<BitArray>("bit", "00000003ff")), Is.EqualTo("00000003e0"));
        var shortened = new BitArray(8, true) { Length = 3 };
        Assert.That(CodecCheck.Write("bit", shortened), Is.EqualTo("00000003e0"));
    }

    [TestCase("7fffffffff")]
    [TestCase("80000000")]
    [TestCase("ffffffff")]
    [TestCase("0000000900")]
    public void A_number_of_bits_that_the_bytes_cannot_hold_is_refused(string hex)
    {
        Assert.That(() => CodecCheck.Read<BitArray>("bit", hex), Throws.TypeOf<PgException>());
        Assert.That(() => CodecCheck.Read<bool>("bit", hex), Throws.TypeOf<PgException>());
        Assert.That(() => CodecCheck.Read<BitVector32>("bit", hex), Throws.TypeOf<PgException>());
        Assert.That(() => CodecCheck.Read<string>("bit", hex), Throws.TypeOf<PgException>());
    }

    [Test]
    public void One_bit_is_a_bool()
    {
        CodecCheck.BothWays("bit", true, "0000000180");
        CodecCheck.BothWays("bit", false, "0000000100");
        Assert.That(() => CodecCheck.Read<bool>("bit", "0000000280"), Throws.TypeOf<InvalidCastException>()
            .With.Message.EqualTo("A value of PostgreSQL type bit with 2 bits cannot become bool. Read it as BitArray."));
        Assert.That(() => CodecCheck.Read<bool>("bit varying", "00000000"), Throws.TypeOf<InvalidCastException>());
    }

    [Test]
    public void At_most_32_bits_are_a_vector_with_the_first_one_highest()
    {
        CodecCheck.BothWays("bit", new BitVector32(unchecked((int)0x80000001)), "0000002080000001");
        Assert.That(CodecCheck.Read<BitVector32>("bit", "00000003a0").Data, Is.EqualTo(unchecked((int)0xA0000000)));
        Assert.That(CodecCheck.Read<BitVector32>("bit varying", "00000000").Data, Is.EqualTo(0));
        Assert.That(CodecCheck.Read<BitVector32>("bit", "00000009ff80").Data, Is.EqualTo(unchecked((int)0xFF800000)));
        Assert.That(() => CodecCheck.Read<BitVector32>("bit", "000000210000000000"), Throws.TypeOf<OverflowException>()
            .With.Message.EqualTo("A value of PostgreSQL type bit with 33 bits does not fit into BitVector32, which has 32. Read it as BitArray."));
    }

    [Test]
    public void Every_byte_is_turned_around()
    {
        for (var i = 0; i < 256; i++)
        {
            var turned = new byte[1];
            BitFormat.CopyReversed([(byte)i], turned);
            var digits = Convert.ToString(i, 2).PadLeft(8, '0').Reverse().ToArray();
            Assert.That(turned[0], Is.EqualTo(Convert.ToByte(new string(digits), 2)));
        }
    }

    private static BitArray Bits(string digits) => new([.. digits.Select(digit => digit == '1')]);
}
