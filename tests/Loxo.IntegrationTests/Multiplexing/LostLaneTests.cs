using System.Collections.Concurrent;
using Loxo.IntegrationTests.Chaos;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>The connection of a lane is lost while commands wait to be sent.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class LostLaneTests(WaitMode mode) : LaneTest(mode)
{
    private const int Rounds = 5;
    private const int Small = 20;
    private const int MostLarge = 500;
    private const int MuchUnsent = 512 * 1024;
    private const string Insert = "INSERT INTO sent VALUES ($1, length($2))";

    private readonly ConcurrentBag<ChaosLink> _links = [];

    [Test]
    public async Task What_was_not_sent_moves_on_and_the_rest_is_told_that_it_may_have_run()
    {
        await Execute("DROP TABLE IF EXISTS sent; CREATE TABLE sent (id int, length int)");
        await using var proxy = new ChaosProxy(TestServer.Default.Host, TestServer.Default.Port) { Plan = _links.Add };
        var builder = new PgDataSourceBuilder(proxy.ConnectionString(Lanes) + ";Session Reset=Auto");
        builder.UseLanes(static lanes => (lanes.Minimum, lanes.Maximum, lanes.GroupQueries) = (1, 1, false));
        await using var source = builder.Build();
        // Once a text has run, it goes into a lane.
        for (var i = 0; i < 3; i++)
            await Run(source, Insert, -1, "");
        var moved = 0;
        // A send that is under way when the connection is lost may have sent all.
        for (var round = 0; round < Rounds && moved == 0; round++)
        {
            await AwaitLane(source);
            moved = await LoseLane(source, round * (MostLarge + Small));
        }
        Assert.That(moved, Is.Positive);
    }

    // Returns how many of the small commands have run elsewhere.
    private async Task<int> LoseLane(PgDataSource source, int first)
    {
        var lane = source.Lanes!.All.Single();
        var port = await Scalar<int>($"SELECT client_port FROM pg_stat_activity WHERE pid = {lane.Session.ProcessId}");
        var link = _links.Single(link => link.ServerPort == port);
        // The server takes nothing more, so the lane's output grows.
        link.ToServer.GateAfterBytes(0);
        var calls = new List<Task>();
        while (lane.Session.Wire.Unsent < MuchUnsent && calls.Count < MostLarge)
            calls.Add(await Add(source, lane, first + calls.Count, new string('x', 300_000)));
        var large = calls.Count;
        for (var i = 0; i < Small; i++)
            calls.Add(await Add(source, lane, first + calls.Count, "x"));
        link.Reset();

        var moved = 0;
        for (var i = 0; i < calls.Count; i++)
        {
            var least = 1;
            try
            {
                await calls[i];
                moved += i >= large ? 1 : 0;
            }
            catch (PgException e)
            {
                Assert.That(e.Message, Does.Contain("It is not known whether the server has run this command."));
                least = 0;
            }
            Assert.That(await Scalar<long>($"SELECT count(*) FROM sent WHERE id = {first + i}"), Is.InRange(least, 1));
        }
        return moved;
    }

    // Returns when the lane has the command.
    private async Task<Task> Add(PgDataSource source, Commands.Lane lane, int id, string value)
    {
        var depth = lane.Depth;
        var call = Call(() => Run(source, Insert, id, value));
        while (lane.Depth == depth && !call.IsCompleted)
            await Task.Yield();
        Assert.That(call.IsFaulted, Is.False, () => call.Exception!.ToString());
        return call;
    }
}
