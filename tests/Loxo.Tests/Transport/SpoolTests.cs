using Loxo.Transport;

namespace Loxo.Tests.Transport;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class SpoolTests(WaitMode mode)
{
    [TestCase(0, false)]
    [TestCase(1, false)]
    [TestCase(64 * 1024, false)]
    [TestCase(64 * 1024 + 1, false)]
    [TestCase(Spool.MostInMemory, false)]
    [TestCase(Spool.MostInMemory + 1, true)]
    [TestCase(Spool.MostInMemory * 2 + 12345, true)]
    public async Task What_was_copied_is_read_again(int size, bool inFile)
    {
        var bytes = new byte[size];
        new Random(size).NextBytes(bytes);
        using var spool = new Spool();
        await Fill(spool, new Trickle(bytes));

        Assert.That((spool.Length, spool.Path is not null), Is.EqualTo(((long)size, inFile)));
        Assert.That((await ReadAll(spool)).AsSpan().SequenceEqual(bytes));
    }

    [Test]
    public async Task The_file_is_its_users_alone_and_gone_when_it_is_closed()
    {
        var spool = new Spool();
        await Fill(spool, new Trickle(new byte[Spool.MostInMemory + 1]));
        var path = spool.Path!;

        Assert.That(File.Exists(path));
        if (!OperatingSystem.IsWindows())
            Assert.That(File.GetUnixFileMode(path), Is.EqualTo(UnixFileMode.UserRead | UnixFileMode.UserWrite));
        spool.Dispose();
        Assert.That(File.Exists(path), Is.False);
    }

    [Test]
    public async Task A_file_of_a_stream_that_failed_is_gone_when_it_is_closed()
    {
        var spool = new Spool();
        await Assert.ThrowsAsync<IOException>(() => Fill(spool, new Trickle(new byte[Spool.MostInMemory * 2]) { FailsAt = Spool.MostInMemory + 100_000 }));
        var path = spool.Path!;
        spool.Dispose();
        Assert.That(File.Exists(path), Is.False);
    }

    private Task Fill(Spool spool, Stream source) => mode.Run(() => spool.Fill(source), () => spool.FillAsync(source, CancellationToken.None).AsTask());

    private async Task<byte[]> ReadAll(Spool spool)
    {
        using var all = new MemoryStream();
        var part = new byte[50_000];
        while (await mode.Run(() => spool.Read(part), () => spool.ReadAsync(part).AsTask()) is > 0 and var count)
            all.Write(part, 0, count);
        return all.ToArray();
    }

    private sealed class Trickle(byte[] bytes) : MemoryStream(bytes)
    {
        public long FailsAt { get; init; } = long.MaxValue;

        public override int Read(Span<byte> buffer) => Position >= FailsAt
            ? throw new IOException("It failed.")
            : base.Read(buffer[..Math.Min(buffer.Length, 50_001)]);

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await Task.Yield();
            return Read(buffer.Span);
        }
    }
}
