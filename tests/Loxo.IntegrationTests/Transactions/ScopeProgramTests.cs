using System.Data.Common;
using System.Transactions;
using Npgsql;

namespace Loxo.IntegrationTests.Transactions;

/// <summary>
/// Random programs of nested scopes. What they leave is compared with what they say they leave; the tables and pg_prepared_xacts are looked at from
/// another connection. Npgsql runs those that it can.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class ScopeProgramTests(WaitMode mode) : ScopeTest(mode)
{
    private static int Count => 150;

    [Test]
    public async Task What_is_completed_stays_and_nothing_else()
    {
        for (var seed = 0; seed < Count; seed++)
        {
            var program = ScopeProgram.Make(seed, mayBreak: true);
            await Check(program, $"seed {seed}\n{program}", Source.CreateConnection);
            // Busy also counts a session that the pool is resetting by itself.
            Assert.That(Source.GetPoolStatistics()!.OldestRents, Is.Empty, $"seed {seed}\n{program}");
        }
        Assert.That(() => Source.GetPoolStatistics()!.Busy, Is.Zero.After(10_000, 10));
        Assert.That(await Scalar<long>("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'scopes' AND state LIKE 'idle in%'"), Is.Zero);
    }

    [Test]
    public async Task Npgsql_leaves_the_same()
    {
        await using var source = NpgsqlDataSource.Create(TestServer.Default.ConnectionString.Replace(";Cancellation Timeout=30000", "", StringComparison.Ordinal));
        var compared = 0;
        for (var seed = 0; seed < Count; seed++)
        {
            // Npgsql runs what follows a lost transaction outside of any, and commits the other sessions if a statement of one has failed.
            var program = ScopeProgram.Make(seed, mayBreak: false);
            if (program.Root.All().Any(static insert => insert.IsRefused))
                continue;
            compared++;
            await Check(program, $"seed {seed}\n{program}", source.CreateConnection);
        }
        Assert.That(compared, Is.GreaterThan(Count / 3));
    }

    private async Task Check(ScopeProgram program, string text, Func<DbConnection> create)
    {
        await Execute($"TRUNCATE {Table}");
        await RunScope(program, program.Root, create, text);
        Assert.That(await Ids(), Is.EqualTo(program.Expected), text);
        Assert.That(await Scalar<long>("SELECT count(*) FROM pg_prepared_xacts WHERE owner = current_user"), Is.Zero, text);
    }

    private async Task RunScope(ScopeProgram program, ScopeProgram.Scope scope, Func<DbConnection> create, string text)
    {
        var connections = new List<DbConnection>();
        var ambient = Scope(scope.Option);
        try
        {
            foreach (var step in scope.Steps)
            {
                if (step is ScopeProgram.Scope inner)
                    await RunScope(program, inner, create, text);
                else
                    await RunStep(step, connections, create);
            }
            if (scope.Completes)
                ambient.Complete();
        }
        finally
        {
            await End(program, scope, ambient, connections, text);
        }
    }

    private async Task End(
        ScopeProgram program, ScopeProgram.Scope scope, TransactionScope ambient, List<DbConnection> connections, string text)
    {
        if (!program.ClosesLate)
            await Close(connections);
        try
        {
            ambient.Dispose();
        }
        catch (TransactionException) when (scope.Fate.IsLost)
        {
        }
        catch (TransactionException e)
        {
            Assert.Fail($"{e}\n{text}");
        }
        if (program.ClosesLate)
            await Close(connections);
    }

    private async Task Close(List<DbConnection> connections)
    {
        foreach (var connection in connections)
            await Mode.Dispose(connection);
    }

    private async Task RunStep(ScopeProgram.Step step, List<DbConnection> connections, Func<DbConnection> create)
    {
        switch (step)
        {
            case { Verb: "open" }:
                var connection = create();
                connections.Add(connection);
                await TryRun(Transaction.Current is not null, () => Mode.Open(connection));
                break;
            case { Verb: "close" }:
                await Mode.Close(connections[step.Connection]);
                connections.RemoveAt(step.Connection);
                break;
            case ScopeProgram.Insert insert:
                await TryRun(insert.Fate.IsLost, () => Insert(connections[step.Connection], insert.Id));
                break;
            case { Verb: "collide" }:
                await TryRun(true, () => Run(connections[step.Connection], $"INSERT INTO {Table} VALUES ({step.Id}), ({step.Id})"));
                break;
            case { Verb: "fail" }:
                await TryRun(true, () => Run(connections[step.Connection], "SELECT 1/0"));
                break;
            case { Verb: "kill" }:
                // A transaction that the server does not know of cannot be lost.
                await Run(connections[step.Connection], "SELECT 1");
                using (Scope(TransactionScopeOption.Suppress))
                    await Kill((PgConnection)connections[step.Connection]);
                break;
        }
    }

    private static async Task TryRun(bool mayFail, Func<Task> call)
    {
        try
        {
            await call();
        }
        catch (Exception e) when (mayFail && e is DbException or InvalidOperationException or TransactionException)
        {
        }
    }
}
