using Loxo.Types;

namespace Loxo.Tests.Types;

public class PlainElementsTests
{
    [Test]
    public void Only_codecs_that_turn_bytes_round_are_plain()
    {
        Assert.That(PlainElements.SizeOf(new NumberCodec<short, short>("smallint")), Is.EqualTo(2));
        Assert.That(PlainElements.SizeOf(new NumberCodec<float, float>("real")), Is.EqualTo(4));
        Assert.That(PlainElements.SizeOf(new NumberCodec<long, long>("bigint")), Is.EqualTo(8));
        Assert.That(PlainElements.SizeOf(new NumberCodec<int, long>("integer")), Is.Zero);
        Assert.That(PlainElements.SizeOf(new NumberCodec<int, float>("integer")), Is.Zero);
    }

    // The nullable form of an element takes the way of one call for each element.
    [Test]
    public void They_are_the_same_bytes_as_one_by_one()
    {
        var numbers = Enumerable.Range(-3000, 6001).ToArray();
        Same("smallint[]", numbers.Select(number => (short)number).ToArray());
        Same("integer[]", numbers.Select(number => number * 600_000).ToArray());
        Same("bigint[]", numbers.Select(number => number * 3_000_000_000_000L).ToArray());
        Same("real[]", numbers.Select(number => number / 7f).ToArray());
        Same("double precision[]", numbers.Select(number => number / 7d).ToArray());
    }

    [TestCase("00000001000000000000001700000001000000010000000500000001", "it ends within an element")]
    [TestCase("000000010000000000000017000000010000000100000003000000", "expected 4 bytes, got 3")]
    [TestCase("00000001000000000000001500000001000000010000000100", "expected 2 bytes, got 1")]
    [TestCase("000000010000000000000014000000010000000100000007000000000000", "it ends within an element")]
    public void An_element_of_another_length_is_refused(string hex, string why)
    {
        var type = hex[16..24] switch { "00000015" => "smallint[]", "00000014" => "bigint[]", _ => "integer[]" };
        Assert.That(() => CodecCheck.Type(type).Default!.ReadObject(Convert.FromHexString(hex)), Throws.TypeOf<PgException>().With.Message.Contains(why));
    }

    [Test]
    public void Reading_allocates_the_array_only()
    {
        var codec = CodecCheck.Codec<int[]>("integer[]");
        var bytes = Convert.FromHexString(CodecCheck.Write("integer[]", new int[1000]));
        var least = long.MaxValue;
        // The runtime takes memory of its own now and then; what an array costs, it costs every time.
        for (var i = 0; i < 20; i++)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            codec.Read(bytes);
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }
        Assert.That(least, Is.LessThanOrEqualTo(4024));
    }

    private static void Same<T>(string type, T[] items)
        where T : struct
    {
        var nullable = Array.ConvertAll(items, item => (T?)item);
        var hex = CodecCheck.Write(type, nullable);
        Assert.That(CodecCheck.Write(type, items), Is.EqualTo(hex), type);
        Assert.That(CodecCheck.Read<T[]>(type, hex), Is.EqualTo(items), type);
        Assert.That(CodecCheck.Read<T?[]>(type, hex), Is.EqualTo(nullable), type);
    }
}
