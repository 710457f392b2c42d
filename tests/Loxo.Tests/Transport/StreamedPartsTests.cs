using Loxo.Transport;

namespace Loxo.Tests.Transport;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class StreamedPartsTests(WaitMode mode)
{
    private StreamedParts _parts = null!;

    [SetUp]
    public void Make() => _parts = new StreamedParts([9]);

    [TearDown]
    public void Dispose() => _parts.Dispose();

    [Test]
    public async Task Each_stream_has_its_length_and_the_prefix_in_front([Values] bool canSeek, [Values(1, 3, 100)] int room)
    {
        _parts.Add([1, 2]);
        _parts.Add(Stream(canSeek, 5, 6));
        _parts.Add([3]);
        _parts.Add(Stream(true));
        _parts.Add([]);

        byte[] expected = [1, 2, 0, 0, 0, 3, 9, 5, 6, 3, 0, 0, 0, 1, 9];
        Assert.That(_parts.CanSeek, Is.EqualTo(canSeek));
        if (canSeek)
            Assert.That(_parts.Length, Is.EqualTo(expected.Length));
        else
            Assert.That(() => _parts.Length, Throws.InstanceOf<NotSupportedException>());
        Assert.That(await ReadAll(room), Is.EqualTo(expected));
    }

    [Test]
    public async Task Setting_the_position_puts_every_stream_where_it_stood([Values(1, 7, 100)] int read)
    {
        var (first, second) = (Stream(true, 4, 5, 6), Stream(true, 7));
        first.Position = 1;
        _parts.Add([1]);
        _parts.Add(first);
        _parts.Add(second);
        Assert.That(_parts.Position, Is.Zero);
        var buffer = new byte[read];
        await Read(buffer);
        Assert.That(_parts.Position, Is.Not.Zero);
        _parts.Position = 0;

        Assert.That((_parts.Position, first.Position, second.Position), Is.EqualTo((0, 1, 0)));
        Assert.That(await ReadAll(100), Is.EqualTo(new byte[] { 1, 0, 0, 0, 3, 9, 5, 6, 0, 0, 0, 2, 9, 7 }));
    }

    [Test]
    public void A_stream_that_ends_too_early_is_an_error()
    {
        var stream = Stream(true, 1, 2, 3);
        _parts.Add(stream);
        stream.SetLength(2);

        Assert.That(async () => await ReadAll(100), Throws.InstanceOf<EndOfStreamException>().With.Message.Contains("2 of 3"));
    }

    private static MemoryStream Stream(bool canSeek, params byte[] bytes)
    {
        var stream = canSeek ? new MemoryStream() : new OneWay();
        stream.Write(bytes);
        if (canSeek)
            stream.Position = 0;
        else
            ((OneWay)stream).Start();
        return stream;
    }

    private async Task<byte[]> ReadAll(int room)
    {
        var all = new List<byte>();
        var buffer = new byte[room];
        while (await Read(buffer) is > 0 and var count)
            all.AddRange(buffer[..count]);
        return [.. all];
    }

    private async Task<int> Read(byte[] buffer) => mode == WaitMode.Blocking ? _parts.Read(buffer) : await _parts.ReadAsync(buffer);

    private sealed class OneWay : MemoryStream
    {
        public override bool CanSeek => false;

        public void Start() => base.Position = 0;
    }
}
