namespace Loxo.IntegrationTests.Cancellation;

/// <summary>
/// Whoever cancels may be the very thread that reads: a handler that runs while a command is read, or the one thread of a user interface.
/// Neither blocks.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class InlineCancelTests(WaitMode mode) : DatabaseTest(mode)
{
    private const string Notice = "DO $$ BEGIN RAISE NOTICE 'now'; PERFORM pg_sleep(600); END $$";

    // The first rows fill the server's buffer, so that they arrive before it sleeps.
    private const string SlowRows = "SELECT i, repeat('x', 20000), CASE WHEN i = 5 THEN pg_sleep(600) END FROM generate_series(1, 10) i";

    [Test]
    public async Task A_handler_that_runs_while_a_command_is_read_may_cancel_it([Values] bool byToken)
    {
        using var cancellation = new CancellationTokenSource();
        await using var command = Command(Notice);
        Connection.Notice += (_, _) => Stop(command, cancellation, byToken);

        var error = await Stopped(() => Mode.ExecuteNonQuery(command, cancellation.Token));

        AssertTellsOfCancelling(error);
        await AssertUsable();
    }

    [Test]
    public Task The_one_thread_of_a_user_interface_may_cancel_what_it_reads([Values] bool byToken) => SingleThreadContext.Run(async () =>
    {
        using var cancellation = new CancellationTokenSource();
        await using var command = Command(SlowRows);
        var reader = await Mode.ExecuteReader(command, token: cancellation.Token);
        Assert.That(await Mode.Read(reader, cancellation.Token), Is.True);
        Stop(command, cancellation, byToken);

        var error = await Stopped(async () =>
        {
            while (await Mode.Read(reader, Mode == WaitMode.Async ? cancellation.Token : default))
            {
            }
        });

        AssertTellsOfCancelling(error);
        await Mode.Close(reader);
        await AssertUsable();
    });

    [Test]
    public Task The_one_thread_of_a_user_interface_may_cancel_before_it_begins() => SingleThreadContext.Run(async () =>
    {
        await using var command = Command("SELECT 1");
        for (var i = 0; i < 20; i++)
        {
            Assert.That(async () => await command.ExecuteScalarAsync(new CancellationToken(true)), Throws.InstanceOf<OperationCanceledException>());
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
        }
    });

    // A blocking call has no token.
    private void Stop(PgCommand command, CancellationTokenSource cancellation, bool byToken)
    {
        if (byToken && Mode == WaitMode.Async)
            cancellation.Cancel();
        else
            command.Cancel();
    }

    private static async Task<Exception> Stopped(Func<Task> call)
    {
        try
        {
            await call();
        }
        catch (Exception e) when (e is PgException or OperationCanceledException)
        {
            return e;
        }
        throw new AssertionException("The command was not stopped.");
    }

    private static void AssertTellsOfCancelling(Exception error) => Assert.That(
        error is OperationCanceledException or PostgresException { SqlState: SqlStates.QueryCanceled }, error.ToString());
}
