using Loxo.Protocol.Frontend;

namespace Loxo.Tests.Types;

public class NullableCodecTests
{
    [Test]
    public void Every_value_type_is_read_and_written_as_its_nullable_form()
    {
        CodecCheck.BothWays<int?>("integer", 5, "00000005");
        CodecCheck.BothWays<long?>("integer", 5, "00000005");
        CodecCheck.BothWays<DateTimeOffset?>("timestamptz", new DateTimeOffset(2000, 1, 1, 0, 0, 0, TimeSpan.Zero), "0000000000000000");
    }

    [Test]
    public void Reading_and_writing_a_nullable_allocates_nothing()
    {
        var codec = CodecCheck.Codec<int?>("integer");
        var writer = new MessageWriter();
        byte[] bytes = [0, 0, 0, 5];
        codec.Write(writer, codec.Read(bytes));
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < 100; i++)
            codec.Write(writer, codec.Read(bytes));
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.Zero);
    }
}
