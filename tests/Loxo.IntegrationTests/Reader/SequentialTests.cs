using System.Data;
using System.Security.Cryptography;

namespace Loxo.IntegrationTests.Reader;

/// <summary>Rows that are longer than what is buffered, read in pieces.</summary>
[TestFixture(WaitMode.Blocking, false), TestFixture(WaitMode.Async, false)]
[TestFixture(WaitMode.Blocking, true), TestFixture(WaitMode.Async, true)]
[Category("OneServer")]
public class SequentialTests(WaitMode mode, bool tls) : DatabaseTest(mode)
{
    private const int Megabyte = 1024 * 1024;

    protected override string ConnectionString => tls ? TestServer.Tls.ConnectionString + ";SSL Mode=Require" : base.ConnectionString;

    [Test]
    // The memory of the whole process is counted, and somebody else may take some at the same moment; a value that is kept is kept every time.
    [Retry(3)]
    public async Task A_long_value_is_streamed_in_bounded_memory()
    {
        const int Size = 200 * Megabyte;
        // Encrypted, so much would take long; a fifth shows the same.
        var size = tls ? Size / 5 : Size;
        await using var command = Command($"SELECT 1, decode(repeat('ab', {size}), 'hex'), 'end'");
        await Warm();
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SequentialAccess);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(1));
        var before = GC.GetTotalAllocatedBytes(precise: true);
        var stream = await GetStream(reader, 1);
        var (length, right) = await ReadAll(stream);

        Assert.That((length, right), Is.EqualTo((size, true)));
        Assert.That(GC.GetTotalAllocatedBytes(precise: true) - before, Is.LessThan(4 * Megabyte));
        Assert.That(reader.GetString(2), Is.EqualTo("end"));
        Assert.That(await Mode.Read(reader), Is.False);
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task All_ways_of_reading_a_long_row_give_its_values()
    {
        await using var command = Command(
            $"SELECT i, repeat('é', {Megabyte}), decode(repeat('cd', {Megabyte}), 'hex'), NULL::text, to_jsonb(repeat('j', {Megabyte})), repeat('z', {Megabyte}), i + 1 "
            + "FROM generate_series(1, 3) i");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SequentialAccess);
        for (var row = 1; row <= 3; row++)
        {
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(await Get<int>(reader, 0), Is.EqualTo(row));
            Assert.That(reader.GetInt32(0), Is.EqualTo(row), "a value that is still buffered can be read again");
            await CheckChars(reader, 1, 'é');
            await CheckBytes(reader, 2);
            Assert.That(await IsNull(reader, 3), Is.True);
            Assert.That(await IsNull(reader, 4), Is.False);
            using (var json = await Get<TextReader>(reader, 4))
                Assert.That(await Mode.Run(json.ReadToEnd, json.ReadToEndAsync), Is.EqualTo($"\"{new string('j', Megabyte)}\""));
            Assert.That(await Get<string>(reader, 5), Is.EqualTo(new string('z', Megabyte)));
            Assert.That(await Get<int>(reader, 6), Is.EqualTo(row + 1));
        }
        Assert.That(await Mode.Read(reader), Is.False);
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task Columns_that_were_passed_are_refused()
    {
        await using var command = Command($"SELECT 1, repeat('x', {Megabyte}), 2");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SequentialAccess);
        Assert.That(await Mode.Read(reader), Is.True);
        var stream = reader.GetStream(1);
        Assert.That(stream.ReadByte(), Is.EqualTo('x'));

        var passed = Assert.Throws<InvalidOperationException>(() => reader.GetInt32(0));
        Assert.That(passed!.Message, Does.Contain("Column 0").And.Contain("SequentialAccess"));
        var taken = Assert.Throws<InvalidOperationException>(() => reader.GetString(1));
        Assert.That(taken!.Message, Does.Contain("in part"));
        Assert.Throws<InvalidOperationException>(() => reader.GetStream(1));
        Assert.Throws<InvalidOperationException>(() => reader.GetBytes(1, 0, new byte[1], 0, 1));
        Assert.That(reader.GetBytes(1, 0, null, 0, 0), Is.EqualTo(Megabyte));
        Assert.That(reader.GetBytes(1, 10, new byte[1], 0, 1), Is.EqualTo(1));
        Assert.That(stream.Position, Is.EqualTo(11));
        Assert.That((stream.CanSeek, stream.Length), Is.EqualTo((false, Megabyte)));
        Assert.Throws<NotSupportedException>(() => stream.Position = 0);
        Assert.That(reader.GetInt32(2), Is.EqualTo(2));
        Assert.Throws<ObjectDisposedException>(() => stream.ReadByte());
        await Catch<InvalidOperationException>(() => reader.GetFieldValueAsync<string>(1));
        Assert.Throws<IndexOutOfRangeException>(() => reader.GetInt32(3));
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task A_row_that_was_read_in_part_is_left_for_the_next([Values(0, 1, 100_000)] int bytes)
    {
        await using var command = Command($"SELECT repeat('x', {Megabyte}), i, repeat('y', {Megabyte}) FROM generate_series(1, 3) i; SELECT 7");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SequentialAccess);
        for (var row = 1; row <= 3; row++)
        {
            Assert.That(await Mode.Read(reader), Is.True);
            if (bytes == 0)
                Assert.That(reader.GetInt32(1), Is.EqualTo(row));
            else
                Assert.That(reader.GetBytes(0, 0, new byte[bytes], 0, bytes), Is.EqualTo(bytes));
        }
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(7));
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    // The memory of the whole process is counted, and somebody else may take some at the same moment; a value that is kept is kept every time.
    [Retry(3)]
    public async Task A_reader_is_closed_in_the_middle_of_a_long_value()
    {
        await using var command = Command($"SELECT repeat('x', {20 * Megabyte}) FROM generate_series(1, 3) i");
        await Warm();
        var before = GC.GetTotalAllocatedBytes(precise: true);
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SequentialAccess);
        Assert.That(await Mode.Read(reader), Is.True);
        var stream = await GetStream(reader, 0);
        Assert.That(stream.ReadByte(), Is.EqualTo('x'));
        await Mode.Close(reader);

        Assert.Throws<ObjectDisposedException>(() => stream.ReadByte());
        Assert.That(GC.GetTotalAllocatedBytes(precise: true) - before, Is.LessThan(4 * Megabyte));
        await AssertUsable();
    }

    [Test]
    // The memory of the whole process is counted, and somebody else may take some at the same moment; a value that is kept is kept every time.
    [Retry(3)]
    public async Task Rows_that_nobody_wants_are_not_collected()
    {
        await Warm();
        var before = GC.GetTotalAllocatedBytes(precise: true);
        await Execute($"SELECT repeat('x', {20 * Megabyte}) FROM generate_series(1, 3) i");

        Assert.That(GC.GetTotalAllocatedBytes(precise: true) - before, Is.LessThan(4 * Megabyte));
        await AssertUsable();
    }

    [Test]
    public async Task A_command_is_cancelled_in_the_middle_of_a_long_value()
    {
        await using var command = Command($"SELECT repeat('x', {20 * Megabyte}) FROM generate_series(1, 1000) i");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SequentialAccess);
        Assert.That(await Mode.Read(reader), Is.True);
        var stream = await GetStream(reader, 0);
        Assert.That(stream.ReadByte(), Is.EqualTo('x'));
        command.Cancel();

        // The server ends the row that it has begun.
        Assert.That((await ReadAll(stream, 'x')).Length, Is.EqualTo(20 * Megabyte - 1));
        await Catch<OperationCanceledException>(async () =>
        {
            while (await Mode.Read(reader))
            {
            }
        });
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task Long_and_short_rows_mix_and_the_hash_of_each_is_right()
    {
        await using var command = Command("SELECT i, md5(v), v FROM (SELECT i, repeat(md5(i::text), CASE WHEN i % 3 = 0 THEN 5000 ELSE i END) v FROM generate_series(1, 200) i) AS s");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SequentialAccess);
        var rows = 0;
        while (await Mode.Read(reader))
        {
            Assert.That(await Get<int>(reader, 0), Is.EqualTo(++rows));
            var hash = await Get<string>(reader, 1);
            await using var stream = await GetStream(reader, 2);
            var actual = Mode == WaitMode.Async ? await MD5.HashDataAsync(stream) : MD5.HashData(stream);
            Assert.That(Convert.ToHexStringLower(actual), Is.EqualTo(hash));
        }
        await Mode.Close(reader);

        Assert.That(rows, Is.EqualTo(200));
        await AssertUsable();
    }

    private async Task CheckChars(PgDataReader reader, int ordinal, char expected)
    {
        var part = new char[10_000];
        var taken = 0L;
        while (reader.GetChars(ordinal, taken, part, 0, part.Length) is > 0 and var count)
        {
            Assert.That(part.AsSpan(0, (int)count).IndexOfAnyExcept(expected), Is.EqualTo(-1));
            taken += count;
        }
        Assert.That(taken, Is.EqualTo(Megabyte));
        Assert.Throws<InvalidOperationException>(() => reader.GetChars(ordinal, 0, part, 0, 1));
        await Task.CompletedTask;
    }

    private static async Task CheckBytes(PgDataReader reader, int ordinal)
    {
        var part = new byte[300_000];
        var taken = 0L;
        Assert.That(reader.GetBytes(ordinal, 0, null, 0, 0), Is.EqualTo(Megabyte));
        while (reader.GetBytes(ordinal, taken + 10, part, 0, part.Length) is > 0 and var count)
        {
            Assert.That(part.AsSpan(0, (int)count).IndexOfAnyExcept((byte)0xcd), Is.EqualTo(-1));
            taken += count + 10;
        }
        Assert.That(taken, Is.EqualTo(Megabyte));
        await Task.CompletedTask;
    }

    private Task<T> Get<T>(PgDataReader reader, int ordinal) => Mode.Run(() => reader.GetFieldValue<T>(ordinal), () => reader.GetFieldValueAsync<T>(ordinal));

    private Task<bool> IsNull(PgDataReader reader, int ordinal) => Mode.Run(() => reader.IsDBNull(ordinal), () => reader.IsDBNullAsync(ordinal));

    private Task<Stream> GetStream(PgDataReader reader, int ordinal) => Mode.Run(() => reader.GetStream(ordinal), () => reader.GetStreamAsync(ordinal));

    private async Task<(int Length, bool Right)> ReadAll(Stream stream, int expected = 0xab)
    {
        var part = new byte[20_000];
        var (length, right) = (0, true);
        while (await Mode.Run(() => stream.Read(part), () => stream.ReadAsync(part).AsTask()) is > 0 and var count)
        {
            length += count;
            right &= part.AsSpan(0, count).IndexOfAnyExcept((byte)expected) == -1;
        }
        return (length, right);
    }

    // What is made once is not a command's memory.
    private async Task Warm()
    {
        await using var command = Command($"SELECT repeat('x', {Megabyte})");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SequentialAccess);
        Assert.That(await Mode.Read(reader), Is.True);
        await ReadAll(await GetStream(reader, 0));
        await Mode.Close(reader);
    }
}
