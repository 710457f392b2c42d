using System.Text;
using Loxo.Commands;
using Loxo.Protocol;
using Loxo.Protocol.Frontend;
using Loxo.Session;

namespace Loxo.Tests.Commands;

public sealed class EncodedValuesTests
{
    [Test]
    public void Values_are_written_as_they_were_encoded_in_any_order()
    {
        var values = new EncodedValues();
        Assert.That(values.TryEncode(new Given("a", "", new string('x', 70_000), "ü"), [1, 2, 3, 4]), Is.True);
        Assert.That(values.Count, Is.EqualTo(4));
        for (var round = 0; round < 2; round++)
        {
            Assert.That(Written(values, 3), Is.EqualTo("ü"));
            Assert.That(Written(values, 0), Is.EqualTo("a"));
            Assert.That(Written(values, 2), Is.EqualTo(new string('x', 70_000)));
            Assert.That(Written(values, 1), Is.Empty);
        }
        Assert.That(values.Types.ToArray(), Is.EqualTo([1, 2, 3, 4]));
        Assert.That(Enumerable.Range(0, 4).Select(values.Format), Is.EqualTo([FormatCode.Text, FormatCode.Binary, FormatCode.Text, FormatCode.Binary]));
    }

    [Test]
    public void Nothing_of_an_earlier_command_is_left()
    {
        var values = new EncodedValues();
        values.TryEncode(new Given("first", "second", "third"), [1, 2, 3]);
        values.Clear();
        Assert.That(values.TryEncode(new Given("other"), [4]), Is.True);
        Assert.That(values.Count, Is.EqualTo(1));
        Assert.That(values.Types.ToArray(), Is.EqualTo([4]));
        Assert.That(Written(values, 0), Is.EqualTo("other"));
        Assert.That(values.TryEncode(new Given(), []), Is.True);
        Assert.That(values.Count, Is.Zero);
    }

    [Test]
    public void After_a_value_that_cannot_be_encoded_others_can()
    {
        var values = new EncodedValues();
        Assert.That(() => values.TryEncode(new Given("first", null, "third"), [1, 2, 3]), Throws.TypeOf<FormatException>());
        values.Clear();
        Assert.That(values.TryEncode(new Given("next", "one"), [5, 6]), Is.True);
        Assert.That(Written(values, 1), Is.EqualTo("one"));
    }

    private static string Written(EncodedValues values, int index)
    {
        var writer = new MessageWriter(64);
        values.Write(index, writer);
        return Encoding.UTF8.GetString(writer.Pending);
    }

    /// <summary>Texts; null is one that cannot be encoded.</summary>
    private sealed class Given(params string?[] texts) : IParameterValues
    {
        public int Count => texts.Length;

        public FormatCode Format(int index) => index % 2 == 0 ? FormatCode.Text : FormatCode.Binary;

        public void Write(int index, MessageWriter writer)
        {
            var bytes = Encoding.UTF8.GetBytes(texts[index] ?? throw new FormatException());
            writer.MakeRoom(bytes.Length);
            writer.WriteBytes(bytes);
        }
    }
}
