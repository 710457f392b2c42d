using System.Data;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>
/// A connection waits for a session of its own, and is closed meanwhile, or gets one for another call: no session must stay rented.
/// </summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class AbandonedBindingTests(WaitMode mode) : LaneTest(mode)
{
    [Test]
    public async Task A_connection_that_is_closed_while_it_waits_for_a_session_leaves_it_to_the_pool(
        [Values] bool disposes, [Values] bool isCommand)
    {
        await using var source = Create(2);
        await AwaitLane(source);
        await using var holder = await Holder(source);
        var connection = source.CreateConnection();
        await Mode.Open(connection);
        var changes = 0;
        connection.StateChange += (_, _) => changes++;
        Task waiting = isCommand ? Call(() => Set(connection)) : Call(() => Begin(connection));
        await Until(() => source.GetPoolStatistics()!.Waiting == 1);

        await (disposes ? Mode.Dispose(connection) : Mode.Close(connection));
        await Mode.Close(holder);

        var error = await Catch<InvalidOperationException>(() => waiting);
        Assert.That(error, disposes ? Is.TypeOf<ObjectDisposedException>() : Is.TypeOf<InvalidOperationException>());
        Assert.That(error.Message, Does.Contain("while it waited for a session"));
        Assert.That((connection.State, changes), Is.EqualTo((ConnectionState.Closed, 1)));
        await AssertNoneIsRented(source);
    }

    [Test]
    public async Task A_connection_keeps_the_session_that_it_has_got_for_another_call()
    {
        await using var source = Create(3);
        await AwaitLane(source);
        var first = await Holder(source);
        var second = await Holder(source);
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        var calls = new[] { Call(() => Begin(connection)), Call(() => Begin(connection)) };
        await Until(() => source.GetPoolStatistics()!.Waiting == 2);

        await Mode.Close(first);
        await Task.WhenAny(calls);
        await Mode.Close(second);

        Assert.That(() => Task.WhenAll(calls), Throws.InvalidOperationException.With.Message.Contain("in progress"));
        Assert.That(calls.Count(static call => call.IsCompletedSuccessfully), Is.EqualTo(1));
        await using (var command = new PgCommand("SELECT 42", connection))
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(42));
        await Mode.Close(connection);
        await AssertNoneIsRented(source);
    }

    private PgDataSource Create(int size) =>
        PgDataSource.Create($"{Lanes};Multiplexing=true;Session Reset=Auto;Application Name=binding;Timeout=60;Maximum Pool Size={size}");

    // A lane that retires is in use for a moment after it has left the list.
    private static Task AssertNoneIsRented(PgDataSource source) =>
        Until(() => source.GetPoolStatistics() is { Waiting: 0 } statistics && statistics.Busy == source.Lanes!.Count);

    private async Task<PgConnection> Holder(PgDataSource source)
    {
        var connection = source.CreateConnection();
        await Mode.Open(connection);
        await Begin(connection);
        return connection;
    }

    private Task<PgTransaction> Begin(PgConnection connection) =>
        Mode.Run(() => connection.BeginTransaction(), () => connection.BeginTransactionAsync().AsTask());

    private async Task<int> Set(PgConnection connection)
    {
        await using var command = new PgCommand("SET application_name = 'binding'", connection);
        return await Mode.ExecuteNonQuery(command);
    }
}
