using System.Net;
using System.Net.Sockets;
using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Chaos;

/// <summary>Signals interrupt system calls (EINTR): no command notices, and no timeout takes longer.</summary>
[TestFixture(WaitMode.Blocking, Sockets), TestFixture(WaitMode.Blocking, Inline), TestFixture(WaitMode.Blocking, Pool)]
[TestFixture(WaitMode.Async, Sockets), TestFixture(WaitMode.Async, Inline), TestFixture(WaitMode.Async, Pool)]
[Category("OneServer"), Platform("Linux")]
public sealed class SignalTests(WaitMode mode, string engine) : DatabaseTest(mode)
{
    private const string Sockets = "Async Engine=Sockets";
    private const string Inline = "Async Engine=Reactor;Reactor Continuations=Inline";
    private const string Pool = "Async Engine=Reactor;Reactor Continuations=ThreadPool";

    protected override string ConnectionString => $"{base.ConnectionString};{engine}";

    [Test]
    public async Task No_command_notices_them([Values] bool multiplexing)
    {
        await using var source = PgDataSource.Create($"{ConnectionString};Session Reset=Auto;Multiplexing={multiplexing}");
        using var signals = Signals.ToAll(pause: 1);
        for (var i = 0; i < 300; i++)
        {
            await using var command = source.CreateCommand("SELECT $1 || repeat('x', $2), pg_sleep(0.002)");
            command.Parameters.Add(new PgParameter<string> { TypedValue = i + new string('y', i % 10 * 100_000) });
            command.Parameters.Add(new PgParameter<int> { TypedValue = i % 7 * 50_000 });
            var text = (string)(await Mode.ExecuteScalar(command))!;
            Assert.That(text, Has.Length.EqualTo(command.Parameters[0].Value!.ToString()!.Length + (i % 7 * 50_000)));
            Assert.That(text, Does.StartWith(i + (i % 10 == 0 ? "" : "y")));
            if (i % 50 == 0)
                source.Clear();
        }
        Assert.That(signals.Sent, Is.GreaterThan(300));
    }

    // A connection that was opened by an asynchronous call waits in another way than one that was opened by a blocking call.
    [Test]
    public async Task A_command_still_has_its_timeout([Values] WaitMode opening)
    {
        await using var connection = new PgConnection($"{ConnectionString};Pooling=false;Command Timeout=1");
        await opening.Open(connection);
        using var signals = Signals.ToCaller(pause: 20);
        await AssertTimesOut(() => Mode.ExecuteScalar(new PgCommand("SELECT pg_sleep(20)", connection)));
        Assert.That(signals.Sent, Is.Positive);
    }

    // Of a server that does not accept the connection, and of one that accepts it and says nothing.
    [Test]
    public async Task Opening_still_has_its_timeout([Values] bool accepts)
    {
        using var hole = new BlackHole();
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        var port = accepts ? ((IPEndPoint)silent.LocalEndpoint).Port : hole.Port;
        await using var connection = new PgConnection($"Host=127.0.0.1;Port={port};Username=x;Password=x;Database=x;SSL Mode=Disable;Timeout=1;{engine}");
        // Without a timeout it ends with another error.
        await using var end = new Timer(
            _ =>
            {
                hole.Dispose();
                silent.Dispose();
            },
            null, 20_000, Timeout.Infinite);
        using var signals = Signals.ToCaller(pause: 20);
        await AssertTimesOut(() => Mode.Open(connection));
        Assert.That(signals.Sent, Is.Positive);
    }

    // The server does not take connections off the queue of its Unix socket, which is full.
    [Test]
    public async Task Opening_over_a_Unix_socket_still_has_its_timeout()
    {
        var directory = Directory.CreateTempSubdirectory("loxo-signals-");
        try
        {
            await OpenOver(directory.FullName);
        }
        finally
        {
            directory.Delete(recursive: true);
        }
    }

    private async Task OpenOver(string directory)
    {
        var address = new UnixDomainSocketEndPoint(Path.Combine(directory, ".s.PGSQL.5432"));
        using var full = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        full.Bind(address);
        full.Listen(0);
        using var first = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await first.ConnectAsync(address);
        var server = $"Host={directory};Username=x;Password=x;Database=x;SSL Mode=Disable;{engine}";
        await using var connection = new PgConnection(server + ";Timeout=1");
        await using (new Timer(_ => full.Dispose(), null, 20_000, Timeout.Infinite))
        using (Signals.ToCaller(pause: 20))
            await AssertTimesOut(() => Mode.Open(connection));
        // It goes on once there is room.
        await using var patient = new PgConnection(server + ";Timeout=60");
        var opening = Task.Run(() => Mode.Open(patient));
        await Task.Delay(100);
        using var accepted = await full.AcceptAsync();
        using var second = await full.AcceptAsync();
        Assert.That(await second.ReceiveAsync(new byte[8]), Is.Positive);
        await second.SendAsync("E\0\0\0\x1cSFATAL\0C28000\0Mrefused\0\0"u8.ToArray());
        Assert.That((await Catch<PostgresException>(() => opening)).SqlState, Is.EqualTo("28000"));
    }

    private static async Task AssertTimesOut(Func<Task> call)
    {
        var error = await Catch<PgException>(call);
        Assert.That(error.InnerException, Is.InstanceOf<TimeoutException>());
    }
}
