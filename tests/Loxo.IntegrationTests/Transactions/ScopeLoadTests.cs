using System.Transactions;

namespace Loxo.IntegrationTests.Transactions;

/// <summary>Several sessions in each scope, and many scopes at once whose time is over at any moment, also between the two phases.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer"), Category("Slow")]
public class ScopeLoadTests(WaitMode mode) : ScopeTest(mode)
{
    // At most 18 transactions are prepared at a time; the server allows 20. Some callers are slow, so that their time is over now and then; the others
    // commit all the while.
    private const int Callers = 6, SlowCallers = 4, MostSessions = 3;

    private const int TimeoutsToSee = 16, MostRounds = 100_000;

    private readonly List<Outcome> _outcomes = [];
    private int _timeouts;
    private int _rounds;

    /// <summary>What a caller knows of a scope.</summary>
    private sealed record Outcome(int[] Ids, bool? IsCommitted, string Error);

    [SetUp]
    public void Begin()
    {
        _outcomes.Clear();
        _timeouts = _rounds = 0;
    }

    [Test]
    public async Task Scopes_of_several_sessions_that_end_at_any_moment_leave_all_or_nothing()
    {
        await using var source = MakeSource($"Maximum Pool Size={Callers * MostSessions}");
        await Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => Task.Factory.StartNew(
            () => RunMany(source, caller), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap()));
        await AwaitReturned(source);

        var left = await Rows("SELECT gid FROM pg_prepared_xacts WHERE owner = current_user");
        // Or they would keep the table from being dropped.
        foreach (var row in left)
            await Execute($"ROLLBACK PREPARED '{row[0]}'");
        Assert.That(left, Is.Empty, "prepared transactions are left over");
        var ids = (await Ids()).ToHashSet();
        foreach (var outcome in _outcomes)
        {
            Assert.That(outcome.IsCommitted, Is.Not.Null, outcome.Error);
            var expected = outcome.IsCommitted == true ? outcome.Ids : [];
            Assert.That(outcome.Ids.Where(ids.Contains), Is.EqualTo(expected), $"{string.Join(", ", outcome.Ids)}: {outcome.Error}");
        }
        Assert.That(_timeouts, Is.GreaterThanOrEqualTo(TimeoutsToSee), "many were late");
        Assert.That(_outcomes.Count(static outcome => outcome.IsCommitted == true), Is.GreaterThan(TimeoutsToSee), "many have committed");
        Assert.That(ids, Has.Count.EqualTo(_outcomes.Where(static outcome => outcome.IsCommitted == true).Sum(static outcome => outcome.Ids.Length)));
        await AssertSessionsAreClean(source);
    }

    private async Task RunMany(PgDataSource source, int caller)
    {
        var random = new Random(caller);
        while (Volatile.Read(ref _timeouts) < TimeoutsToSee && Interlocked.Increment(ref _rounds) is var round && round < MostRounds)
        {
            int[] ids = [.. Enumerable.Range(round * 10, random.Next(2, MostSessions + 1))];
            var outcome = await RunOne(source, ids, random, isSlow: caller < SlowCallers);
            if (outcome.Error.Length > 0)
                Interlocked.Increment(ref _timeouts);
            lock (_outcomes)
                _outcomes.Add(outcome);
        }
    }

    // System.Transactions looks at its clock twice a second, and ends what is late a second after its beginning or somewhat later.
    private async Task<Outcome> RunOne(PgDataSource source, int[] ids, Random random, bool isSlow)
    {
        var completes = random.Next(5) > 0;
        var slowStatement = isSlow ? random.Next(ids.Length + 1) : -1;
        var participant = isSlow ? random.Next(ids.Length + 1) : -1;
        var connections = new List<PgConnection>();
        try
        {
            using var scope = Scope(timeout: TimeSpan.FromMilliseconds(isSlow ? 1 : 60_000));
            for (var i = 0; i < ids.Length; i++)
            {
                if (participant == i)
                    Delay(random.Next(800));
                var connection = await Open(source);
                connections.Add(connection);
                await Run(connection, "SET LOCAL work_mem = '7MB'; SET application_name = 'changed'");
                await Insert(connection, ids[i]);
                if (slowStatement == i)
                    await Run(connection, $"SELECT pg_sleep({random.Next(1600)}::float / 1000)");
            }
            if (participant == ids.Length)
                Delay(random.Next(800));
            // Some are closed first, some while the transaction still needs their sessions.
            if (random.Next(2) == 0)
                await CloseAll(connections);
            if (completes)
                scope.Complete();
            scope.Dispose();
            return new Outcome(ids, completes, "");
        }
        catch (TransactionInDoubtException e)
        {
            return new Outcome(ids, null, e.ToString());
        }
        catch (Exception e) when (e is PgException or TransactionException)
        {
            return new Outcome(ids, false, e.ToString());
        }
        finally
        {
            await CloseAll(connections);
        }
    }

    // A participant that takes its time to vote: sessions that took part before it are prepared meanwhile, those behind it are not.
    private void Delay(int milliseconds) => Transaction.Current!.EnlistVolatile(
        new Participant(enlistment =>
        {
            using (new TransactionScope(TransactionScopeOption.Suppress))
            {
                using var connection = new PgConnection(ConnectionString);
                connection.Open();
                using var command = new PgCommand($"SELECT pg_sleep({milliseconds}::float / 1000)", connection);
                command.ExecuteNonQuery();
            }
            enlistment.Prepared();
        }),
        EnlistmentOptions.None);

    private async Task CloseAll(List<PgConnection> connections)
    {
        foreach (var connection in connections)
            await Mode.Dispose(connection);
    }

    private async Task AssertSessionsAreClean(PgDataSource source)
    {
        var connections = new List<PgConnection>();
        for (var i = 0; i < Callers * MostSessions; i++)
        {
            connections.Add(await Open(source));
            Assert.That(
                await Run(connections[i], "SELECT concat_ws(' ', current_setting('work_mem'), current_setting('application_name'), pg_current_xact_id_if_assigned()::text)"),
                Is.EqualTo("4MB scopes"));
        }
        await CloseAll(connections);
        Assert.That(await Scalar<long>("SELECT count(*) FROM pg_stat_activity WHERE application_name IN ('scopes', 'changed') AND state LIKE 'idle in%'"), Is.Zero);
    }
}
