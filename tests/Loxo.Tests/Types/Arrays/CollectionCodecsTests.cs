using System.Collections.Immutable;

namespace Loxo.Tests.Types;

public class CollectionCodecsTests
{
    private const string OneTwo = "000000010000000000000017000000020000000100000004000000010000000400000002";

    [Test]
    public void An_array_is_read_and_written_as_the_interfaces_that_arrays_implement()
    {
        CodecCheck.BothWays<IReadOnlyList<int>>("integer[]", [1, 2], OneTwo);
        CodecCheck.BothWays<ICollection<int>>("integer[]", [1, 2], OneTwo);
        CodecCheck.BothWays<IReadOnlyCollection<int?>>("integer[]", [1, 2], OneTwo);
        CodecCheck.BothWays<IEnumerable<long>>("integer[]", [1, 2], OneTwo);
    }

    [Test]
    public void A_sequence_is_written_whatever_it_is()
    {
        Assert.That(CodecCheck.Write<IEnumerable<int>>("integer[]", Enumerable.Range(1, 2)), Is.EqualTo(OneTwo));
        Assert.That(CodecCheck.Write<IEnumerable<int>>("integer[]", new List<int> { 1, 2 }), Is.EqualTo(OneTwo));
        foreach (var value in new object[] { Enumerable.Range(1, 2), new SortedSet<int> { 2, 1 }, ImmutableArray.Create(1, 2), new Queue<int>([1, 2]) })
            Assert.That(CodecCheck.Write(writer => CodecCheck.Type("integer[]").CodecForValue(value)!.WriteObject(writer, value)), Is.EqualTo(OneTwo));
    }

    [Test]
    public void A_string_is_no_sequence_of_characters() => Assert.That(CodecCheck.Type("text[]").CodecForValue("ab"), Is.Null);

    [Test]
    public void A_piece_of_memory_is_an_array()
    {
        var items = new[] { 0, 1, 2, 3 };
        Assert.That(CodecCheck.Write("integer[]", new ReadOnlyMemory<int>(items, 1, 2)), Is.EqualTo(OneTwo));
        Assert.That(CodecCheck.Write("integer[]", new Memory<int>(items, 1, 2)), Is.EqualTo(OneTwo));
        Assert.That(CodecCheck.Write("integer[]", new ArraySegment<int>(items, 1, 2)), Is.EqualTo(OneTwo));
        Assert.That(CodecCheck.Read<ReadOnlyMemory<int>>("integer[]", OneTwo).ToArray(), Is.EqualTo(new[] { 1, 2 }));
        Assert.That(CodecCheck.Read<Memory<int?>>("integer[]", OneTwo).ToArray(), Is.EqualTo(new int?[] { 1, 2 }));
        Assert.That(CodecCheck.Read<ArraySegment<int>>("integer[]", OneTwo), Is.EqualTo(new[] { 1, 2 }));
        CodecCheck.OnlyWhole<ReadOnlyMemory<int>>("integer[]", OneTwo);
    }

    [Test]
    public void Text_format_has_them_too()
    {
        Assert.That(CodecCheck.ReadText<List<int>>("integer[]", "{1,2}"), Is.EqualTo(new[] { 1, 2 }));
        Assert.That(CodecCheck.ReadText<int[,]>("integer[]", "{{1,2}}"), Is.EqualTo(new[,] { { 1, 2 } }));
        Assert.That(CodecCheck.Type("integer[]").DefaultFor(Loxo.Protocol.FormatCode.Text)!.ReadObject("{{1,2}}"u8), Is.EqualTo(new[,] { { 1, 2 } }));
        var codec = CodecCheck.Type("integer[]").CodecForValue(Enumerable.Range(1, 2), Loxo.Protocol.FormatCode.Text)!;
        Assert.That(CodecCheck.Write(writer => codec.WriteObject(writer, Enumerable.Range(1, 2))), Is.EqualTo(Convert.ToHexStringLower("{1,2}"u8)));
    }
}
