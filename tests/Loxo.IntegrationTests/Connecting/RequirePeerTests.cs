using System.Data;
using System.Diagnostics;
using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Connecting;

/// <summary>The user that must run the server at a Unix socket.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class RequirePeerTests(WaitMode mode)
{
    private static readonly string[] Engines = ["Sockets", "Reactor"];

    [Test]
    public async Task A_server_of_that_user_is_accepted([ValueSource(nameof(Engines))] string engine)
    {
        await using var connection = new PgConnection(Settings(await ServerUser(), engine).ConnectionString);
        await mode.Open(connection);
        await using var command = new PgCommand("SELECT 1", connection);
        Assert.That(await mode.ExecuteScalar(command), Is.EqualTo(1));
    }

    [Test]
    public async Task A_cancel_request_goes_to_a_server_of_that_user([ValueSource(nameof(Engines))] string engine)
    {
        await using var connection = new PgConnection(Settings(await ServerUser(), engine).ConnectionString);
        await mode.Open(connection);
        await using var command = new PgCommand("SELECT pg_sleep(600)", connection) { CommandTimeout = 1 };
        Assert.That(async () => await mode.ExecuteScalar(command), Throws.TypeOf<PgException>().With.Property("Code").EqualTo(PgErrorCode.Timeout));
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Open));
    }

    [Test]
    public async Task A_server_of_another_user_gets_nothing_and_is_named(
        [ValueSource(nameof(Engines))] string engine, [Values("nobody-of-that-name", "0")] string user)
    {
        var running = await ServerUser();
        await using var connection = new PgConnection(Settings(user, engine).ConnectionString);
        PgException? error = null;
        try
        {
            await mode.Open(connection);
        }
        catch (PgException e)
        {
            error = e;
        }
        Assert.That(error, Is.Not.Null);
        Assert.That(error!.Code, Is.EqualTo(PgErrorCode.AuthenticationFailed));
        Assert.That(error.Message, Does.Contain($"'{user}'").And.Contain($"'{running}'").And.Contain(TestServer.Default.SocketDirectory));
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_connection_by_TCP_is_not_checked()
    {
        var settings = Settings("nobody-of-that-name", "Sockets");
        settings.Host = new PgConnectionStringBuilder(TestServer.Default.ConnectionString).Host;
        await using var connection = new PgConnection(settings.ConnectionString);
        await mode.Open(connection);
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Open));
    }

    // As the operating system says it of the file that the server has made.
    private static async Task<string> ServerUser()
    {
        var port = new PgConnectionStringBuilder(TestServer.Default.ConnectionString).Port;
        var start = new ProcessStartInfo("stat", ["-c", "%U", $"{TestServer.Default.SocketDirectory}/.s.PGSQL.{port}"]) { RedirectStandardOutput = true };
        using var stat = Process.Start(start)!;
        var user = (await stat.StandardOutput.ReadToEndAsync()).Trim();
        await stat.WaitForExitAsync();
        Assert.That(user, Is.Not.Empty);
        return user;
    }

    private static PgConnectionStringBuilder Settings(string user, string engine) => new(TestServer.Default.ConnectionString)
    {
        ["requirepeer"] = user,
        ["Async Engine"] = engine,
        Host = TestServer.Default.SocketDirectory,
        Pooling = false,
    };
}
