using System.Diagnostics;
using System.Globalization;
using Loxo.Embedded;

namespace Loxo.IntegrationTests.Authentication;

/// <summary>A server that runs and accepts no connection now (57P03): the error says where and what to do, and another host is taken.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("Slow")]
public class UnavailableServerTests(WaitMode mode)
{
    [Test]
    public async Task A_server_that_starts()
    {
        await using var server = await PgEmbeddedServer.StartAsync(TestServer.Options());
        // The startup process waits for its archive, which holds nothing, until the file is there.
        var goOn = Path.Combine(server.SocketDirectory, "go-on");
        await server.ReloadAsync(new Dictionary<string, string> { ["restore_command"] = $"while ! test -e \"{goOn}\"; do sleep 0.05; done; false" });
        await server.StopAsync();
        Signal(server, "recovery.signal");
        var starting = server.RestartAsync();
        try
        {
            await AssertRefused(server, "the database system is starting up");
            await AssertNextHostIsTaken(server);
        }
        finally
        {
            await File.WriteAllTextAsync(goOn, "");
            await starting;
        }
        await AssertOpens(server);
    }

    [Test]
    public async Task A_server_that_is_shut_down_while_sessions_are_open()
    {
        await using var server = await PgEmbeddedServer.StartAsync(TestServer.Options());
        await using var source = PgDataSource.Create(server.ConnectionString);
        await using var open = source.CreateConnection();
        await mode.Open(open);
        using (var kill = Process.Start("kill", ["-TERM", server.ProcessId.ToString(CultureInfo.InvariantCulture)]))
            await kill.WaitForExitAsync();

        await AssertRefused(server, "the database system is shutting down");
        await AssertNextHostIsTaken(server);
        await using (var command = new PgCommand("SELECT 1", open))
            Assert.That(await mode.ExecuteScalar(command), Is.EqualTo(1), "sessions that are open go on");
        await mode.Close(open);
        source.Clear();

        await server.RestartAsync();
        await AssertOpens(server);
    }

    [Test]
    public async Task A_standby_without_hot_standby()
    {
        await using var server = await PgEmbeddedServer.StartAsync(TestServer.Options());
        await server.ReloadAsync(new Dictionary<string, string> { ["hot_standby"] = "off" });
        await server.StopAsync();
        Signal(server, "standby.signal");
        await server.RestartAsync();

        await AssertRefused(server, "the database system is not accepting connections");
        await AssertNextHostIsTaken(server);
    }

    private static void Signal(PgEmbeddedServer server, string name)
    {
        var path = Path.Combine(server.DataDirectory, name);
        File.WriteAllText(path, "");
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(path, (UnixFileMode)0b110_110_110); // the server opens it to write
    }

    // Nobody waits for the end of that state: the error comes at once.
    private async Task AssertRefused(PgEmbeddedServer server, string reason)
    {
        foreach (var pooling in new[] { true, false })
        {
            await using var source = PgDataSource.Create($"{server.ConnectionString};Timeout=120;Pooling={pooling}");
            var error = await Refusal(source);
            Assert.That(error.Message, Does.StartWith("57P03: " + reason).And.Contain($"{server.Host}:{server.Port}")
                .And.Contain("try again later").And.Contain("hot_standby"));
            Assert.That(error.IsTransient, Is.True);
        }
    }

    // It takes a moment until the server is in its state; until then its port is closed, or a login succeeds.
    private async Task<PostgresException> Refusal(PgDataSource source)
    {
        for (var attempt = 0; attempt < 3000; attempt++)
        {
            try
            {
                await using var connection = source.CreateConnection();
                await mode.Open(connection);
            }
            catch (PostgresException e) when (e.SqlState == PostgresErrorCodes.CannotConnectNow)
            {
                return e;
            }
            catch (PgException e) when (e.Code == PgErrorCode.ConnectionRefused)
            {
                // Not yet.
            }
            source.Clear();
            await Task.Delay(10);
        }
        throw new AssertionException("The server has not refused a login with 57P03.");
    }

    private async Task AssertNextHostIsTaken(PgEmbeddedServer server)
    {
        var other = new PgConnectionStringBuilder(TestServer.Default.ConnectionString);
        other.Host = $"{server.Host}:{server.Port},{other.Host}:{other.Port}";
        await using var source = new PgDataSourceBuilder(other.ConnectionString).BuildMultiHost();
        await using var connection = source.CreateConnection();
        await mode.Open(connection);
        Assert.That(connection.Port, Is.EqualTo(TestServer.Default.Port));
        Assert.That(source.GetHosts()[0].Failure?.Message, Does.StartWith("57P03: "));
    }

    private async Task AssertOpens(PgEmbeddedServer server)
    {
        await using var source = PgDataSource.Create(server.ConnectionString);
        await using var connection = source.CreateConnection();
        await mode.Open(connection);
    }
}
