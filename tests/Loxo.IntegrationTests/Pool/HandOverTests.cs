using Loxo.IntegrationTests.Chaos;
using Loxo.Protocol;

namespace Loxo.IntegrationTests.Pool;

/// <summary>A session that goes from one user to the next, whatever the first was doing.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class HandOverTests(WaitMode mode) : PoolTest(mode)
{
    private const string OneSession = "Maximum Pool Size=1;Timeout=60;Cancellation Timeout=30000";

    [Test]
    public async Task An_open_reader_does_not_keep_the_session([Values(0, 1, 5000)] int read, [Values(5000, 3)] int rows, [Values] SessionReset reset)
    {
        var source = Source($"{OneSession};Session Reset={reset}");
        var first = await Rent(source);
        var process = first.ProcessID;
        await using var command = new PgCommand($"SELECT i, repeat('x', 1000) FROM generate_series(1, {rows}) i", first);
        var reader = await Mode.ExecuteReader(command);
        for (var i = 0; i < read && await Mode.Read(reader); i++)
        {
        }

        await Mode.Close(first);

        Assert.That(reader.IsClosed, Is.True);
        await AssertNextIsFine(source, process);
        await Mode.Close(reader);
        await AssertNextIsFine(source, process);
    }

    [Test]
    public async Task A_reader_of_an_earlier_user_reads_nothing_of_a_later_ones()
    {
        var source = Source(OneSession);
        var first = await Rent(source);
        await using var command = new PgCommand("SELECT i FROM generate_series(1, 100) i", first);
        var stale = await Mode.ExecuteReader(command);
        await Mode.Read(stale);
        await Mode.Close(first);

        var next = await Rent(source);
        await using var secret = new PgCommand("SELECT 'secret' FROM generate_series(1, 100)", next);
        var reader = await Mode.ExecuteReader(secret);
        await Mode.Read(reader);

        await Error<InvalidOperationException>(() => Mode.Read(stale));
        Assert.That(() => stale.GetValue(0), Throws.InstanceOf<InvalidOperationException>());
        await Mode.Close(stale);
        Assert.That(reader.GetString(0), Is.EqualTo("secret"));
        var rest = 0;
        while (await Mode.Read(reader))
            rest++;
        Assert.That(rest, Is.EqualTo(99));
        await Mode.Close(reader);
        await Mode.Close(next);
    }

    [Test]
    public async Task A_command_of_an_earlier_user_cannot_run_in_a_later_ones_session()
    {
        var source = Source(OneSession);
        var first = await Rent(source);
        await using var command = new PgCommand("SELECT 1", first);
        await Mode.ExecuteScalar(command);
        await Mode.Close(first);
        var next = await Rent(source);

        await Error<InvalidOperationException>(() => Mode.ExecuteScalar(command));
        command.Cancel();

        Assert.That(await Scalar(next, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(next);
    }

    [Test]
    public async Task Closing_twice_gives_back_once()
    {
        var source = Source("Maximum Pool Size=2");
        var first = await Rent(source);
        await Mode.Close(first);
        var next = await Rent(source);

        await Mode.Close(first);
        await Mode.Dispose(first);
        await Mode.Dispose(first);

        Assert.That((Statistics(source).Idle, Statistics(source).Busy), Is.EqualTo((0, 1)));
        Assert.That(await Scalar(next, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(next);
    }

    [Test]
    public async Task Notices_and_notifications_go_to_who_has_the_session()
    {
        var source = Source(OneSession + ";Session Reset=Never");
        var first = await Rent(source);
        var (atFirst, atNext) = (0, 0);
        first.Notification += (_, _) => atFirst++;
        first.Notice += (_, _) => atFirst++;
        await Execute(first, "LISTEN pool_hand_over");
        await Mode.Close(first);
        var next = await Rent(source);
        next.Notification += (_, _) => atNext++;
        next.Notice += (_, _) => atNext++;

        await Execute(next, "NOTIFY pool_hand_over; DO $$ BEGIN RAISE NOTICE 'hello'; END $$");
        await Execute(next, "SELECT 1");

        Assert.That((atFirst, atNext), Is.EqualTo((0, 2)));
        await Mode.Close(next);
    }

    [Test]
    public async Task What_one_user_prepared_is_there_for_the_next([Values] SessionReset reset)
    {
        var source = Source($"{OneSession};Session Reset={reset};Max Auto Prepare=0");
        await Prepare(source);

        var next = await Rent(source);
        await using var command = new PgCommand("SELECT 4711", next);
        await Mode.Prepare(command);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(4711));

        Assert.That(await Scalar(next, "SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT 4711'"), Is.EqualTo(1L));
        Assert.That(await Scalar(next, "SELECT generic_plans + custom_plans FROM pg_prepared_statements WHERE statement = 'SELECT 4711'"), Is.EqualTo(2L));
        await Mode.Close(next);
    }

    [Test]
    public async Task What_was_prepared_unasked_is_there_for_the_next([Values] SessionReset reset)
    {
        var source = Source($"{OneSession};Session Reset={reset}");
        for (var i = 0; i < 3; i++)
        {
            var connection = await Rent(source);
            Assert.That(await Scalar(connection, "SELECT 4711"), Is.EqualTo(4711));
            await Mode.Close(connection);
        }

        var next = await Rent(source);
        Assert.That(await Scalar(next, "SELECT generic_plans + custom_plans FROM pg_prepared_statements WHERE statement = 'SELECT 4711'"), Is.EqualTo(2L));
        await Mode.Close(next);
    }

    [Test]
    public async Task What_was_prepared_works_after_everything_was_forgotten([Values] SessionReset reset, [Values("DEALLOCATE ALL", "DISCARD ALL", "PREPARE mine AS SELECT 1")] string forget)
    {
        var source = Source($"{OneSession};Session Reset={reset}");
        await Prepare(source);
        var connection = await Rent(source);
        await Execute(connection, forget);
        await Mode.Close(connection);

        await Prepare(source);
    }

    // Not under Verify, where a question of the driver's stands in front of the command, and a cancel request waits for its answer.
    [Test]
    public async Task A_cancel_that_is_late_does_not_hit_the_next_user([Values(SessionReset.Auto, SessionReset.Always, SessionReset.Never)] SessionReset reset)
    {
        var proxy = Proxy();
        var source = Source($"{OneSession};Session Reset={reset};Cancellation Timeout=0", proxy.ConnectionString(TestServer.Default.ConnectionString));
        var first = await Rent(source);
        var process = first.ProcessID;
        var link = await proxy.Link(0);
        await using var command = new PgCommand("SELECT 1", first) { CommandTimeout = 0 };
        var held = new TaskCompletionSource<Gate>();
        proxy.Plan = cancel => held.TrySetResult(cancel.ToServer.GateAfterBytes(0));
        var beforeReady = link.ToClient.GateAfterMessage('C');
        var running = Start(() => Mode.ExecuteScalar(command));
        await Finish(beforeReady.Reached);
        command.Cancel();
        var late = await Finish(held.Task);
        beforeReady.Open();
        Assert.That(await running, Is.EqualTo(1));

        await Mode.Close(first);
        var next = Start(async () =>
        {
            var connection = await Rent(source);
            Assert.That(await Scalar(connection, "SELECT pg_sleep(0.05)::text || 'done'"), Is.EqualTo("done"));
            var its = connection.ProcessID;
            await Mode.Close(connection);
            return its;
        });
        Assert.That(next.IsCompleted, Is.False);
        late.Open();

        Assert.That(await next, Is.EqualTo(process));
    }

    [Test]
    public async Task Who_cancels_at_any_moment_and_closes_at_once_never_hits_the_next_user([Values] SessionReset reset)
    {
        var source = Source($"{OneSession};Session Reset={reset}");
        var random = new Random(4711);
        for (var round = 0; round < 100; round++)
        {
            var first = await Rent(source);
            // Takes the answer to the reset, so that the cancel can only hit the victim.
            await Scalar(first, "SELECT 1");
            await using var victim = new PgCommand("SELECT pg_sleep(0.0005)", first);
            var running = Start(() => Mode.ExecuteScalar(victim));
            Thread.SpinWait(random.Next(20_000));
            victim.Cancel();
            try
            {
                await running;
            }
            catch (OperationCanceledException)
            {
                // Either way is right for the victim.
            }
            Assert.That(first.State, Is.EqualTo(System.Data.ConnectionState.Open), $"{first.Session!.State} {first.Session.BreakCause}");
            await Mode.Close(first);

            var next = await Rent(source);
            await Scalar(next, "SELECT pg_sleep(0.001)");
            await Mode.Close(next);
        }
        Assert.That(Statistics(source).Opened, Is.EqualTo(1));
    }

    [Test]
    public async Task Who_closes_while_a_command_runs_ends_it_and_its_session()
    {
        var source = Source("Maximum Pool Size=1");
        var first = await Rent(source);
        var process = first.ProcessID;
        await using var command = new PgCommand("SELECT pg_sleep(600)", first);
        var running = Start(() => Mode.ExecuteScalar(command));
        await Until(() => first.Session!.Wire.IsInUse, "it runs");

        await Mode.Close(first);

        await Error<PgException>(running);
        var next = await Rent(source);
        Assert.That(next.ProcessID, Is.Not.EqualTo(process));
        Assert.That(await Scalar(next, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(next);
    }

    private async Task Prepare(PgDataSource source)
    {
        var connection = await Rent(source);
        await using (var command = new PgCommand("SELECT 4711", connection))
        {
            await Mode.Prepare(command);
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(4711));
        }
        await Mode.Close(connection);
    }

    private async Task AssertNextIsFine(PgDataSource source, int process)
    {
        var next = await Rent(source);
        Assert.That(next.ProcessID, Is.EqualTo(process));
        Assert.That(await Scalar(next, "SELECT 42"), Is.EqualTo(42));
        Assert.That(next.Session!.TransactionStatus, Is.EqualTo(TransactionStatus.Idle));
        await Mode.Close(next);
    }
}
