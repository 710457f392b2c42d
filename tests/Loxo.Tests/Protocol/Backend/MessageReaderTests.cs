using FsCheck;
using FsCheck.Fluent;
using Loxo.Protocol.Backend;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Protocol.Backend;

public sealed class MessageReaderTests
{
    private static readonly byte[] _two = Golden.Bytes('C', 13, "SELECT 1", 'Z', 5, 'I');

    [Test]
    public void Messages_may_be_split_anywhere()
    {
        for (var split = 0; split <= _two.Length; split++)
        {
            using var reader = new MessageReader();
            var seen = new List<string>();
            Feed(reader, _two.AsSpan(0, split));
            TakeAll(reader, seen);
            Feed(reader, _two.AsSpan(split));
            TakeAll(reader, seen);
            Assert.That(seen, Is.EqualTo(new[] { "CommandComplete 9", "ReadyForQuery 1" }), $"split at {split}");
            Assert.That(reader.Buffered, Is.Zero);
        }
    }

    [Test]
    public void Every_prefix_of_a_message_waits_for_the_rest()
    {
        var message = Golden.Bytes('C', 13, "SELECT 1");
        for (var length = 0; length < message.Length; length++)
        {
            using var reader = new MessageReader();
            Feed(reader, message.AsSpan(0, length));
            Assert.That(reader.TryPeek(out _), Is.False, $"{length} bytes");
            Assert.That(reader.TryTakeRow(out _, out _), Is.False);
        }
    }

    [Test]
    public void A_row_is_taken_where_it_lies()
    {
        using var reader = new MessageReader();
        Feed(reader, Golden.Bytes('D', 7, 'a', 'b', 'c', 'D', 5, 'd'));
        Assert.That(reader.TryTakeRow(out var start, out var end), Is.True);
        Assert.That(reader.Buffer[start..end], Is.EqualTo("abc"u8.ToArray()));
        Assert.That(reader.TryTakeRow(out start, out end), Is.True);
        Assert.That(reader.Buffer[start..end], Is.EqualTo("d"u8.ToArray()));
        Assert.That(reader.TryTakeRow(out _, out _), Is.False);
    }

    [Test]
    public void A_long_row_is_entered_before_it_has_arrived_and_what_is_left_of_it_is_passed_over()
    {
        using var reader = new MessageReader();
        const int Body = MessageReader.LongRow + 100;
        byte[] message = [(byte)'D', .. Answer.Int32(Body + 4), 0, 1, .. new byte[Body - 2], .. _two];
        for (var count = 0; count < 7; count++)
        {
            Assert.That(reader.IsAtLongRow, Is.False);
            Feed(reader, message.AsSpan(count, 1));
        }
        Assert.That(reader.IsAtLongRow, Is.True);
        reader.EnterRow();
        Assert.That((reader.RowLeft, reader.OfRow.ToArray(), reader.IsAtLongRow), Is.EqualTo((Body, new byte[] { 0, 1 }, false)));
        reader.TakeOfRow(1);
        Assert.That((reader.RowLeft, reader.OfRow.Length), Is.EqualTo((Body - 1, 1)));
        Feed(reader, message.AsSpan(7, 1000));
        Assert.That((reader.RowLeft, reader.OfRow.Length), Is.EqualTo((Body - 1, 1001)));
        Assert.That(reader.TryTakeRow(out _, out _), Is.False);
        Assert.That(reader.TryPeek(out _), Is.False);
        Assert.That((reader.RowLeft, reader.Buffered), Is.EqualTo((Body - 1002, 0)));
        Feed(reader, message.AsSpan(1007));
        var seen = new List<string>();
        TakeAll(reader, seen);
        Assert.That(seen, Is.EqualTo(new[] { "CommandComplete 9", "ReadyForQuery 1" }));
    }

    [Test]
    public void A_short_row_and_a_long_one_that_is_whole_are_not_long_rows()
    {
        using var reader = new MessageReader();
        Feed(reader, [(byte)'D', .. Answer.Int32(MessageReader.LongRow), 0, 1, 2]);
        Assert.That(reader.IsAtLongRow, Is.False);
        using var other = new MessageReader();
        Feed(other, [(byte)'D', .. Answer.Int32(MessageReader.LongRow + 4), .. new byte[MessageReader.LongRow]]);
        Assert.That(other.IsAtLongRow, Is.False);
        Assert.That(other.TryTakeRow(out _, out _), Is.True);
    }

    [Test]
    public void What_is_no_row_is_not_taken_as_one()
    {
        using var reader = new MessageReader();
        Feed(reader, _two);
        Assert.That(reader.TryTakeRow(out _, out _), Is.False);
        Assert.That(reader.Buffered, Is.EqualTo(_two.Length));
    }

    [Test]
    public void A_large_message_grows_the_buffer_only_as_bytes_arrive()
    {
        const int size = 1 << 20;
        using var reader = new MessageReader();
        Feed(reader, Golden.Bytes('D', size + 4));
        for (var arrived = 0; arrived < size; arrived += 4096)
        {
            Assert.That(reader.TryTakeRow(out _, out _), Is.False);
            Assert.That(reader.Buffer.Length, Is.LessThanOrEqualTo(Math.Max(2 * MessageReader.InitialSize, 4 * arrived)));
            Feed(reader, new byte[4096]);
        }
        Assert.That(reader.TryTakeRow(out var start, out var end), Is.True);
        Assert.That(end - start, Is.EqualTo(size));
        Feed(reader, Golden.Bytes('Z', 5, 'I'));
        Assert.That(reader.TryPeek(out var message) && message.Type == BackendMessageType.ReadyForQuery, Is.True);
        reader.Shrink();
        Assert.That(reader.Buffered, Is.EqualTo(6), "nothing may be lost");
        reader.Consume(message);
        reader.Shrink();
        Assert.That(reader.Buffer, Has.Length.EqualTo(MessageReader.InitialSize));
    }

    [Test]
    public void The_longest_message_that_is_accepted_is_one_byte_shorter_than_the_first_that_is_refused()
    {
        using var reader = new MessageReader { MaxMessage = 100 };
        Feed(reader, Golden.Bytes('D', 104));
        Assert.That(reader.TryPeek(out _), Is.False);
        using var other = new MessageReader { MaxMessage = 100 };
        Feed(other, Golden.Bytes('D', 105));
        var error = Assert.Throws<PgException>(() => other.TryPeek(out _))!;
        Assert.That(error.Message, Does.Contain("DataRow").And.Contain("105").And.Contain("100"));
        Assert.Throws<PgException>(() => other.TryTakeRow(out _, out _));
    }

    [TestCase(0)]
    [TestCase(3)]
    [TestCase(-1)]
    [TestCase(int.MinValue)]
    [TestCase(int.MaxValue)]
    public void Impossible_lengths_are_refused(int length)
    {
        using var reader = new MessageReader();
        Feed(reader, Golden.Bytes('Z', length));
        Assert.That(Assert.Throws<PgException>(() => reader.TryPeek(out _))!.Code, Is.EqualTo(PgErrorCode.ProtocolViolation));
    }

    [Test]
    public void A_single_byte_can_be_taken_for_what_is_no_message()
    {
        using var reader = new MessageReader();
        Assert.That(reader.TryTakeByte(out _), Is.False);
        Feed(reader, "Sx"u8);
        Assert.That(reader.TryTakeByte(out var answer), Is.True);
        Assert.That((answer, reader.Buffered), Is.EqualTo(((byte)'S', 1)));
    }

    [Test]
    public void Messages_come_out_as_they_went_in_however_they_are_cut() => Prop.ForAll(
        Gen.Choose(0, 400).ListOf().ToArbitrary(), Gen.Choose(1, 300).NonEmptyListOf().ToArbitrary(), (lengths, cuts) =>
    {
        var bytes = lengths.SelectMany(length => Golden.Bytes('d', length + 4, Enumerable.Range(0, length).Select(i => (byte)i).ToArray())).ToArray();
        using var reader = new MessageReader(16);
        var seen = new List<int>();
        for (int at = 0, i = 0; at < bytes.Length; i++)
        {
            var count = Math.Min(cuts[i % cuts.Count], bytes.Length - at);
            Feed(reader, bytes.AsSpan(at, count));
            at += count;
            while (reader.TryPeek(out var message))
            {
                Assert.That(message.Body.ToArray(), Is.EqualTo(Enumerable.Range(0, message.Body.Length).Select(k => (byte)k)));
                seen.Add(message.Body.Length);
                reader.Consume(message);
            }
        }
        Assert.That(seen, Is.EqualTo(lengths));
    }).QuickCheckThrowOnFailure();

    internal static void Feed(MessageReader reader, ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            var room = reader.FreeSpace().Span;
            var count = Math.Min(room.Length, bytes.Length);
            bytes[..count].CopyTo(room);
            reader.Arrived(count);
            bytes = bytes[count..];
        }
    }

    private static void TakeAll(MessageReader reader, List<string> seen)
    {
        while (reader.TryPeek(out var message))
        {
            seen.Add($"{message.Type} {message.Body.Length}");
            reader.Consume(message);
        }
    }
}
