using System.Data;
using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Connecting;

/// <summary>Version 3.2 of the protocol with real servers: 18 speaks it, 15 does not.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class ProtocolVersionTests(WaitMode mode) : DatabaseTest(mode)
{
    private static bool ServerSpeaks32 => TestServer.Version >= 18;

    [Test]
    public async Task A_command_is_cancelled_whichever_version_was_agreed_on(
        [Values("max_protocol_version=3.0", "max_protocol_version=3.2", "max_protocol_version=latest", "min_protocol_version=3.2")] string version)
    {
        if (version.StartsWith("min", StringComparison.Ordinal) && !ServerSpeaks32)
            Assert.Ignore("This server speaks 3.0 only.");
        await using var connection = new PgConnection($"{TestServer.Default.ConnectionString};Pooling=false;{version}");
        await Mode.Open(connection);
        await using var command = new PgCommand("SELECT pg_sleep(600)", connection) { CommandTimeout = 1 };

        // Only a cancel request with the right key, which is as long as the version says, ends the command on the server.
        var error = await Catch<PgException>(() => Mode.ExecuteNonQuery(command));

        Assert.That((error.Code, connection.State), Is.EqualTo((PgErrorCode.Timeout, ConnectionState.Open)));
        Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 1", connection)), Is.EqualTo(1));
    }

    [Test]
    public async Task A_server_that_is_too_old_is_refused()
    {
        if (ServerSpeaks32)
            Assert.Ignore("This server speaks 3.2.");
        await using var connection = new PgConnection($"{TestServer.Default.ConnectionString};Pooling=false;min_protocol_version=3.2");

        var error = await Catch<PgException>(() => Mode.Open(connection));

        Assert.That(error.Message, Does.Contain("'min_protocol_version' asks for 3.2").And.Contain("PostgreSQL 18"));
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
    }
}
