namespace Loxo.Tests.Types;

public class ByteCodecsTests
{
    [TestCase("")]
    [TestCase("00ff10")]
    public void Bytes_are_themselves(string hex)
    {
        var bytes = Convert.FromHexString(hex);
        CodecCheck.BothWays("bytea", bytes, hex);
        Assert.That(CodecCheck.Write<ReadOnlyMemory<byte>>("bytea", bytes), Is.EqualTo(hex));
        Assert.That(CodecCheck.Write<Memory<byte>>("bytea", bytes), Is.EqualTo(hex));
        Assert.That(CodecCheck.Write<ArraySegment<byte>>("bytea", bytes), Is.EqualTo(hex));
        Assert.That(CodecCheck.Read<ReadOnlyMemory<byte>>("bytea", hex).ToArray(), Is.EqualTo(bytes));
        Assert.That(CodecCheck.Read<Memory<byte>>("bytea", hex).ToArray(), Is.EqualTo(bytes));
        Assert.That(CodecCheck.Read<ArraySegment<byte>>("bytea", hex), Is.EqualTo(bytes));
    }

    [Test]
    public void A_part_of_an_array_is_written_as_far_as_it_reaches()
    {
        byte[] bytes = [1, 2, 3, 4];
        Assert.That(CodecCheck.Write("bytea", new ArraySegment<byte>(bytes, 1, 2)), Is.EqualTo("0203"));
        Assert.That(CodecCheck.Write<ReadOnlyMemory<byte>>("bytea", bytes.AsMemory(1, 2)), Is.EqualTo("0203"));
        Assert.That(CodecCheck.Write("bytea", default(ArraySegment<byte>)), Is.Empty);
    }
}
