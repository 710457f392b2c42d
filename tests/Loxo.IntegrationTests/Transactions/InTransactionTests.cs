using System.Data;

namespace Loxo.IntegrationTests.Transactions;

/// <summary>Work that runs in a transaction of its own.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class InTransactionTests(WaitMode mode) : ScopeTest(mode)
{
    private static readonly PgInTransactionOptions Patient = new()
    {
        IsolationLevel = IsolationLevel.Serializable, Attempts = 20, LongestDelay = TimeSpan.FromMilliseconds(20),
    };

    [Test]
    public async Task What_returns_is_committed_and_what_throws_is_rolled_back()
    {
        await Do((connection, _) => Insert(connection, 1));
        await Catch<NotFiniteNumberException>(() => Do(async (connection, _) =>
        {
            await Insert(connection, 2);
            throw new NotFiniteNumberException();
        }));

        Assert.That(await Ids(), Is.EqualTo(new[] { 1 }));
        Assert.That(Source.GetPoolStatistics()!.Busy, Is.Zero);
    }

    [Test]
    public async Task The_result_of_the_work_is_returned()
    {
        var result = await Mode.Run(
            () => Source.InTransaction((connection, _) => Run(connection, "SELECT 42").GetAwaiter().GetResult()),
            () => Source.InTransactionAsync((connection, _, _) => Run(connection, "SELECT 42")));

        Assert.That(result, Is.EqualTo(42));
    }

    [Test]
    public async Task The_work_may_end_the_transaction_itself([Values] bool commit)
    {
        await Do(async (connection, transaction) =>
        {
            await Insert(connection, 1);
            await (commit ? Mode.Commit(transaction) : Mode.Rollback(transaction));
        });

        Assert.That(await Ids(), Is.EqualTo(commit ? new[] { 1 } : []));
    }

    [Test]
    public async Task Level_and_options_are_in_force()
    {
        await Do(async (connection, transaction) =>
        {
            Assert.That(await Run(connection, "SHOW transaction_isolation"), Is.EqualTo("serializable"));
            Assert.That(await Run(connection, "SHOW transaction_read_only"), Is.EqualTo("on"));
            Assert.That(transaction.IsolationLevel, Is.EqualTo(IsolationLevel.Serializable));
        }, new() { IsolationLevel = IsolationLevel.Serializable, Options = PgTransactionOptions.ReadOnly });
    }

    [Test]
    public async Task A_caught_error_of_a_statement_is_no_success()
    {
        var error = await Catch<PgException>(() => Do(async (connection, _) =>
        {
            await Insert(connection, 1);
            await Catch<PostgresException>(() => Run(connection, "SELECT 1/0"));
        }));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TransactionRolledBack));
        Assert.That(await Ids(), Is.Empty);
    }

    [Test]
    public async Task What_has_met_others_runs_again_until_all_have_happened()
    {
        const int Callers = 6;
        await Execute($"INSERT INTO {Table} VALUES (0)");
        var runs = 0;
        await Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => Apart(() => Do(async (connection, _) =>
        {
            Interlocked.Increment(ref runs);
            var seen = (int)(await Run(connection, $"SELECT max(id) FROM {Table}"))!;
            await Run(connection, "SELECT pg_sleep(0.02)");
            await Run(connection, $"UPDATE {Table} SET id = {seen + 1} WHERE id = {seen}");
        }, Patient))));

        Assert.That(await Ids(), Is.EqualTo(new[] { Callers }), "Each has added one to what it saw.");
        Assert.That(runs, Is.GreaterThan(Callers));
    }

    [Test]
    public async Task Without_more_attempts_the_failure_is_thrown_and_others_are_never_repeated()
    {
        var runs = 0;
        var error = await Catch<PostgresException>(() => Do(async (connection, _) =>
        {
            runs++;
            await Raise(connection, "40001");
        }));
        Assert.That((error.SqlState, runs), Is.EqualTo(("40001", 1)));

        runs = 0;
        await Catch<PostgresException>(() => Do(async (connection, _) =>
        {
            runs++;
            await Raise(connection, runs < 3 ? "40P01" : "23505");
        }, Patient));
        Assert.That(runs, Is.EqualTo(3));
    }

    [Test]
    public async Task A_cancelled_token_ends_the_work_and_its_pauses()
    {
        using var cancelling = new CancellationTokenSource();
        var runs = 0;
        var running = Source.InTransactionAsync(async (connection, _, token) =>
        {
            runs++;
            await Insert(connection, 1);
            await cancelling.CancelAsync();
            if (Mode == WaitMode.Async)
                token.ThrowIfCancellationRequested();
        }, Patient, cancelling.Token);

        await Catch<OperationCanceledException>(() => running);
        Assert.That(runs, Is.EqualTo(1));
        Assert.That(await Ids(), Is.Empty);
    }

    [Test]
    public async Task In_a_scope_it_is_refused()
    {
        using (Scope())
            await Catch<InvalidOperationException>(() => Do((connection, _) => Insert(connection, 1)));

        Assert.That(await Ids(), Is.Empty);
        Assert.That(Source.GetPoolStatistics()!.Busy, Is.Zero);
    }

    private Task Do(Func<PgConnection, PgTransaction, Task> work, PgInTransactionOptions? options = null) => Mode.Run(
        () => Source.InTransaction((connection, transaction) => work(connection, transaction).GetAwaiter().GetResult(), options),
        () => Source.InTransactionAsync((connection, transaction, _) => work(connection, transaction), options));

    private static Task Apart(Func<Task> call) =>
        Task.Factory.StartNew(call, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();

    private Task Raise(PgConnection connection, string state) =>
        Run(connection, $"DO $$ BEGIN RAISE EXCEPTION USING errcode = '{state}', message = 'raised'; END $$");
}
