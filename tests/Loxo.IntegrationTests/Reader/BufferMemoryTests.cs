namespace Loxo.IntegrationTests.Reader;

/// <summary>Large rows, and many connections, leave no memory behind.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("Slow"), Category("OneServer")]
public class BufferMemoryTests(WaitMode mode) : DatabaseTest(mode)
{
    private const int Megabyte = 1024 * 1024;

    [Test]
    public async Task A_thousand_large_rows_are_read_in_one_buffer_that_is_given_back([Values] bool pooled)
    {
        var settings = ConnectionString + (pooled ? ";Maximum Pool Size=1" : ";Pooling=false");
        await ReadLargeRows(settings, 1);
        var least = long.MaxValue;
        // A garbage collection takes buffers out of ArrayPool.Shared, which then have to be allocated again.
        for (var run = 0; run < 3; run++)
        {
            var allocated = GC.GetTotalAllocatedBytes(precise: true);
            await ReadLargeRows(settings, 1000);
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - allocated);
        }

        Assert.That(least, Is.LessThan(8 * Megabyte));
    }

    [Test]
    public async Task An_open_connection_holds_no_large_memory_after_a_large_row_or_parameter([Values] bool inRecord)
    {
        const int Connections = 80;
        var connections = new List<PgConnection>();
        for (var i = 0; i < Connections; i++)
            connections.Add(await OpenAnother());
        var before = Live();
        foreach (var connection in connections)
            await Echo(connection, Megabyte, inRecord);

        // Either of a connection's buffers would hold 1 to 2 MiB. ArrayPool.Shared keeps an array or two for each thread that returned one,
        // up to some 2 MiB for each of the test process's threads, however many connections there are.
        Assert.That(Live() - before, Is.LessThan(Connections * Megabyte * 3 / 4));
        foreach (var connection in connections)
            await connection.DisposeAsync();
    }

    [Test]
    public async Task Opening_and_closing_leaves_nothing_behind()
    {
        var settings = ConnectionString + ";Pooling=false";
        await OpenAndClose(settings, 20);
        var before = Live();
        await OpenAndClose(settings, 200);

        Assert.That(Live() - before, Is.LessThan(Megabyte));
    }

    private async Task ReadLargeRows(string settings, int rows)
    {
        await using var connection = new PgConnection(settings);
        await Mode.Open(connection);
        await using var command = new PgCommand($"SELECT repeat('x', {Megabyte}) FROM generate_series(1, {rows})", connection);
        var reader = await Mode.ExecuteReader(command);
        while (await Mode.Read(reader))
            Assert.That(reader.GetStream(0).Length, Is.EqualTo(Megabyte));
        await Mode.Close(reader);
        await Mode.Close(connection);
    }

    // A record is kept until the types of its fields are known.
    private async Task Echo(PgConnection connection, int size, bool inRecord)
    {
        await using var command = new PgCommand(inRecord ? "SELECT ROW($1::bytea)" : "SELECT $1::bytea", connection);
        command.Parameters.Add(new PgParameter { Value = new byte[size] });
        var value = await Mode.ExecuteScalar(command);
        Assert.That(inRecord ? ((object?[])value!)[0] : value, Has.Length.EqualTo(size));
    }

    private async Task OpenAndClose(string settings, int times)
    {
        for (var i = 0; i < times; i++)
        {
            await using var connection = new PgConnection(settings);
            await Mode.Open(connection);
            await using var command = new PgCommand("SELECT 1", connection);
            await Mode.ExecuteScalar(command);
            await Mode.Close(connection);
        }
    }

    private static long Live()
    {
        for (var i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        return GC.GetTotalMemory(forceFullCollection: true);
    }
}
