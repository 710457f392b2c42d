using Loxo.Types;

namespace Loxo.Tests.Types;

public class ArrayReaderTests
{
    [Test]
    public void A_header_tells_dimensions_and_bounds()
    {
        var header = new ArrayReader(Convert.FromHexString(
            "000000020000000100000017000000010000000500000002ffffffff00000004000000010000000400000002"), CodecCheck.Type("integer"));
        Assert.That((header.Rank, header.Count, header.MayHaveNulls, header.Elements.Length), Is.EqualTo((2, 2, true, 16)));
        Assert.That(header.Lengths.ToArray(), Is.EqualTo(new[] { 1, 2 }));
        Assert.That(header.LowerBounds.ToArray(), Is.EqualTo(new[] { 5, -1 }));
    }

    [Test]
    public void Nothing_is_left_of_the_lengths_of_an_empty_array()
    {
        var header = new ArrayReader(Convert.FromHexString("00000002000000000000001700000000000000017fffffff00000001"), CodecCheck.Type("integer"));
        Assert.That((header.Rank, header.Count), Is.EqualTo((2, 0)));
        Assert.That(header.Lengths.ToArray(), Is.EqualTo(new[] { 0, 0 }));
    }
}
