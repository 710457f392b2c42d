using Loxo.IntegrationTests.Chaos;

namespace Loxo.IntegrationTests.Cancellation;

/// <summary>
/// A command whose answer stops at every kind of place. The server sends a few rows and then sleeps, so that it can be cancelled; the proxy
/// holds the answer where the test wants it and lets it go on when the cancel request has been served.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class StallTests(WaitMode mode) : ChaosTest(mode)
{
    private TaskCompletionSource _calling = null!;

    [SetUp]
    public void NobodyCallsYet() => _calling = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    // Rows of 4 KiB leave the server's 8 KiB buffer before it falls asleep.
    private const string Sql = "SELECT i, repeat('x', 4096), CASE WHEN i = 12 THEN pg_sleep(600) END FROM generate_series(1, 20) i";

    /// <summary>Where the answer stops.</summary>
    public enum Place
    {
        BeforeFirstByte,
        WithinHeader,
        WithinRow,
        BetweenRows,
    }

    [Test]
    public async Task A_timeout_cancels_and_leaves_the_connection_usable([Values] Place place)
    {
        var (connection, link) = await Open();
        var gate = Hold(link, place);
        _ = OpenAfterCancel(gate);

        var error = await Error<PgException>(ReadAll(connection, place, timeout: 1));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout), error.ToString());
        Assert.That(error.Message, Does.Contain("can be used"));
        Assert.That(error.InnerException, Is.InstanceOf<TimeoutException>());
        await AssertUsable(connection);
        Assert.That(Proxy.Count, Is.EqualTo(2), "one session and one cancel request");
    }

    [Test]
    public async Task A_timeout_whose_cancel_finds_no_answer_closes_the_connection([Values] Place place)
    {
        var (connection, link) = await Open("Cancellation Timeout=200");
        HoldCancels();
        Hold(link, place);

        var error = await Error<PgException>(ReadAll(connection, place, timeout: 1));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout), error.ToString());
        Assert.That(error.Message, Does.Contain("'Cancellation Timeout'").And.Contain("closed"));
        Assert.That(error.InnerException, Is.InstanceOf<TimeoutException>());
        await AssertClosedButReusable(connection);
    }

    [Test]
    public async Task A_timeout_without_cancel_requests_closes_the_connection([Values] Place place)
    {
        var (connection, link) = await Open("Cancellation Timeout=-1");
        Hold(link, place);

        var error = await Error<PgException>(ReadAll(connection, place, timeout: 1));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout), error.ToString());
        Assert.That(Proxy.Count, Is.EqualTo(1));
        await AssertClosedButReusable(connection);
    }

    [Test]
    public async Task Cancelling_the_token_leaves_the_connection_usable([Values] Place place)
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("Blocking calls take no token.");
        var (connection, link) = await Open();
        var gate = Hold(link, place);
        _ = OpenAfterCancel(gate);
        using var cancellation = new CancellationTokenSource();

        var reading = ReadAll(connection, place, timeout: 0, cancellation.Token);
        await Stalled(connection, gate);
        await cancellation.CancelAsync();

        var error = await Error<OperationCanceledException>(reading);
        Assert.That(error.InnerException, Is.InstanceOf<PostgresException>());
        await AssertUsable(connection);
    }

    [Test]
    public async Task A_cancelled_token_is_named_by_the_exception()
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("Blocking calls take no token.");
        var (connection, _) = await Open();
        using var cancellation = new CancellationTokenSource();
        await using var command = new PgCommand("SELECT pg_sleep(600)", connection);

        var executing = Start(() => command.ExecuteNonQueryAsync(cancellation.Token));
        await Asleep(connection);
        await cancellation.CancelAsync();

        var error = await Error<OperationCanceledException>(executing);
        Assert.That(error.CancellationToken, Is.EqualTo(cancellation.Token));
        Assert.That(error.InnerException, Is.InstanceOf<PostgresException>());
        await AssertUsable(connection);
    }

    [Test]
    public async Task Cancelling_the_token_closes_the_connection_if_the_server_does_not_answer([Values] Place place)
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("Blocking calls take no token.");
        var (connection, link) = await Open("Cancellation Timeout=200");
        HoldCancels();
        var gate = Hold(link, place);
        using var cancellation = new CancellationTokenSource();

        var reading = ReadAll(connection, place, timeout: 0, cancellation.Token);
        await Stalled(connection, gate);
        await cancellation.CancelAsync();

        var error = await Error<OperationCanceledException>(reading);
        Assert.That(error.CancellationToken, Is.EqualTo(cancellation.Token));
        await AssertClosedButReusable(connection);
    }

    [Test]
    public async Task Cancel_from_another_thread_leaves_the_connection_usable([Values] Place place)
    {
        var (connection, link) = await Open();
        var gate = Hold(link, place);
        _ = OpenAfterCancel(gate);
        using var command = new PgCommand(Sql, connection) { CommandTimeout = 0 };

        var reading = ReadAll(command, place);
        await Stalled(connection, gate);
        command.Cancel();

        var error = await Error<OperationCanceledException>(reading);
        Assert.That(error.InnerException, Is.InstanceOf<PostgresException>());
        await AssertUsable(connection);
    }

    [Test]
    public async Task Cancel_from_another_thread_closes_the_connection_if_the_server_does_not_answer([Values] Place place)
    {
        var (connection, link) = await Open("Cancellation Timeout=200");
        HoldCancels();
        var gate = Hold(link, place);
        using var command = new PgCommand(Sql, connection) { CommandTimeout = 0 };

        var reading = ReadAll(command, place);
        await Stalled(connection, gate);
        command.Cancel();

        await Error<OperationCanceledException>(reading);
        await AssertClosedButReusable(connection);
    }

    [Test]
    public async Task A_connection_that_ends_in_the_middle_is_reported_and_closed([Values] Place place, [Values] bool reset)
    {
        var (connection, link) = await Open();
        var gate = Hold(link, place);

        var reading = ReadAll(connection, place, timeout: 0);
        await Stalled(connection, gate);
        if (reset)
            link.Reset();
        else
            link.Cut();

        var error = await Error<PgException>(reading);
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed), error.ToString());
        Assert.That(error.IsTransient);
        await AssertClosedButReusable(connection);
    }

    [Test]
    public async Task Closing_from_another_thread_ends_the_command([Values] Place place)
    {
        var (connection, link) = await Open();
        var gate = Hold(link, place);

        var reading = ReadAll(connection, place, timeout: 0);
        await Stalled(connection, gate);
        connection.Close();

        await Error<Exception>(reading);
        await Start(() => Mode.Open(connection));
        await AssertUsable(connection);
    }

    [Test]
    public async Task A_command_that_ends_while_it_is_being_cancelled_has_succeeded()
    {
        var (connection, link) = await Open();
        var beforeReady = link.ToClient.GateAfterMessage('C');
        _ = OpenAfterCancel(beforeReady);
        using var command = new PgCommand("SELECT 7", connection) { CommandTimeout = 0 };

        var reading = Start(() => Mode.ExecuteScalar(command));
        await Finish(beforeReady.Reached);
        command.Cancel();

        Assert.That(await reading, Is.EqualTo(7));
        await AssertUsable(connection);
    }

    [Test]
    public async Task An_answer_that_arrives_byte_by_byte_is_read()
    {
        var (connection, link) = await Open();
        link.ToClient.Chunk = link.ToServer.Chunk = 1;
        using var command = new PgCommand("SELECT i, repeat('x', i) FROM generate_series(1, 50) i", connection);

        await Start(async () =>
        {
            var reader = await Mode.ExecuteReader(command);
            for (var i = 1; await Mode.Read(reader); i++)
                Assert.That((reader.GetInt32(0), reader.GetString(1)), Is.EqualTo((i, new string('x', i))));
            await Mode.Close(reader);
        });

        await AssertUsable(connection);
    }

    // A header is five bytes.
    private static Gate Hold(ChaosLink link, Place place) => place switch
    {
        Place.BeforeFirstByte => link.ToClient.GateAfterBytes(0),
        Place.WithinHeader => link.ToClient.GateAfterMessage('D', 2, 3),
        Place.WithinRow => link.ToClient.GateAfterMessage('D', 2, 1000),
        _ => link.ToClient.GateAfterMessage('D', 2),
    };

    private async Task Stalled(PgConnection connection, Gate gate)
    {
        await Finish(gate.Reached);
        await Asleep(connection);
        // Nor would a token that is cancelled before the call begins to wait do what is tested here.
        await Finish(_calling.Task);
        while (!connection.Session!.Wire.IsInUse)
            await Task.Yield();
    }

    // A server that has not begun the command yet would ignore a cancel request.
    private static async Task Asleep(PgConnection connection)
    {
        await using var other = new PgConnection(TestServer.Default.ConnectionString);
        await other.OpenAsync();
        await using var command = new PgCommand("SELECT wait_event FROM pg_stat_activity WHERE pid = $1", other);
        command.Parameters.Add(new PgParameter(null, connection.ProcessID));
        while (await command.ExecuteScalarAsync() as string != "PgSleep")
            await Task.Yield();
    }

    // The server closes a cancel request's connection when it has sent the signal.
    private async Task OpenAfterCancel(Gate gate)
    {
        var cancel = await Proxy.Link(1);
        await cancel.Ended;
        gate.Open();
    }

    private void HoldCancels() => Proxy.Plan = link => link.ToServer.GateAfterBytes(0);

    private async Task ReadAll(PgConnection connection, Place place, int timeout, CancellationToken token = default)
    {
        await using var command = new PgCommand(Sql, connection) { CommandTimeout = timeout };
        await ReadAll(command, place, token);
    }

    // Only the call that stalls gets the token: one that comes later would see it cancelled before it begins.
    private Task ReadAll(PgCommand command, Place place, CancellationToken token = default) => Start(async () =>
    {
        if (place == Place.BeforeFirstByte)
            _calling.TrySetResult();
        var reader = await Mode.ExecuteReader(command, token: place == Place.BeforeFirstByte ? token : default);
        Assert.That((await Mode.Read(reader), await Mode.Read(reader)), Is.EqualTo((true, true)));
        _calling.TrySetResult();
        for (var stalls = place != Place.BeforeFirstByte; await Mode.Read(reader, stalls ? token : default); stalls = false)
            Assert.That(reader.GetString(1), Has.Length.EqualTo(4096));
        await Mode.Close(reader);
    });
}
