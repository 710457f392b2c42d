using Loxo.Types;

namespace Loxo.Tests.Types;

public class ArrayFormatTests
{
    [TestCase("00000001000000000000001700000002", "it ends within its header")]
    [TestCase("000000010000000000000014000000010000000100000004", "its elements have type OID 20, expected 23")]
    [TestCase("00000000000000000000001700000000", "it is empty but has elements")]
    [TestCase("0000000100000000000000177fffffff00000001", "it claims 2147483647 elements in 0 bytes")]
    [TestCase("000000010000000000000017ffffffff00000001", "it claims -1 elements in 0 bytes")]
    [TestCase("000000010000000000000017000000020000000100000004", "it claims 2 elements in 4 bytes")]
    [TestCase("000000070000000000000017", "it claims 7 dimensions")]
    [TestCase("ffffffff0000000000000017", "it claims -1 dimensions")]
    [TestCase("0000000200000000000000177fffffff000000017fffffff00000001", "it claims 2147483647 elements in 0 bytes")]
    [TestCase("0000000200000000000000170000000100000001000000020000000100000000", "it claims 2 elements in 4 bytes")]
    [TestCase("000000020000000000000017000000000000000100000002000000010000000400000001", "it is empty but has elements")]
    [TestCase("00000001000000000000001700000001000000010000000400000001ff", "bytes are left after its last element")]
    [TestCase("00000001000000000000001700000001000000017fffffff00000001", "it ends within an element")]
    [TestCase("0000000100000000000000170000000100000001fffffffe00000001", "it ends within an element")]
    [TestCase("0000000100000000000000170000000200000001000000040000000100000000", "expected 4 bytes, got 0")]
    public void Bytes_that_are_no_array_are_refused_before_memory_is_taken(string hex, string why) =>
        Assert.That(() => CodecCheck.Read<int?[]>("integer[]", hex), Throws.TypeOf<PgException>().With.Message.Contains(why)
            .And.Property(nameof(PgException.Code)).EqualTo(PgErrorCode.ConversionFailed));

    [Test]
    public void A_hostile_count_allocates_nothing()
    {
        var bytes = Convert.FromHexString("0000000100000000000000177fffffff00000001");
        var format = new ArrayFormat<int>(CodecCheck.Codec<int>("integer"), CodecCheck.Type("integer"));
        Assert.That(() => format.Open(bytes, out _).Length, Throws.TypeOf<PgException>());
        var before = GC.GetAllocatedBytesForCurrentThread();
        Assert.That(() => format.Open(bytes, out _).Length, Throws.TypeOf<PgException>());
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(1_000_000));
    }
}
