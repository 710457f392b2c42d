using System.Buffers.Binary;
using Loxo.Protocol.Frontend;

namespace Loxo.Tests.Protocol.Frontend;

/// <summary>A writer's queue with places for bytes that come from elsewhere.</summary>
public sealed class StreamedOutputTests
{
    private static readonly byte[] Before = [(byte)'Q', 0, 0, 0, 9, 1, 2, 3, 4, 5];

    [TestCase(0)]
    [TestCase(1)]
    [TestCase(200_000)]
    public void The_bytes_of_a_source_are_sent_in_their_place(int size)
    {
        var writer = new MessageWriter();
        var source = new Source(size, size);
        WriteMessage(writer, source);
        writer.WriteBytes(Before);

        Assert.That(writer.IsEmpty, Is.False);
        Assert.That(Drain(writer), Is.EqualTo(Expected(size).Concat(Before)));
        Assert.That((writer.IsEmpty, writer.IsStarved, writer.Sources.Length, source.Released), Is.EqualTo((true, false, 0, 1)));
    }

    [Test]
    public void Sources_are_pulled_in_their_order()
    {
        var writer = new MessageWriter();
        writer.WriteBytes(Before);
        foreach (var size in (int[])[100_000, 0, 5, 70_000])
            WriteMessage(writer, new Source(size, size));

        Assert.That(Drain(writer), Is.EqualTo(Before.Concat(Expected(100_000)).Concat(Expected(0)).Concat(Expected(5)).Concat(Expected(70_000))));
    }

    [Test]
    public void Two_sources_may_belong_to_one_message()
    {
        var writer = new MessageWriter();
        writer.Begin(FrontendMessage.Bind);
        writer.EndValue(writer.BeginValue(), new Source(3, 3));
        writer.EndValue(writer.BeginValue(), new Source(OutputSource.Unknown, 2));
        writer.End();
        Measure(writer);

        Assert.That(Drain(writer), Is.EqualTo(new byte[] { (byte)'B', 0, 0, 0, 17, 0, 0, 0, 3, 0, 1, 2, 0, 0, 0, 2, 0, 1 }));
    }

    [Test]
    public void A_length_that_becomes_known_later_is_put_in_front()
    {
        var writer = new MessageWriter();
        writer.WriteBytes(Before);
        var source = new Source(OutputSource.Unknown, 300);
        WriteMessage(writer, source);
        Assert.That(writer.Unmeasured, Is.SameAs(source));
        Measure(writer);

        Assert.That(writer.Unmeasured, Is.Null);
        Assert.That(Drain(writer), Is.EqualTo(Before.Concat(Expected(300))));
    }

    [Test]
    public void What_is_written_while_a_source_is_being_sent_comes_behind_it()
    {
        var writer = new MessageWriter(16);
        WriteMessage(writer, new Source(100, 100));
        var sent = new List<byte>();
        Send(writer, sent, 7);
        writer.WriteBytes(Before);
        Send(writer, sent, 11);
        writer.WriteBytes(Before);
        sent.AddRange(Drain(writer));

        Assert.That(sent, Is.EqualTo(Expected(100).Concat(Before).Concat(Before)));
        WriteMessage(writer, new Source(5, 5));
        Assert.That(Drain(writer), Is.EqualTo(Expected(5)), "positions are right after the buffer was empty");
    }

    [Test]
    public void What_is_taken_back_is_released()
    {
        var writer = new MessageWriter();
        var kept = new Source(5, 5);
        WriteMessage(writer, kept);
        var position = writer.Position;
        var taken = new Source(6, 6);
        WriteMessage(writer, taken);
        writer.Rewind(position);

        Assert.That((kept.Released, taken.Released), Is.EqualTo((0, 1)));
        Assert.That(Drain(writer), Is.EqualTo(Expected(5)));
    }

    [Test]
    public void What_is_dropped_is_released()
    {
        var writer = new MessageWriter();
        var source = new Source(500_000, 500_000);
        WriteMessage(writer, source);
        Send(writer, [], 100);
        writer.Clear();

        Assert.That((writer.IsEmpty, writer.IsStarved, writer.Pending.Length, source.Released), Is.EqualTo((true, false, 0, 1)));
        WriteMessage(writer, new Source(5, 5));
        Assert.That(Drain(writer), Is.EqualTo(Expected(5)));
    }

    [Test]
    public void A_message_that_no_server_takes_is_refused([Values] bool known)
    {
        const int Most = 0x3fffffff;
        var writer = new MessageWriter();
        var error = Assert.Throws<PgException>(() =>
        {
            WriteMessage(writer, new Source(known ? Most : OutputSource.Unknown, Most));
            Measure(writer);
        });

        Assert.That(error!.Code, Is.EqualTo(PgErrorCode.MessageTooLarge));
    }

    // Bind, for this purpose: a value of one byte of its own and the source's.
    private static void WriteMessage(MessageWriter writer, Source source)
    {
        writer.Begin(FrontendMessage.Bind);
        var start = writer.BeginValue();
        writer.WriteByte(77);
        writer.EndValue(start, source);
        writer.WriteByte(78);
        writer.End();
    }

    private static byte[] Expected(int size)
    {
        var message = new byte[size + 11];
        message[0] = (byte)'B';
        BinaryPrimitives.WriteInt32BigEndian(message.AsSpan(1), size + 10);
        BinaryPrimitives.WriteInt32BigEndian(message.AsSpan(5), size + 1);
        message[9] = 77;
        for (var i = 0; i < size; i++)
            message[10 + i] = (byte)i;
        message[^1] = 78;
        return message;
    }

    private static void Measure(MessageWriter writer)
    {
        while (writer.Unmeasured is Source source)
        {
            source.Measure();
            writer.Measured(source);
        }
    }

    private static List<byte> Drain(MessageWriter writer)
    {
        var sent = new List<byte>();
        Send(writer, sent, int.MaxValue);
        return sent;
    }

    // As a socket does that takes odd numbers of bytes.
    private static void Send(MessageWriter writer, List<byte> sent, int most)
    {
        while (!writer.IsEmpty && most > 0)
        {
            if (writer.IsStarved)
            {
                Assert.That(writer.Pending.IsEmpty);
                writer.Pulled(((Source)writer.Source).Pull(writer.SourceRoom.Span));
                continue;
            }
            var count = Math.Min(Math.Min(writer.Pending.Length, 1237), most);
            Assert.That(count, Is.GreaterThan(0));
            Assert.That(writer.PendingMemory.Span.SequenceEqual(writer.Pending));
            sent.AddRange(writer.Pending[..count]);
            writer.Consume(count);
            most -= count;
        }
    }

    private sealed class Source(long length, int actual) : OutputSource
    {
        private long _length = length;
        private int _position;

        public int Released { get; private set; }

        public override long Length => _length;

        public override bool CanRewind => true;

        public override void Rewind() => _position = 0;

        public override void Release() => Released++;

        public void Measure() => _length = actual;

        public int Pull(Span<byte> room)
        {
            var count = Math.Min(Math.Min(room.Length, 999), actual - _position);
            for (var i = 0; i < count; i++)
                room[i] = (byte)_position++;
            return count;
        }
    }
}
