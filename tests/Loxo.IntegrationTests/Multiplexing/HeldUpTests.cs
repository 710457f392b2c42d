namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>Queries that are sent behind one that takes long do not wait for it, although nothing but a parameter tells it from them.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class HeldUpTests(WaitMode mode) : LaneTest(mode)
{
    private const int Callers = 16;

    // A text of its own for each wait mode, since one that was slow takes a session of its own for a while.
    private string Sql => $"SELECT $1::int4 AS {Mode} FROM pg_sleep($2)";

    [Test]
    public async Task They_overtake_it()
    {
        for (var i = 0; i < 3; i++)
            await Run(Sql, 0, 0.0);
        // The lanes learn how long the server usually takes.
        await CallMany(2000);

        var slow = Call(() => Run(Sql, -1, 60.0));
        var before = Source.GetLaneStatistics()!.Moved;
        // One of them is sent behind it, sooner or later.
        while (Source.GetLaneStatistics()!.Moved == before && !slow.IsCompleted)
            await CallMany(200);

        Assert.That(slow.IsCompleted, Is.False);
        await Execute($"SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%{Mode} FROM pg_sleep%' AND wait_event = 'PgSleep'");
        await Catch<PgException>(async () => await slow);
    }

    private async Task CallMany(int count)
    {
        var next = 0;
        foreach (var caller in Enumerable.Range(0, Callers).Select(_ => Call(async () =>
        {
            for (int i; (i = Interlocked.Increment(ref next)) <= count;)
                Assert.That(await Run(Sql, i, 0.0), Is.EqualTo(i));
            return 0;
        })).ToList())
        {
            await caller;
        }
    }
}
