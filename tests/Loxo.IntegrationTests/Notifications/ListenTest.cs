using System.Globalization;
using System.Threading.Channels;
using Loxo.IntegrationTests.Pool;

namespace Loxo.IntegrationTests.Notifications;

/// <summary>A test of ListenAsync: readers that collect their items, and writers that notify.</summary>
public abstract class ListenTest(WaitMode mode) : PoolTest(mode)
{
    private readonly List<Collector> _collectors = [];

    /// <summary>The application name by which the server tells the listening sessions of the test.</summary>
    private protected string Application { get; } = "listen_" + Guid.NewGuid().ToString("N");

    [TearDown]
    public async Task EndCollectors()
    {
        foreach (var collector in _collectors)
            await collector.DisposeAsync();
    }

    private protected PgDataSource Listening(string settings = "", string? server = null) =>
        Source($"Application Name={Application};Pooling=false;{settings}", server);

    /// <summary>A reader that has begun to listen: its first item has come.</summary>
    private protected async Task<Collector> Collect(PgDataSource source, PgListenOptions? options = null, params string[] channels)
    {
        var collector = new Collector(source.ListenAsync(channels, options));
        _collectors.Add(collector);
        Assert.That((await Finish(collector.Next())).Gap, Is.EqualTo(PgNotificationGap.Started));
        return collector;
    }

    private protected Collector Collect(IAsyncEnumerable<PgNotification> items)
    {
        var collector = new Collector(items);
        _collectors.Add(collector);
        return collector;
    }

    private protected async Task Notify(string channel, string payload)
    {
        await using var connection = new PgConnection(TestServer.Default.ConnectionString);
        await Mode.Open(connection);
        await using var command = new PgCommand("SELECT pg_notify($1, $2)", connection)
        {
            Parameters = { new PgParameter { Value = channel }, new PgParameter { Value = payload } },
        };
        await Mode.ExecuteNonQuery(command);
    }

    /// <summary>The server processes of the listening sessions, with the last statement of each.</summary>
    private protected async Task<List<(int Process, string Query)>> Sessions()
    {
        await using var connection = new PgConnection(TestServer.Default.ConnectionString);
        await connection.OpenAsync();
        await using var command = new PgCommand($"SELECT pid, query FROM pg_stat_activity WHERE application_name = '{Application}'", connection);
        await using var reader = await command.ExecuteReaderAsync();
        var sessions = new List<(int, string)>();
        while (await reader.ReadAsync())
            sessions.Add((reader.GetInt32(0), reader.GetString(1)));
        return sessions;
    }

    private protected async Task UntilSessions(Func<List<(int Process, string Query)>, bool> isSo)
    {
        while (!isSo(await Sessions()))
            await Task.Delay(5);
    }

    /// <summary>
    /// Fails unless each number was seen once and in order, or a gap marker stands where some are missing. A gap marker in front of the first
    /// one allows that any were missed before.
    /// </summary>
    private protected static void AssertInOrder(IReadOnlyList<PgNotification> items, IReadOnlyList<int> written, Func<PgNotification, int> numberOf)
    {
        var place = 0;
        var isAfterGap = false;
        foreach (var item in items)
        {
            if (item.IsGap)
            {
                isAfterGap = true;
                continue;
            }
            var number = numberOf(item);
            var found = Enumerable.Range(place, written.Count - place).FirstOrDefault(i => written[i] == number, -1);
            Assert.That(found, Is.GreaterThanOrEqualTo(0), $"{number} was seen twice, or out of order, or never written");
            if (!isAfterGap)
                Assert.That(found, Is.EqualTo(place), $"before {number} some are missing, and there is no gap marker");
            place = found + 1;
            isAfterGap = false;
        }
        Assert.That(place == written.Count || isAfterGap, "the last ones are missing, and there is no gap marker");
    }

    private protected static int Number(PgNotification item) => int.Parse(item.Payload, CultureInfo.InvariantCulture);

    /// <summary>Enumerates in the background.</summary>
    private protected sealed class Collector : IAsyncDisposable
    {
        private readonly CancellationTokenSource _stop = new();
        private readonly Channel<PgNotification> _items = Channel.CreateUnbounded<PgNotification>();

        public Collector(IAsyncEnumerable<PgNotification> items) => Ended = Task.Run(() => Run(items));

        /// <summary>Completes with the enumeration, or with its error.</summary>
        public Task Ended { get; }

        public async Task<PgNotification> Next() => await _items.Reader.ReadAsync();

        /// <summary>All items up to the payload, it included.</summary>
        public async Task<List<PgNotification>> Until(string payload)
        {
            var items = new List<PgNotification>();
            do
                items.Add(await Next());
            while (items[^1].Payload != payload);
            return items;
        }

        public async ValueTask DisposeAsync()
        {
            await _stop.CancelAsync();
            await Task.WhenAny(Ended);
        }

        private async Task Run(IAsyncEnumerable<PgNotification> items)
        {
            try
            {
                await foreach (var item in items.WithCancellation(_stop.Token))
                    _items.Writer.TryWrite(item);
            }
            catch (Exception e)
            {
                _items.Writer.TryComplete(e);
                throw;
            }
        }
    }
}
