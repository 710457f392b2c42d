using Loxo.Types;

namespace Loxo.Tests.Types;

public class FixedBytesTests
{
    private static readonly byte[] Bytes = [1, 2, 3, 4, 5, 6, 7, 8];

    [Test]
    public void Numbers_come_in_network_byte_order()
    {
        Assert.That(FixedBytes.Read<byte>(Bytes.AsSpan(0, 1), "x"), Is.EqualTo(0x01));
        Assert.That(FixedBytes.Read<short>(Bytes.AsSpan(0, 2), "x"), Is.EqualTo(0x0102));
        Assert.That(FixedBytes.Read<int>(Bytes.AsSpan(0, 4), "x"), Is.EqualTo(0x01020304));
        Assert.That(FixedBytes.Read<uint>(Bytes.AsSpan(0, 4), "x"), Is.EqualTo(0x01020304u));
        Assert.That(FixedBytes.Read<long>(Bytes, "x"), Is.EqualTo(0x0102030405060708));
        Assert.That(FixedBytes.Read<ulong>(Bytes, "x"), Is.EqualTo(0x0102030405060708u));
    }

    [Test]
    public void Another_size_is_refused_by_name() =>
        Assert.That(() => FixedBytes.Read<int>(Bytes, "integer"), Throws.TypeOf<PgException>()
            .With.Message.EqualTo("The server sent bytes that are not a value of PostgreSQL type integer: expected 4 bytes, got 8."));

    [Test]
    public void A_value_of_the_right_size_is_itself()
    {
        Assert.That(FixedBytes.Exactly(8, Bytes, "x").ToArray(), Is.EqualTo(Bytes));
        Assert.That(() => FixedBytes.Exactly(7, Bytes, "x").Length, Throws.TypeOf<PgException>());
    }
}
