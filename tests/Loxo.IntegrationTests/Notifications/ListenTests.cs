using System.Globalization;

namespace Loxo.IntegrationTests.Notifications;

/// <summary>Readers of a data source's notifications: who gets what, in which order, over how many connections.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ListenTests(WaitMode mode) : ListenTest(mode)
{
    [TestCase("Upper Case"), TestCase("quote\"d"), TestCase("select"), TestCase("日本語"), TestCase("a;b--c/*"), TestCase("'$1'")]
    public async Task A_channel_may_have_any_name(string channel)
    {
        await using var source = Listening();
        var reader = await Collect(source, null, channel);
        await Notify(channel, "payload");

        var item = await Finish(reader.Next());

        Assert.That((item.Channel, item.Payload, item.IsGap, item.Dropped), Is.EqualTo((channel, "payload", false, 0L)));
        Assert.That(item.PID, Is.Positive);
    }

    [Test]
    public async Task The_longest_name_and_the_longest_payload_arrive()
    {
        await using var source = Listening();
        var (channel, payload) = (new string('c', 63), string.Concat(Enumerable.Repeat("ä", 3999)) + "b");
        var reader = await Collect(source, null, channel);
        await Notify(channel, payload);

        Assert.That((await Finish(reader.Next())).Payload, Is.EqualTo(payload));
    }

    [Test]
    public async Task A_name_that_cannot_be_is_refused_before_anything_is_sent()
    {
        await using var source = Listening();
        Assert.That(() => source.ListenAsync(new string('c', 64)), Throws.ArgumentException.With.Message.Contains("63 bytes"));
        Assert.That(() => source.ListenAsync(string.Concat(Enumerable.Repeat("ä", 32))), Throws.ArgumentException.With.Message.Contains("64"));
        Assert.That(() => source.ListenAsync(""), Throws.ArgumentException);
        Assert.That(() => source.ListenAsync("a\0b"), Throws.ArgumentException);
        Assert.That(() => source.ListenAsync([]), Throws.ArgumentException);
        Assert.That(() => source.ListenAsync((IEnumerable<string>)null!), Throws.ArgumentNullException);
        Assert.That(await Sessions(), Is.Empty);
    }

    [Test]
    public async Task Each_notification_comes_once_and_in_the_order_of_the_commits()
    {
        const int Writers = 6, Each = 150;
        await using var source = Listening();
        var table = Application;
        await Aside(TestServer.Default.ConnectionString, $"CREATE TABLE {table} (number int, committed serial)");
        try
        {
            var reader = await Collect(source, null, table);
            // A notification is queued under a lock that is held to the end of the commit, so the order of the rows is that of the lock here.
            await Task.WhenAll(Enumerable.Range(0, Writers).Select(writer => Start(async () =>
            {
                await using var connection = new PgConnection(TestServer.Default.ConnectionString);
                await Mode.Open(connection);
                for (var i = 0; i < Each; i++)
                {
                    var number = (writer * Each) + i;
                    await Mode.ExecuteNonQuery(new PgCommand(
                        $"BEGIN; SELECT pg_advisory_xact_lock(4711); INSERT INTO {table} (number) VALUES ({number}); NOTIFY {table}, '{number}'; COMMIT", connection));
                }
                return 0;
            })));
            await Notify(table, "-1");

            var items = await Finish(reader.Until("-1"));

            var written = await Numbers(table);
            Assert.That(items.Any(item => item.IsGap), Is.False);
            Assert.That(items.SkipLast(1).Select(Number), Is.EqualTo(written));
        }
        finally
        {
            await Aside(TestServer.Default.ConnectionString, $"DROP TABLE {table}");
        }
    }

    [Test]
    public async Task Many_readers_of_many_channels_share_one_connection()
    {
        const int Channels = 200, Readers = 60;
        await using var source = Listening();
        string Name(int channel) => string.Create(CultureInfo.InvariantCulture, $"{Application}_{channel % Channels}");
        var readers = await Task.WhenAll(Enumerable.Range(0, Readers).Select(reader =>
            Collect(source, null, [Application, .. Enumerable.Range(reader * 7, 10).Select(Name)])));
        Assert.That(await Sessions(), Has.Count.EqualTo(1));

        await using var connection = new PgConnection(TestServer.Default.ConnectionString);
        await Mode.Open(connection);
        for (var i = 0; i < Channels; i++)
            await Execute(connection, $"SELECT pg_notify('{Name(i)}', '{i}')");
        await Execute(connection, $"SELECT pg_notify('{Application}', 'end')");

        for (var i = 0; i < Readers; i++)
        {
            var items = await Finish(readers[i].Until("end"));
            var wanted = Enumerable.Range(i * 7, 10).Select(channel => channel % Channels).Distinct().Order();
            Assert.That(items.SkipLast(1).Select(Number), Is.EqualTo(wanted));
        }
    }

    [Test]
    public async Task A_reader_that_comes_later_gets_its_start_and_what_follows()
    {
        await using var source = Listening();
        var first = await Collect(source, null, Application);
        await Notify(Application, "before");
        await Finish(first.Until("before"));

        var second = await Collect(source, null, Application);
        await Notify(Application, "after");

        Assert.That((await Finish(second.Next())).Payload, Is.EqualTo("after"));
        Assert.That((await Finish(first.Next())).Payload, Is.EqualTo("after"));
    }

    [Test]
    public async Task With_the_last_reader_of_a_channel_the_session_stops_listening()
    {
        var proxy = Proxy();
        await using var source = Listening(server: proxy.ConnectionString(TestServer.Default.ConnectionString));
        var right = await Collect(source, null, Application + "_r");
        var (left, shared) = (await Collect(source, null, Application + "_l"), await Collect(source, null, Application + "_l"));
        await left.DisposeAsync();
        await Notify(Application + "_l", "shared");
        Assert.That((await Finish(shared.Next())).Payload, Is.EqualTo("shared"));

        var link = await Finish(proxy.Link(0));
        // UNLISTEN, and the query behind it.
        var answered = link.ToClient.Saw('Z', 2);
        await shared.DisposeAsync();
        await Finish(answered);
        var passed = link.ToClient.Passed;
        await Notify(Application + "_l", "nobody");
        await Notify(Application + "_r", "right");
        Assert.That((await Finish(right.Next())).Payload, Is.EqualTo("right"));
        // Type, length, process, and two texts with their zeros.
        Assert.That(link.ToClient.Passed - passed, Is.EqualTo(1 + 4 + 4 + Application.Length + 2 + 1 + 5 + 1));

        var again = await Collect(source, null, Application + "_l");
        await Notify(Application + "_l", "again");
        Assert.That((await Finish(again.Next())).Payload, Is.EqualTo("again"));
        Assert.That(proxy.Count, Is.EqualTo(1));
    }

    [Test]
    public async Task With_the_last_reader_the_session_ends_and_the_next_one_opens_another()
    {
        await using var source = Listening();
        for (var i = 0; i < 3; i++)
        {
            await using var reader = await Collect(source, null, Application);
            Assert.That(await Sessions(), Has.Count.EqualTo(1));
            await Notify(Application, "heard");
            Assert.That((await Finish(reader.Next())).Payload, Is.EqualTo("heard"));
            await reader.DisposeAsync();
            await UntilSessions(all => all.Count == 0);
        }
    }

    [Test]
    public async Task The_connection_is_none_of_the_pools()
    {
        var source = Source($"Application Name={Application};Maximum Pool Size=1");
        var reader = await Collect(source, null, Application);
        await using (var connection = await Rent(source))
            await Execute(connection, $"NOTIFY {Application}, 'from the only one'");

        Assert.That((await Finish(reader.Next())).Payload, Is.EqualTo("from the only one"));
        Assert.That(Statistics(source).Total, Is.EqualTo(1));
    }

    [TestCase(PgListenOverflow.DropOldest, "gap 7, 8, 9, 10")]
    [TestCase(PgListenOverflow.DropNewest, "1, 2, 3, gap 7")]
    [TestCase(PgListenOverflow.Fail, "1, 2, 3, NotificationsLost")]
    public async Task A_full_queue_drops_or_fails_as_asked(PgListenOverflow overflow, string expected)
    {
        await using var source = Listening();
        var items = source.ListenAsync([Application], new PgListenOptions { Capacity = 3, Overflow = overflow }).GetAsyncEnumerator();
        await using var enumerating = items.ConfigureAwait(false);
        Assert.That(await items.MoveNextAsync(), Is.True);
        Assert.That(items.Current.Gap, Is.EqualTo(PgNotificationGap.Started));
        var witness = await Collect(source, null, Application);
        for (var i = 1; i <= 10; i++)
            await Notify(Application, i.ToString(CultureInfo.InvariantCulture));
        await Finish(witness.Until("10"));

        var read = new List<string>();
        for (var i = 0; i < 4; i++)
        {
            try
            {
                await items.MoveNextAsync();
                read.Add(items.Current.IsGap ? $"gap {items.Current.Dropped}" : items.Current.Payload);
            }
            catch (PgException e)
            {
                read.Add(e.Code.ToString());
            }
        }

        Assert.That(string.Join(", ", read), Is.EqualTo(expected));
        if (overflow == PgListenOverflow.Fail)
            return;
        await Notify(Application, "later");
        Assert.That(await items.MoveNextAsync(), Is.True);
        Assert.That(items.Current.Payload, Is.EqualTo("later"));
    }

    [Test]
    public async Task A_token_ends_the_enumeration()
    {
        await using var source = Listening();
        using var cancellation = new CancellationTokenSource();
        var reader = Collect(source.ListenAsync(Application, cancellation.Token));
        await Finish(reader.Next());
        await cancellation.CancelAsync();

        await Error<OperationCanceledException>(reader.Ended);
        await UntilSessions(all => all.Count == 0);
    }

    [Test]
    public async Task A_data_source_that_is_disposed_ends_its_readers()
    {
        var source = Listening();
        var reader = await Collect(source, null, Application);
        await source.DisposeAsync();

        await Error<ObjectDisposedException>(reader.Ended);
        await UntilSessions(all => all.Count == 0);
        Assert.That(() => source.ListenAsync(Application), Throws.InstanceOf<ObjectDisposedException>());
    }

    [Test]
    public async Task What_never_worked_is_an_error_at_once()
    {
        var refused = Source("Pooling=false", "Host=127.0.0.1;Port=1;Username=nobody;Timeout=30");
        Assert.That((await Error<PgException>(Collect(refused.ListenAsync(Application)).Ended)).Code, Is.EqualTo(PgErrorCode.ConnectionRefused));
        var missing = Listening("Database=there_is_none");
        Assert.That((await Error<PostgresException>(Collect(missing.ListenAsync(Application)).Ended)).SqlState,
            Is.EqualTo(PostgresErrorCodes.InvalidCatalogName));
    }

    [Test]
    public void Options_that_mean_nothing_are_refused()
    {
        var options = new PgListenOptions();
        Assert.That(() => options.Capacity = 0, Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => options.ProbeInterval = TimeSpan.Zero, Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => options.ProbeInterval = TimeSpan.FromDays(30), Throws.InstanceOf<ArgumentOutOfRangeException>());
        options.ProbeInterval = Timeout.InfiniteTimeSpan;
    }

    private static async Task<List<int>> Numbers(string table)
    {
        await using var connection = new PgConnection(TestServer.Default.ConnectionString);
        await connection.OpenAsync();
        await using var reader = await new PgCommand($"SELECT number FROM {table} ORDER BY committed", connection).ExecuteReaderAsync();
        var numbers = new List<int>();
        while (await reader.ReadAsync())
            numbers.Add(reader.GetInt32(0));
        return numbers;
    }
}
