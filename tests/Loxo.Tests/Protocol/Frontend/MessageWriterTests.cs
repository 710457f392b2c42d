using System.Runtime.InteropServices;
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

    [Test]
    public void Output_that_never_drains_takes_no_more_memory_than_twice_what_waits()
    {
        var writer = new MessageWriter();
        for (var i = 0; i < 10_000; i++)
        {
            writer.WriteQuery(new string('x', 1000));
            if (i > 0)
                writer.Consume(1006);
        }
        Assert.That((writer.Position, writer.PendingLength), Is.EqualTo((10_000L * 1006, 1006)));
        Assert.That(MemoryOf(writer), Is.LessThanOrEqualTo(128 * 1024));
    }

    [Test]
    public void Positions_and_values_stay_right_when_what_was_sent_is_left_behind()
    {
        var random = new Random(20261128);
        for (var round = 0; round < 200; round++)
        {
            var writer = new MessageWriter(16);
            var expected = new List<byte>();
            var sent = 0;
            for (var message = 0; message < 60; message++)
            {
                var position = writer.Position;
                writer.Begin(FrontendMessage.Bind);
                var outer = writer.BeginValue();
                var inner = writer.BeginValue();
                var bytes = new byte[random.Next(3000)];
                random.NextBytes(bytes);
                foreach (var part in bytes.Chunk(100))
                    writer.WriteBytes(part);
                writer.EndValue(inner);
                writer.WriteByte(7);
                writer.EndValue(outer);
                writer.End();
                if (random.Next(4) == 0)
                {
                    writer.Rewind(position);
                    Assert.That(writer.Position, Is.EqualTo(position));
                }
                else
                {
                    expected.AddRange(Golden.Bytes('B', bytes.Length + 13, bytes.Length + 5, bytes.Length));
                    expected.AddRange(bytes);
                    expected.Add(7);
                }
                var count = random.Next(writer.PendingLength + 1);
                Assert.That(writer.Pending[..count].SequenceEqual(CollectionsMarshal.AsSpan(expected).Slice(sent, count)), Is.True);
                writer.Consume(count);
                sent += count;
                Assert.That(writer.SentPosition, Is.EqualTo(sent));
            }
            Assert.That(writer.Pending.SequenceEqual(CollectionsMarshal.AsSpan(expected)[sent..]), Is.True);
        }
    }

    private static int MemoryOf(MessageWriter writer)
    {
        writer.Reserve(1);
        MemoryMarshal.TryGetArray(writer.PendingMemory, out var segment);
        return segment.Array!.Length;
    }
}
