using Loxo.Protocol.Backend;

namespace Loxo.Tests.Protocol.Backend;

public class DataRowTests
{
    [Test]
    public void Columns_come_one_by_one()
    {
        var row = new DataRow(Convert.FromHexString("0003" + "000000026162" + "ffffffff" + "00000000"));
        Assert.That((row.Count, row.Position), Is.EqualTo((3, DataRow.HeaderSize)));
        Assert.That(row.TryReadNext(out var text), Is.True);
        Assert.That((text.IsNull, Convert.ToHexStringLower(text.Value), row.Position), Is.EqualTo((false, "6162", 8)));
        Assert.That(row.TryReadNext(out var none), Is.True);
        Assert.That((none.IsNull, none.Value.Length, row.Position), Is.EqualTo((true, 0, 12)));
        Assert.That(row.TryReadNext(out var empty), Is.True);
        Assert.That((empty.IsNull, empty.Value.Length), Is.EqualTo((false, 0)));
        Assert.That(row.TryReadNext(out _), Is.False);
    }

    [TestCase("")]
    [TestCase("0001")]
    [TestCase("0001000000")]
    [TestCase("00010000000261")]
    [TestCase("0001fffffffe")]
    public void A_row_that_ends_within_a_column_is_refused(string hex) =>
        Assert.That(() => Count(Convert.FromHexString(hex)), Throws.TypeOf<PgException>());

    [Test]
    public void A_value_that_must_be_there_is_not_NULL()
    {
        Assert.That(new DataRow([0, 1, 0, 0, 0, 1, 0x61]).ReadValue().Length, Is.EqualTo(1));
        Assert.That(() => new DataRow([0, 1, 0xff, 0xff, 0xff, 0xff]).ReadValue().Length, Throws.TypeOf<PgException>());
        Assert.That(() => new DataRow([0, 0]).ReadValue().Length, Throws.TypeOf<PgException>());
    }

    private static int Count(byte[] body)
    {
        var row = new DataRow(body);
        var count = 0;
        while (row.TryReadNext(out _))
            count++;
        return count;
    }
}
