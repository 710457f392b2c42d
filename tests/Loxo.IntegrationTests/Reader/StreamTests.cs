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

        Assert.Catch<ArgumentException>(() => reader.GetBytes(0, 0, buffer, 4, 1));
        Assert.Catch<ArgumentException>(() => reader.GetBytes(0, 0, buffer, -1, 1));
        Assert.Catch<ArgumentException>(() => reader.GetBytes(0, 0, buffer, 0, -1));
        Assert.Catch<ArgumentException>(() => reader.GetBytes(0, 0, buffer, 0, 5));
        Assert.That(reader.GetBytes(0, 0, buffer, 3, 0), Is.Zero);
        await Mode.Close(reader);
    }

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
    public async Task GetStream_reads_the_bytes_and_outlives_the_row()
    {
        var reader = await OnRow("SELECT '\\x010203'::bytea, 'text é'");
        var bytes = reader.GetStream(0);
        var text = reader.GetFieldValue<Stream>(1);
        await Mode.Close(reader);

        Assert.That(ReadAll(bytes), Is.EqualTo(new byte[] { 1, 2, 3 }));
        Assert.That(ReadAll(text), Is.EqualTo("text é"u8.ToArray()));
        Assert.That(bytes.CanWrite, Is.False);
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
}
