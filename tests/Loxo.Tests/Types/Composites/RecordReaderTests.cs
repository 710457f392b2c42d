using Loxo.Types;

namespace Loxo.Tests.Types;

public class RecordReaderTests
{
    [Test]
    public void Fields_come_one_by_one()
    {
        var reader = new RecordReader(Convert.FromHexString("0000000200000017000000040000000100000019ffffffff"), "record");
        Assert.That(reader.Count, Is.EqualTo(2));
        Assert.That(reader.TryReadNext(out var number), Is.True);
        Assert.That((number.TypeOid, number.IsNull, Convert.ToHexString(number.Value)), Is.EqualTo((23u, false, "00000001")));
        Assert.That(reader.TryReadNext(out var text), Is.True);
        Assert.That((text.TypeOid, text.IsNull, text.Value.Length), Is.EqualTo((25u, true, 0)));
        Assert.That(reader.TryReadNext(out _), Is.False);
    }

    [TestCase("", "it ends too early")]
    [TestCase("ffffffff", "it claims more parts than it has bytes for")]
    [TestCase("7fffffff00000017", "it claims more parts than it has bytes for")]
    [TestCase("000000010000001700000005ffffffff", "it ends too early")]
    [TestCase("0000000100000017fffffffe", "it ends too early")]
    [TestCase("0000000100000017ffffffff00", "bytes are left over")]
    public void What_is_no_record_is_refused(string hex, string why) => Assert.That(() => ReadAll(Convert.FromHexString(hex)),
        Throws.TypeOf<PgException>().With.Message.Contains(why).And.Message.Contains("my_type"));

    private static int ReadAll(byte[] bytes)
    {
        var reader = new RecordReader(bytes, "my_type");
        while (reader.TryReadNext(out _))
        {
        }
        return reader.Count;
    }
}
