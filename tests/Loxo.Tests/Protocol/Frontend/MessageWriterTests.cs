using System.Text;
using Loxo.Protocol.Frontend;

namespace Loxo.Tests.Protocol.Frontend;

public sealed class MessageWriterTests
{
    [Test]
    public void Values_may_lie_in_values()
    {
        var writer = new MessageWriter(1);
        var outer = writer.BeginValue();
        writer.WriteByte(1);
        var inner = writer.BeginValue();
        writer.WriteInt16(2);
        writer.EndValue(inner);
        writer.WriteNullValue();
        writer.EndValue(outer);
        Assert.That(writer.Pending.ToArray(), Is.EqualTo(Golden.Bytes(11, (byte)1, 2, (short)2, -1)));
    }

    [Test]
    public void An_empty_value_has_length_zero()
    {
        var writer = new MessageWriter();
        writer.EndValue(writer.BeginValue());
        Assert.That(writer.Pending.ToArray(), Is.EqualTo(Golden.Bytes(0)));
    }

    [Test]
    public void What_is_written_can_be_taken_back()
    {
        var writer = new MessageWriter(4);
        writer.WriteSync();
        var position = writer.Position;
        writer.WriteQuery(new string('x', 1000));
        writer.Rewind(position);
        writer.WriteTerminate();
        Assert.That(writer.Pending.ToArray(), Is.EqualTo(Golden.Bytes('S', 4, 'X', 4)));
    }

    [Test]
    public void Half_a_message_can_be_taken_back()
    {
        var writer = new MessageWriter();
        var position = writer.Position;
        writer.BeginBind("s");
        writer.Rewind(position);
        Assert.That(writer.IsEmpty, Is.True);
    }

    [Test]
    public void Taking_back_works_when_what_came_before_was_partly_sent()
    {
        var writer = new MessageWriter();
        writer.WriteSync();
        writer.Consume(3);
        var position = writer.Position;
        writer.WriteTerminate();
        writer.Rewind(position);
        Assert.That(writer.Pending.ToArray(), Is.EqualTo(new byte[] { 0, 4 }));
    }

    [Test]
    public void Taking_back_works_when_everything_before_was_sent()
    {
        var writer = new MessageWriter();
        writer.WriteSync();
        writer.Consume(5);
        var position = writer.Position;
        writer.WriteTerminate();
        writer.Rewind(position);
        Assert.That((writer.IsEmpty, writer.Position), Is.EqualTo((true, position)));
    }

    [Test]
    public void What_was_sent_cannot_be_taken_back()
    {
        var writer = new MessageWriter();
        var position = writer.Position;
        writer.WriteSync();
        writer.Consume(1);
        Assert.Throws<InvalidOperationException>(() => writer.Rewind(position));
    }

    [Test]
    public void The_position_counts_everything_ever_written()
    {
        var writer = new MessageWriter(16);
        for (var i = 1; i <= 100; i++)
        {
            writer.WriteSync();
            Assert.That(writer.Position, Is.EqualTo(i * 5L));
            writer.Consume(i % 2 == 0 ? writer.Pending.Length : 2);
        }
    }

    [Test]
    public void A_large_messages_memory_is_given_back_once_it_is_sent()
    {
        var writer = new MessageWriter();
        writer.Reserve(1 << 20);
        writer.Shrink();
        Assert.That(writer.Pending.Length, Is.EqualTo(1 << 20), "nothing may be lost");
        writer.Consume(1 << 20);
        writer.Shrink();
        Assert.That(MemoryOf(writer), Is.LessThanOrEqualTo(MessageWriter.InitialSize));
    }

    [TestCase(0)]
    [TestCase(4096)]
    [TestCase(4097)]
    [TestCase(100_000)]
    public void Texts_of_every_length_are_UTF8(int length)
    {
        var text = string.Concat(Enumerable.Repeat("aä€😀", length / 4 + 1))[..length];
        if (length > 0 && char.IsHighSurrogate(text[^1]))
            text = text[..^1] + "x";
        var writer = new MessageWriter();
        writer.WriteText(text);
        Assert.That(writer.Pending.ToArray(), Is.EqualTo(Encoding.UTF8.GetBytes(text)));
    }

    [Test]
    public void A_lone_surrogate_is_refused_not_replaced()
    {
        foreach (var text in new[] { "\ud800", "a\udc00b" })
            Assert.Throws<EncoderFallbackException>(() => new MessageWriter().WriteText(text));
    }

    [Test]
    public void Counts_end_at_65535()
    {
        var writer = new MessageWriter();
        writer.WriteCount(65535);
        Assert.That(writer.Pending.ToArray(), Is.EqualTo(new byte[] { 255, 255 }));
        Assert.Throws<OverflowException>(() => writer.WriteCount(65536));
    }

    [Test]
    public void Memory_that_is_being_sent_stays_as_it_is_while_more_is_written()
    {
        var writer = new MessageWriter(8);
        writer.WriteSync();
        var sending = writer.PendingMemory;
        writer.WriteQuery(new string('x', 100));
        Assert.That(sending.ToArray(), Is.EqualTo(Golden.Bytes('S', 4)));
        writer.Consume(sending.Length);
        Assert.That(writer.Pending[0], Is.EqualTo((byte)'Q'));
    }

    private static int MemoryOf(MessageWriter writer)
    {
        writer.Reserve(1);
        System.Runtime.InteropServices.MemoryMarshal.TryGetArray(writer.PendingMemory, out var segment);
        return segment.Array!.Length;
    }
}
