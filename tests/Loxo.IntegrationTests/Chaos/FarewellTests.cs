namespace Loxo.IntegrationTests.Chaos;

/// <summary>A connection ends in an orderly way: with Terminate and the end of the stream, not with a reset, of which servers and proxies complain.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class FarewellTests(WaitMode mode) : ChaosTest(mode)
{
    // With a reset the answers to it would still be due: the proxy, whose client is gone, may give the link up before it has read all of it.
    private const string WithoutReset = ";Session Reset=Auto";

    [Test]
    public async Task A_connection_ends_with_Terminate_and_not_with_a_reset([Values] bool isPooled, [Values("nothing", "a command", "a reader closed early")] string after)
    {
        var (connection, link) = await Open($"Pooling={isPooled}" + WithoutReset);
        var farewell = link.ToServer.Saw('X');
        await using var command = new PgCommand("SELECT i, repeat('x', 1000) FROM generate_series(1, 5000) i", connection);
        if (after == "a command")
            await Start(() => Mode.ExecuteNonQuery(command));
        if (after == "a reader closed early")
        {
            var reader = await Start(() => Mode.ExecuteReader(command));
            await Start(() => Mode.Read(reader));
            await Start(() => Mode.Close(reader));
        }

        await Start(() => Mode.Close(connection));
        PgConnection.ClearPool(connection);

        await Finish(farewell);
        await Finish(link.Ended);
        Assert.That(link.ToServer.WasReset, Is.False);
    }

    [Test]
    public async Task A_pooled_connection_that_is_closed_under_its_reader_ends_so_too()
    {
        var (connection, link) = await Open("Pooling=true" + WithoutReset);
        var farewell = link.ToServer.Saw('X');
        await using var command = new PgCommand("SELECT i, repeat('x', 1000) FROM generate_series(1, 5000) i", connection);
        var reader = await Start(() => Mode.ExecuteReader(command));
        await Start(() => Mode.Read(reader));

        await Start(() => Mode.Close(connection));
        PgConnection.ClearPool(connection);

        await Finish(farewell);
        await Finish(link.Ended);
        Assert.That(link.ToServer.WasReset, Is.False);
    }
}
