using System.Buffers;
using System.Data;

namespace Loxo.IntegrationTests.Reader;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class StreamTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task GetBytes_copies_parts_and_tells_the_length()
    {
        var reader = await OnRow("SELECT '\\x0001020304'::bytea");
        var buffer = new byte[10];

        Assert.That(reader.GetBytes(0, 0, null, 0, 0), Is.EqualTo(5));
        Assert.That(reader.GetBytes(0, 1, buffer, 2, 3), Is.EqualTo(3));
        Assert.That(buffer, Is.EqualTo(new byte[] { 0, 0, 1, 2, 3, 0, 0, 0, 0, 0 }));
        Assert.That(reader.GetBytes(0, 3, buffer, 0, 10), Is.EqualTo(2));
        Assert.That(reader.GetBytes(0, 5, buffer, 0, 10), Is.Zero);
        Assert.That(reader.GetBytes(0, 50, buffer, 0, 10), Is.Zero);
        Assert.Throws<ArgumentOutOfRangeException>(() => reader.GetBytes(0, -1, buffer, 0, 1));
        await Mode.Close(reader);
    }

    [Test]
    public async Task GetBytes_checks_the_callers_buffer()
    {
        var reader = await OnRow("SELECT '\\x0001020304'::bytea");
        var buffer = new byte[3];

        Refuses("bufferOffset", () => reader.GetBytes(0, 0, buffer, 4, 1));
        Refuses("bufferOffset", () => reader.GetBytes(0, 0, buffer, -1, 1));
        Refuses("length", () => reader.GetBytes(0, 0, buffer, 0, -1));
        Refuses("length", () => reader.GetBytes(0, 0, buffer, 0, 5));
        Refuses("length", () => reader.GetBytes(0, 0, buffer, 2, 2));
        Assert.That(reader.GetBytes(0, 0, buffer, 3, 0), Is.Zero);
        await Mode.Close(reader);
    }

    [Test]
    public async Task GetChars_checks_the_callers_buffer()
    {
        var reader = await OnRow("SELECT 'abcde'");
        var buffer = new char[3];

        Refuses("bufferOffset", () => reader.GetChars(0, 0, buffer, 4, 1));
        Refuses("bufferOffset", () => reader.GetChars(0, 0, buffer, -1, 1));
        Refuses("length", () => reader.GetChars(0, 0, buffer, 0, -1));
        Refuses("length", () => reader.GetChars(0, 0, buffer, 2, 2));
        Refuses("dataOffset", () => reader.GetChars(0, -1, buffer, 0, 1));
        Assert.That(reader.GetChars(0, 0, buffer, 3, 0), Is.Zero);
        Assert.That(reader.GetChars(0, 2, buffer, 0, 3), Is.EqualTo(3));
        Assert.That(new string(buffer), Is.EqualTo("cde"));
        await Mode.Close(reader);
    }

    [Test]
    public async Task The_fields_of_a_nested_reader_check_the_callers_buffer()
    {
        var reader = await OnRow("SELECT ROW('\\x0102'::bytea, 'ab'::text)");
        var nested = reader.GetData(0);
        nested.Read();

        Refuses("bufferOffset", () => nested.GetBytes(0, 0, new byte[3], 4, 1));
        Refuses("length", () => nested.GetBytes(0, 0, new byte[3], 2, 2));
        Refuses("bufferOffset", () => nested.GetChars(1, 0, new char[3], -1, 1));
        Refuses("length", () => nested.GetChars(1, 0, new char[3], 2, 2));
        Assert.That((nested.GetBytes(0, 0, new byte[3], 1, 2), nested.GetChars(1, 0, new char[3], 1, 2)), Is.EqualTo((2L, 2L)));
        await Mode.Close(reader);
    }

    [Test]
    public async Task NULL_cannot_be_streamed_and_the_error_names_what_was_asked_for()
    {
        var reader = await OnRow("SELECT NULL::text, NULL::int");

        foreach (var column in new[] { 0, 1 })
        {
            Assert.That(() => reader.GetStream(column), Throws.TypeOf<InvalidCastException>().With.Message.Contains("is NULL, which System.IO.Stream cannot hold"));
            Assert.That(() => reader.GetTextReader(column), Throws.TypeOf<InvalidCastException>().With.Message.Contains("is NULL, which System.IO.TextReader cannot hold"));
        }
        await Mode.Close(reader);
    }

    private static void Refuses(string argument, Action call) =>
        Assert.That(Assert.Throws<ArgumentOutOfRangeException>(call)!.ParamName, Is.EqualTo(argument));

    [Test]
    public async Task GetChars_counts_characters_not_bytes()
    {
        var reader = await OnRow("SELECT 'aéz日'");
        var buffer = new char[4];

        Assert.That(reader.GetChars(0, 0, null, 0, 0), Is.EqualTo(4));
        Assert.That(reader.GetChars(0, 1, buffer, 0, 2), Is.EqualTo(2));
        Assert.That(new string(buffer, 0, 2), Is.EqualTo("éz"));
        Assert.That(reader.GetChars(0, 3, buffer, 3, 1), Is.EqualTo(1));
        Assert.That(buffer[3], Is.EqualTo('日'));
        await Mode.Close(reader);
    }

    [Test]
    public async Task GetChars_goes_on_in_the_middle_of_a_surrogate_pair_and_back_again()
    {
        const string Text = "a\U0001f418b\U0001f418\U0001f418c";
        var reader = await OnRow($"SELECT '{Text}'");
        var one = new char[1];
        var read = "";
        while (reader.GetChars(0, read.Length, one, 0, 1) == 1)
            read += one[0];

        Assert.That(read, Is.EqualTo(Text));
        for (var i = Text.Length - 1; i >= 0; i--)
        {
            Assert.That(reader.GetChars(0, i, one, 0, 1), Is.EqualTo(1));
            Assert.That(one[0], Is.EqualTo(Text[i]));
        }
        Assert.That(reader.GetChars(0, 100, one, 0, 1), Is.Zero);
        await Mode.Close(reader);
    }

    [Test]
    public async Task GetChars_reads_a_long_text_in_parts_without_decoding_it_again_and_again()
    {
        const int Size = 4_000_000;
        var reader = await OnRow($"SELECT repeat('é', {Size}), '{{\"a\": 1}}'::jsonb");
        var part = new char[1000];
        var times = new List<long>(Size / part.Length + 1);
        var before = GC.GetAllocatedBytesForCurrentThread();
        var taken = 0L;
        while (true)
        {
            var start = System.Diagnostics.Stopwatch.GetTimestamp();
            if (reader.GetChars(0, taken, part, 0, part.Length) is not (> 0 and var count))
                break;
            times.Add(System.Diagnostics.Stopwatch.GetTimestamp() - start);
            Assert.That(part.AsSpan(0, (int)count).IndexOfAnyExcept('é'), Is.EqualTo(-1));
            taken += count;
        }

        Assert.That(taken, Is.EqualTo(Size));
        // Decoding from the start each time, the last parts would take 4,000 times as long as the first.
        Assert.That(times.TakeLast(200).Min(), Is.LessThan(100 * times.Take(200).Min()));
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(4_000_000));
        Assert.That(reader.GetChars(1, 0, part, 0, 100), Is.EqualTo(8));
        Assert.That(new string(part, 0, 8), Is.EqualTo("{\"a\": 1}"));
        Assert.That(reader.GetChars(1, 0, null, 0, 0), Is.EqualTo(8));
        await Mode.Close(reader);
    }

    [Test]
    public async Task GetStream_reads_the_bytes_where_they_lie()
    {
        var reader = await OnRow("SELECT '\\x010203'::bytea, 'text é'");
        var bytes = reader.GetStream(0);
        var text = reader.GetFieldValue<Stream>(1);

        Assert.That(ReadAll(bytes), Is.EqualTo(new byte[] { 1, 2, 3 }));
        Assert.That(ReadAll(text), Is.EqualTo("text é"u8.ToArray()));
        Assert.That((bytes.CanWrite, bytes.CanSeek, bytes.Length, bytes.Position), Is.EqualTo((false, true, 3, 3)));
        Assert.That(bytes.Seek(-2, SeekOrigin.End), Is.EqualTo(1));
        Assert.That((bytes.ReadByte(), bytes.ReadByte(), bytes.ReadByte()), Is.EqualTo((2, 3, -1)));
        bytes.Position = 10;
        Assert.That(bytes.ReadByte(), Is.EqualTo(-1));
        Assert.Throws<IOException>(() => bytes.Seek(-1, SeekOrigin.Begin));
        using var copy = new MemoryStream();
        bytes.Position = 0;
        await bytes.CopyToAsync(copy);
        Assert.That(copy.ToArray(), Is.EqualTo(new byte[] { 1, 2, 3 }));
        Assert.Throws<NotSupportedException>(() => bytes.WriteByte(1));
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_stream_ends_with_its_row_and_never_shows_another_rows_bytes([Values] bool closed)
    {
        await using var command = Command("SELECT repeat(i::text, 100000) FROM generate_series(1, 3) i");
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        var stream = reader.GetStream(0);
        using var text = reader.GetTextReader(0);
        Assert.That(stream.ReadByte(), Is.EqualTo('1'));
        if (closed)
            await Mode.Close(reader);
        else
            Assert.That(await Mode.Read(reader), Is.True);

        Assert.Throws<ObjectDisposedException>(() => stream.ReadByte());
        await Catch<ObjectDisposedException>(() => stream.ReadExactlyAsync(new byte[1]).AsTask());
        Assert.Throws<ObjectDisposedException>(() => stream.CopyTo(Stream.Null));
        Assert.Throws<ObjectDisposedException>(() => text.Read());
        await Mode.Close(reader);
        // The next command's rows are in the same buffer.
        var next = await OnRow("SELECT 'x'");
        Assert.Throws<ObjectDisposedException>(() => stream.ReadByte());
        await Mode.Close(next);
    }

    [Test]
    public async Task A_copy_whose_row_is_left_while_it_is_written_says_so([Values] bool closes)
    {
        await using var command = Command("SELECT repeat(i::text, 100000) FROM generate_series(1, 3) i");
        await using var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        var stream = reader.GetStream(0);
        await using var target = new LeavingStream(() =>
        {
            if (closes)
                reader.Close();
            else
                reader.Read();
        });

        await Catch<ObjectDisposedException>(() => Mode.Run(() => stream.CopyTo(target), () => stream.CopyToAsync(target)));
    }

    [Test]
    public async Task A_sequence_shows_the_bytes_where_they_lie_and_nothing_is_copied()
    {
        const int Size = 5_000_000;
        var reader = await OnRow($"SELECT decode(repeat('ab', {Size}), 'hex'), NULL::bytea, 'é'");
        var before = GC.GetAllocatedBytesForCurrentThread();
        var sequence = reader.GetFieldValue<ReadOnlySequence<byte>>(0);
        using (var stream = reader.GetStream(0))
            Assert.That(stream.Length, Is.EqualTo(Size));

        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(10_000));
        Assert.That(sequence.Length, Is.EqualTo(Size));
        Assert.That(sequence.FirstSpan.IndexOfAnyExcept((byte)0xab), Is.EqualTo(-1));
        Assert.That(reader.GetFieldValue<ReadOnlySequence<byte>>(2).ToArray(), Is.EqualTo("é"u8.ToArray()));
        Assert.Throws<InvalidCastException>(() => reader.GetFieldValue<ReadOnlySequence<byte>>(1));
        Assert.Throws<InvalidCastException>(() => reader.GetStream(1));
        Assert.Throws<InvalidCastException>(() => reader.GetTextReader(1));
        Assert.Throws<InvalidCastException>(() => reader.GetBytes(1, 0, null, 0, 0));
        Assert.Throws<InvalidCastException>(() => reader.GetChars(1, 0, null, 0, 0));
        await Mode.Close(reader);
    }

    [Test]
    public async Task Bytes_are_not_read_as_text()
    {
        await using var command = Command("SELECT '\\xff41'::bytea");
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);

        Assert.Throws<InvalidCastException>(() => reader.GetTextReader(0));
        await Mode.Close(reader);
    }

    [Test]
    public async Task GetTextReader_reads_the_text()
    {
        var reader = await OnRow("SELECT 'two\nlines', '{\"a\": 1}'::jsonb, 'x'::name");

        using (var text = reader.GetTextReader(0))
        {
            Assert.That(await text.ReadLineAsync(), Is.EqualTo("two"));
            Assert.That(await text.ReadToEndAsync(), Is.EqualTo("lines"));
        }
        Assert.That(await reader.GetTextReader(1).ReadToEndAsync(), Is.EqualTo("{\"a\": 1}"));
        Assert.That(await reader.GetFieldValue<TextReader>(2).ReadToEndAsync(), Is.EqualTo("x"));
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_value_of_10_MB_is_read_whole([Values(CommandBehavior.Default, CommandBehavior.SequentialAccess)] CommandBehavior behavior)
    {
        const int Size = 10 * 1024 * 1024;
        await using var command = Command($"SELECT 1, decode(repeat('ab', {Size}), 'hex'), 2 FROM generate_series(1, 2)");
        var reader = await Mode.ExecuteReader(command, behavior);
        for (var row = 0; row < 2; row++)
        {
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetInt32(0), Is.EqualTo(1));
            var value = reader.GetFieldValue<byte[]>(1);
            Assert.That(value, Has.Length.EqualTo(Size));
            Assert.That(value.AsSpan().IndexOfAnyExcept((byte)0xab), Is.EqualTo(-1));
            Assert.That(reader.GetInt32(2), Is.EqualTo(2));
        }
        Assert.That(await Mode.Read(reader), Is.False);
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task A_parameter_of_10_MB_comes_back()
    {
        var bytes = new byte[10 * 1024 * 1024];
        new Random(1).NextBytes(bytes);

        Assert.That((await Scalar<byte[]>("SELECT $1", bytes)).AsSpan().SequenceEqual(bytes), Is.True);
    }

    [Test]
    public async Task Rows_small_and_large_mix()
    {
        await using var command = Command("SELECT i, repeat('x', CASE WHEN i % 10 = 0 THEN 100000 ELSE i END) FROM generate_series(1, 100) i");
        var reader = await Mode.ExecuteReader(command);
        for (var i = 1; i <= 100; i++)
        {
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetInt32(0), Is.EqualTo(i));
            Assert.That(reader.GetString(1), Has.Length.EqualTo(i % 10 == 0 ? 100_000 : i));
        }
        await Mode.Close(reader);
    }

    private async Task<PgDataReader> OnRow(string sql)
    {
        await using var command = Command(sql);
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        return reader;
    }

    private static byte[] ReadAll(Stream stream)
    {
        using var copy = new MemoryStream();
        stream.CopyTo(copy);
        return copy.ToArray();
    }

    private sealed class LeavingStream(Action leave) : MemoryStream
    {
        public override void Write(ReadOnlySpan<byte> buffer)
        {
            leave();
            base.Write(buffer);
        }

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Write(buffer.Span);
            return default;
        }
    }
}
