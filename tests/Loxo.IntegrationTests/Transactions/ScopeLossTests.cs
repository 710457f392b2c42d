using System.Transactions;
using Loxo.IntegrationTests.Chaos;

namespace Loxo.IntegrationTests.Transactions;

/// <summary>The connection is lost in the middle of an end.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ScopeLossTests(WaitMode mode) : ChaosTest(mode)
{
    [Test]
    public async Task A_commit_whose_answer_is_lost_is_in_doubt()
    {
        var scope = Scope();
        var (connection, link) = await Open();
        await Scalar(connection, "SELECT 1");
        link.ToClient.GateAfterBytes(0);
        var sent = link.ToServer.Saw('Q');
        scope.Complete();
        var ending = Task.Factory.StartNew(scope.Dispose, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await Finish(sent);
        link.Cut();

        var error = await Error<TransactionInDoubtException>(ending);
        Assert.That((error.InnerException as PgException)?.Code, Is.EqualTo(PgErrorCode.CommitOutcomeUnknown));
        Assert.That(((PgException)error.InnerException!).IsTransient, Is.False);
        Transaction.Current = null;
        await AssertClosedButReusable(connection);
    }

    [Test]
    public async Task What_the_server_has_prepared_is_rolled_back_if_its_answer_is_lost()
    {
        var table = "lost_" + Guid.NewGuid().ToString("N");
        await Outside($"CREATE TABLE {table} (id int)");
        var scope = Scope();
        var id = Transaction.Current!.TransactionInformation.LocalIdentifier;
        var (first, link) = await Open();
        var (second, _) = await Open();
        await Scalar(first, $"INSERT INTO {table} VALUES (1)");
        await Scalar(second, $"INSERT INTO {table} VALUES (2)");
        link.ToClient.GateAfterBytes(0);
        var sent = link.ToServer.Saw('Q');
        scope.Complete();
        var ending = Task.Factory.StartNew(scope.Dispose, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await Finish(sent);
        // The server has prepared it, and its answer is on the way.
        while ((long)(await Outside($"SELECT count(*) FROM pg_prepared_xacts WHERE gid LIKE '{id}/%'"))! == 0)
            await Task.Delay(10);
        link.Cut();

        await Error<TransactionAbortedException>(ending);
        Transaction.Current = null;
        while ((long)(await Outside($"SELECT count(*) FROM pg_prepared_xacts WHERE gid LIKE '{id}/%'"))! > 0)
            await Task.Delay(10);
        Assert.That(await Outside($"SELECT count(*) FROM {table}"), Is.EqualTo(0L));
        await Outside($"DROP TABLE {table}");
    }

    [Test]
    public async Task InTransaction_does_not_repeat_what_may_have_been_committed()
    {
        await using var source = PgDataSource.Create(Proxy.ConnectionString($"SSL Mode=Disable;{Direct}"));
        var runs = 0;
        var sent = new TaskCompletionSource();
        var running = Start(() => Mode.Run(
            () => source.InTransaction((connection, _) => Work(connection).GetAwaiter().GetResult(), new() { Attempts = 5 }),
            () => source.InTransactionAsync((connection, _, _) => Work(connection), new() { Attempts = 5 })));
        await Finish(sent.Task);
        (await Proxy.Link(0)).Cut();

        var error = await Error<PgException>(running);
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.CommitOutcomeUnknown));
        Assert.That(error.Message, Does.Contain("not known"));
        Assert.That(runs, Is.EqualTo(1));

        async Task Work(PgConnection connection)
        {
            runs++;
            await using var command = new PgCommand("SELECT 1", connection);
            await Mode.ExecuteScalar(command);
            var link = await Proxy.Link(0);
            link.ToClient.GateAfterBytes(0);
            _ = link.ToServer.Saw('Q').ContinueWith(_ => sent.SetResult(), TaskScheduler.Default);
        }
    }

    private static TransactionScope Scope() => new(
        TransactionScopeOption.Required, new TransactionOptions { IsolationLevel = IsolationLevel.ReadCommitted, Timeout = TimeSpan.FromMinutes(5) },
        TransactionScopeAsyncFlowOption.Enabled);

    private async Task<object?> Outside(string sql)
    {
        using var outside = new TransactionScope(TransactionScopeOption.Suppress, TransactionScopeAsyncFlowOption.Enabled);
        await using var connection = new PgConnection(Direct);
        await connection.OpenAsync();
        await using var command = new PgCommand(sql, connection);
        return await command.ExecuteScalarAsync();
    }
}
