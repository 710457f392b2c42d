using System.Collections;
using System.Text.Json.Nodes;
using Loxo.Parameters;

namespace Loxo.Tests.Parameters;

public sealed class ValueCopyTests
{
    [Test]
    public void Nothing_that_changes_in_place_is_shared_with_the_copy()
    {
        Check(new byte[] { 1 }, static value => value[0] = 2);
        Check(new[,] { { 1 } }, static value => value[0, 0] = 2);
        Check(new byte[][] { [1] }, static value => value[0][0] = 2);
        Check(new object[] { "a", new[] { 1 } }, static value => ((int[])value[1])[0] = 2);
        Check(new List<int> { 1 }, static value => value[0] = 2);
        Check(new List<byte[]?> { null, new byte[] { 1 } }, static value => value[1]![0] = 2);
        Check(new List<string> { "a" }, static value => value.Add("b"));
        Check(new Dictionary<string, string?> { ["a"] = "b" }, static value => value["a"] = null);
        Check(new BitArray(3), static value => value[1] = true);
    }

    [Test]
    public void Memory_and_json_are_copied()
    {
        byte[] bytes = [1, 2, 3];
        object[] values = [new ReadOnlyMemory<byte>(bytes, 1, 2), new Memory<byte>(bytes, 1, 2), new ArraySegment<byte>(bytes, 1, 2)];
        var copies = values.Select(ValueCopy.Of).ToArray();
        bytes[1] = 9;
        Assert.That(((ReadOnlyMemory<byte>)copies[0]!).ToArray(), Is.EqualTo(new byte[] { 2, 3 }));
        Assert.That(((Memory<byte>)copies[1]!).ToArray(), Is.EqualTo(new byte[] { 2, 3 }));
        Assert.That(((ArraySegment<byte>)copies[2]!).ToArray(), Is.EqualTo(new byte[] { 2, 3 }));
        var node = new JsonObject { ["a"] = 1 };
        var copy = (JsonObject)ValueCopy.Of(node)!;
        node["a"] = 2;
        Assert.That(copy.ToJsonString(), Is.EqualTo("""{"a":1}"""));
    }

    [Test]
    public void What_cannot_be_copied_stays_what_it_is()
    {
        using var stream = new MemoryStream([1]);
        foreach (var value in (object?[])[null, DBNull.Value, "text", stream, new Uri("https://example.org"), Enumerable.Range(0, 3)])
            Assert.That(ValueCopy.Of(value), Is.SameAs(value));
    }

    private static void Check<T>(T value, Action<T> change)
        where T : IEnumerable
    {
        var copy = ValueCopy.Of(value);
        Assert.That(copy, Is.TypeOf<T>().And.EqualTo(value));
        change(value);
        Assert.That(copy, Is.Not.EqualTo(value));
    }
}
