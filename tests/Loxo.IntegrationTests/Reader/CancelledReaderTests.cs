namespace Loxo.IntegrationTests.Reader;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class CancelledReaderTests(WaitMode mode) : DatabaseTest(mode)
{
    private const string Endless = "SELECT repeat('x', 1000) FROM generate_series(1, 100000000)";

    [Test]
    public async Task Cancelling_and_closing_a_reader_does_not_throw()
    {
        await using var command = Command(Endless);
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);

        command.Cancel();
        await Mode.Close(reader);

        await AssertUsable();
    }

    [Test]
    public async Task Reading_on_after_a_cancel_throws()
    {
        await using var command = Command(Endless);
        var reader = await Mode.ExecuteReader(command);
        command.Cancel();

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
    public async Task A_token_stops_a_first_run_whose_values_are_still_to_be_made_text()
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("A token belongs to asynchronous calls.");
        await Execute("CREATE TYPE pg_temp.mood AS ENUM ('ok')");
        using var cancellation = new CancellationTokenSource();
        await using var command = Command("SELECT 'ok'::pg_temp.mood; SELECT pg_sleep(60)");

        var reading = command.ExecuteReaderAsync(cancellation.Token);
        await Sleeping();
        await cancellation.CancelAsync();

        await Catch<OperationCanceledException>(async () =>
        {
            await using var reader = await reading;
            while (await reader.NextResultAsync(CancellationToken.None))
            {
            }
        });
        await AssertUsable();
    }

    // A cancel request that reaches the server before the command does is ignored.
    private async Task Sleeping()
    {
        await using var other = await OpenAnother();
        await using var command = new PgCommand("SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'", other);
        command.Parameters.Add(new PgParameter { Value = Connection.ProcessID });
        while ((long)(await command.ExecuteScalarAsync())! == 0)
            await Task.Delay(5);
    }
}
