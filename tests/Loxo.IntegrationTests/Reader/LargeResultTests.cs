using System.Globalization;

namespace Loxo.IntegrationTests.Reader;

/// <summary>The memory of client and server while a result larger than both is read.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[NonParallelizable]
public class LargeResultTests(WaitMode mode) : DatabaseTest(mode)
{
    private const int Kilobyte = 1024, Megabyte = 1024 * 1024;

    [Test]
    public Task Sixty_megabytes_stay_with_nobody() => ReadAll(60);

    [Test, Category("Long")]
    public Task A_gigabyte_stays_with_nobody([Values] bool inTransaction) => ReadAll(1024, inTransaction);

    // The first 8 MB let buffers, code and the server's caches grow to their size.
    private async Task ReadAll(int megabytes, bool inTransaction = false)
    {
        await using var transaction = inTransaction ? Connection.BeginTransaction() : null;
        await using var command = Command($"SELECT i, repeat('x', 1000) FROM (SELECT generate_series(1, {megabytes * 1024}) i) rows");
        command.FetchSize = 1000;
        var reader = await Mode.ExecuteReader(command);
        var (rows, bytes) = (0, 0L);
        var (heap, server) = (0L, 0L);
        var (mostHeap, mostServer) = (0L, 0L);
        while (await Mode.Read(reader))
        {
            rows++;
            bytes += reader.GetInt32(0) == rows ? reader.GetStream(1).Length : throw new AssertionException($"Row {rows} is another one.");
            if (rows == 8 * Kilobyte)
                (heap, server) = (GC.GetTotalMemory(forceFullCollection: true), ServerMemory());
            else if (rows > 8 * Kilobyte && rows % (4 * Kilobyte) == 0)
                (mostHeap, mostServer) = (Math.Max(mostHeap, GC.GetTotalMemory(forceFullCollection: true)), Math.Max(mostServer, ServerMemory()));
        }
        await Mode.Close(reader);

        TestContext.Out.WriteLine($"heap {heap:N0}, at most {mostHeap:N0}; server {server:N0}, at most {mostServer:N0}");
        Assert.That((rows, bytes), Is.EqualTo((megabytes * 1024, megabytes * 1024 * 1000L)));
        Assert.That(mostHeap - heap, Is.LessThan(2 * Megabyte));
        Assert.That(mostServer - server, Is.LessThan(2 * Megabyte));
    }

    // Private memory of the server process, as the kernel counts it.
    private long ServerMemory()
    {
        var line = File.ReadLines($"/proc/{Connection.ProcessID.ToString(CultureInfo.InvariantCulture)}/status")
            .First(line => line.StartsWith("RssAnon:", StringComparison.Ordinal));
        return long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture) * Kilobyte;
    }
}
