using System.Globalization;
using Loxo.Embedded;
using Loxo.IntegrationTests.Poolers;

namespace Loxo.IntegrationTests.Notifications;

/// <summary>
/// The listening connection is lost while others write: every number that is in the table is seen once and in order, or a gap marker stands
/// in its place.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async), Category("Slow")]
[Category("OneServer")]
public class LostListenerTests(WaitMode mode) : ListenTest(mode)
{
    private const string End = "end";

    private static readonly PgListenOptions _probing = new() { ProbeInterval = TimeSpan.FromMilliseconds(200) };

    [Test]
    public async Task A_terminated_session_is_replaced()
    {
        await using var source = Listening();
        await Survive(source, TestServer.Default.ConnectionString, null, async () =>
        {
            foreach (var (process, _) in await Sessions())
                await Terminate(process);
        });
        Assert.That(Log.Of(2101), Has.Count.GreaterThanOrEqualTo(3));
    }

    [Test]
    public async Task A_cut_link_is_replaced([Values] bool reset)
    {
        var proxy = Proxy();
        await using var source = Listening(server: proxy.ConnectionString(TestServer.Default.ConnectionString));
        await Survive(source, TestServer.Default.ConnectionString, null, async () =>
        {
            var link = await proxy.Link(proxy.Count - 1);
            if (reset)
                link.Reset();
            else
                link.Cut();
        });
    }

    [Test]
    public async Task A_link_that_swallows_everything_is_noticed_and_replaced([Values] bool bothWays)
    {
        var proxy = Proxy();
        await using var source = Listening(server: proxy.ConnectionString(TestServer.Default.ConnectionString));
        await Survive(source, TestServer.Default.ConnectionString, _probing, async () =>
        {
            var link = await proxy.Link(proxy.Count - 1);
            link.ToClient.GateAfterBytes(0);
            if (bothWays)
                link.ToServer.GateAfterBytes(0);
        });
    }

    [Test]
    public async Task A_restarted_server_is_found_again([Values(PgStopMode.Fast, PgStopMode.Immediate)] PgStopMode stop)
    {
        var options = TestServer.Options();
        // What was notified of must not be forgotten with the server.
        options.Settings["synchronous_commit"] = "on";
        await using var server = await PgEmbeddedServer.StartAsync(options);
        await using var source = Listening(server: server.ConnectionString + ";Timeout=120");
        await Survive(source, server.ConnectionString + ";Timeout=120", null, () => server.RestartAsync(stop), faults: 2);
    }

    [Test]
    public async Task A_reader_that_has_not_read_the_marker_gets_one_for_several_losses()
    {
        await using var source = Listening();
        var items = source.ListenAsync(Application).GetAsyncEnumerator();
        await using var enumerating = items.ConfigureAwait(false);
        Assert.That(await items.MoveNextAsync(), Is.True);
        var witness = await Collect(source, null, Application);
        for (var i = 0; i < 3; i++)
        {
            await Terminate((await Sessions())[0].Process);
            Assert.That((await Finish(witness.Next())).Gap, Is.EqualTo(PgNotificationGap.ConnectionLost));
        }
        await Notify(Application, End);

        await items.MoveNextAsync();
        Assert.That(items.Current.Gap, Is.EqualTo(PgNotificationGap.ConnectionLost));
        await items.MoveNextAsync();
        Assert.That(items.Current.Payload, Is.EqualTo(End));
    }

    [Test]
    public async Task A_login_that_is_refused_later_ends_the_readers()
    {
        var role = Application;
        await Aside(TestServer.Default.ConnectionString, $"CREATE ROLE {role} LOGIN");
        try
        {
            await using var source = Listening($"Username={role}");
            var reader = await Collect(source, null, Application);
            await Aside(TestServer.Default.ConnectionString, $"ALTER ROLE {role} NOLOGIN");
            await Terminate((await Sessions())[0].Process);

            var error = await Error<PostgresException>(reader.Ended);

            Assert.That(error.SqlState, Is.EqualTo(PostgresErrorCodes.InvalidAuthorizationSpecification));
        }
        finally
        {
            await Aside(TestServer.Default.ConnectionString, $"DROP ROLE {role}");
        }
    }

    [Test]
    public async Task A_pooler_that_changes_the_server_process_is_refused()
    {
        await using var aware = Source("Pooler=Transaction");
        Assert.That(Assert.Throws<PgException>(() => aware.ListenAsync(Application))!.Code, Is.EqualTo(PgErrorCode.NotSupported));
        await using var unaware = Source("Pooling=false", PgBouncer.Shared.ConnectionString(PgBouncer.Unaware));

        var error = await Error<PgException>(Collect(unaware.ListenAsync(Application)).Ended);

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.NotSupported));
        Assert.That(error.Message, Does.Contain("past the pooler"));
    }

    [Test]
    public async Task A_pooler_that_keeps_the_server_process_is_not()
    {
        await using var source = Source("Pooling=false", PgBouncer.Shared.ConnectionString(PgBouncer.Session));
        var reader = await Collect(source, _probing, Application);
        for (var i = 0; i < 3; i++)
        {
            await Notify(Application, "through");
            Assert.That((await Finish(reader.Next())).Payload, Is.EqualTo("through"));
        }
    }

    // Writes while the connection is lost again and again, and compares what the readers saw with the table.
    private async Task Survive(PgDataSource source, string direct, PgListenOptions? options, Func<Task> fault, int faults = 3)
    {
        var table = Application;
        await Aside(direct, $"CREATE TABLE {table} (number int)");
        var readers = new List<Collector>();
        for (var i = 0; i < 3; i++)
            readers.Add(await Collect(source, options, table));
        var seen = readers.ConvertAll(_ => new List<PgNotification>());
        for (var i = 0; i < faults; i++)
        {
            await Write(direct, table, i * 200, 100);
            await fault();
            await Write(direct, table, (i * 200) + 100, 100);
            await CatchUp(direct, table, readers, seen, string.Create(CultureInfo.InvariantCulture, $"mark {i}"));
        }
        var written = (string)(await Aside(direct, $"SELECT string_agg(number::text, ',' ORDER BY number) FROM {table}"))!;
        await Aside(direct, $"DROP TABLE {table}");
        int[] numbers = [.. written.Split(',').Select(number => int.Parse(number, CultureInfo.InvariantCulture))];
        Assert.That(numbers, Has.Length.EqualTo(faults * 200));
        foreach (var items in seen)
        {
            Assert.That(items.Count(item => item.Gap == PgNotificationGap.ConnectionLost), Is.GreaterThanOrEqualTo(faults));
            AssertInOrder(items.FindAll(item => !item.Payload.StartsWith("mark", StringComparison.Ordinal)), numbers, Number);
        }
    }

    private async Task Write(string direct, string table, int first, int count)
    {
        await using var connection = new PgConnection(direct + ";Pooling=false");
        await Mode.Open(connection);
        for (var number = first; number < first + count; number++)
            await Execute(connection, $"INSERT INTO {table} VALUES ({number}); NOTIFY {table}, '{number}'");
    }

    // Until each reader has got the mark, which is behind everything written so far.
    private static async Task CatchUp(string direct, string table, List<Collector> readers, List<List<PgNotification>> seen, string mark)
    {
        var all = Task.WhenAll(readers.Select(async (reader, i) => seen[i].AddRange(await reader.Until(mark))));
        while (!all.IsCompleted)
        {
            await Aside(direct, $"NOTIFY {table}, '{mark}'");
            await Task.WhenAny(all, Task.Delay(50));
        }
        await all;
    }
}
