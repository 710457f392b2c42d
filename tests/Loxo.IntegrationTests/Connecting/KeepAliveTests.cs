using System.Data;
using System.Globalization;
using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Connecting;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class KeepAliveTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task A_server_process_that_has_gone_is_found_out_without_a_command([Values] bool pooling)
    {
        await using var idle = new PgConnection($"{ConnectionString};Pooling={pooling};Application Name=keepalive;Keepalive=1");
        await Mode.Open(idle);
        await Execute("SELECT pg_terminate_backend($1)", idle.ProcessID);

        await Until(() => idle.State == ConnectionState.Closed);

        var error = await Catch<PgException>(() => Mode.ExecuteScalar(new PgCommand("SELECT 1", idle)));
        Assert.That(error.ToString(), Does.Contain("57P01"));
    }

    [Test]
    public async Task A_session_in_the_pool_that_has_gone_is_replaced()
    {
        await using var source = PgDataSource.Create($"{ConnectionString};Keepalive=1;Minimum Pool Size=1");
        int process;
        await using (var connection = source.CreateConnection())
        {
            await Mode.Open(connection);
            process = connection.ProcessID;
        }
        await Execute("SELECT pg_terminate_backend($1)", process);

        await Until(() => source.GetPoolStatistics()!.Replaced > 0);
    }

    [Test]
    public async Task A_notification_comes_without_a_command()
    {
        await using var listener = new PgConnection($"{ConnectionString};Keepalive=1;Pooling=false");
        await Mode.Open(listener);
        var heard = new TaskCompletionSource<string>();
        listener.Notification += (_, e) => heard.TrySetResult(e.Payload);
        await Mode.ExecuteNonQuery(new PgCommand("LISTEN keepalive_news", listener));
        await Execute("SELECT pg_notify('keepalive_news', 'extra')");

        Assert.That(await heard.Task, Is.EqualTo("extra"));
        Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 1", listener)), Is.EqualTo(1));
    }

    // A thousand times a second the server is asked, between commands that follow each other at once, and while connections come from the pool and go back.
    [Test]
    public async Task Commands_never_meet_what_keeps_the_connection_alive()
    {
        await using var source = OftenAsking();
        for (var i = 0; i < 300; i++)
        {
            await using var connection = source.CreateConnection();
            await Mode.Open(connection);
            for (var j = 0; j < 5; j++)
                Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT " + j, connection)), Is.EqualTo(j));
            await using var transaction = connection.BeginTransaction();
            Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 7", connection)), Is.EqualTo(7));
            if (i % 2 == 0)
                await Mode.Commit(transaction);
        }
        Assert.That(source.GetPoolStatistics()!.Closed.Values.Sum(), Is.Zero);
    }

    [Test, Platform("Linux")]
    public async Task A_connection_goes_back_while_a_sign_of_life_is_still_to_come()
    {
        await using var source = OftenAsking();
        int process;
        await using (var connection = source.CreateConnection())
        {
            await Mode.Open(connection);
            process = connection.ProcessID;
            Frozen.Freeze(process);
            try
            {
                await Until(() => connection.Session!.Deferred.IsDue);
                await Mode.Close(connection);
            }
            finally
            {
                Frozen.Thaw(process);
            }
        }

        await using var next = source.CreateConnection();
        await Mode.Open(next);
        Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 7", next)), Is.EqualTo(7));
        Assert.That(next.ProcessID, Is.EqualTo(process));
    }

    [Test, Platform("Linux")]
    public async Task A_wait_for_notifications_finds_out_that_the_server_does_not_answer()
    {
        await using var waiting = new PgConnection($"{ConnectionString};Pooling=false;Keepalive=1;Command Timeout=1");
        await Mode.Open(waiting);
        Assert.That(await Mode.Run(() => waiting.Wait(2500), () => waiting.WaitAsync(2500)), Is.False);
        var process = waiting.ProcessID;
        Frozen.Freeze(process);
        try
        {
            var error = await Catch<PgException>(() => Mode.Run(() => waiting.Wait(0), () => waiting.WaitAsync(0)));
            Assert.That(error.Message, Does.Contain("sign of life ('Keepalive')"));
            Assert.That(waiting.FullState, Is.EqualTo(ConnectionState.Broken));
        }
        finally
        {
            Frozen.Thaw(process);
        }
    }

    // What the kernel says of the socket: the timer of its probes, with the time until the next one in hundredths of a second.
    [Test, Platform("Linux")]
    public async Task TCP_probes_are_those_of_the_connection_string()
    {
        Assert.That(await Timer(""), Is.Not.EqualTo("02"));
        Assert.That(await Timer(";TCP Keepalive=true"), Is.EqualTo("02"));
        Assert.That(await Timer(";TCP Keepalive=false;TCP Keepalive Time=1000"), Is.Not.EqualTo("02"));
        Assert.That(await Timer(";TCP Keepalive Time=1000", hundredths => Assert.That(hundredths, Is.InRange(90_000, 100_000))), Is.EqualTo("02"));
    }

    // Asks each millisecond, which no connection string can. So does the pool: a second session would be opened while it asks.
    private PgDataSource OftenAsking()
    {
        var settings = new PgConnectionStringBuilder($"{ConnectionString};Maximum Pool Size=1").ToSettings();
        return new(settings with { Session = settings.Session with { KeepAlive = TimeSpan.FromTicks(TimeSpan.TicksPerMillisecond) } });
    }

    private async Task<string> Timer(string more, Action<int>? check = null)
    {
        await using var connection = new PgConnection($"{ConnectionString};Pooling=false{more}");
        await Mode.Open(connection);
        var port = (int)(await Mode.ExecuteScalar(new PgCommand("SELECT inet_client_port()", connection)))!;
        // A port of this side can be that of connections to several servers; and the kernel may list one twice while others come and go.
        var server = new PgConnectionStringBuilder(ConnectionString).Port;
        var fields = File.ReadLines("/proc/net/tcp").Skip(1).Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .First(line => EndsWith(line[1], port) && EndsWith(line[2], server) && line[3] == "01");
        var timer = fields[5].Split(':');
        check?.Invoke(int.Parse(timer[1], NumberStyles.HexNumber, CultureInfo.InvariantCulture));
        return timer[0];
    }

    private static bool EndsWith(string address, int port) =>
        address.EndsWith(string.Create(CultureInfo.InvariantCulture, $":{port:X4}"), StringComparison.Ordinal);

    // Waits for the thing itself; a guard of the test run ends it if that never comes.
    private static async Task Until(Func<bool> isThere)
    {
        while (!isThere())
            await Task.Delay(20);
    }
}
