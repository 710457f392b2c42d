using Loxo.IntegrationTests.Chaos;

namespace Loxo.IntegrationTests.Cancellation;

/// <summary>A session that speaks TLS is cancelled over TLS: the key that allows it never travels in clear.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class EncryptedCancelTests(WaitMode mode) : ChaosTest(mode)
{
    private protected override string Direct => TestServer.Tls.ConnectionString;

    [Test]
    public async Task A_cancel_request_is_encrypted_when_the_session_is()
    {
        var (connection, _) = await Open("SSL Mode=Require");
        using var command = new PgCommand("SELECT pg_sleep(600)", connection) { CommandTimeout = 1 };

        var error = await Error<PgException>(Start(() => Mode.ExecuteNonQuery(command)));

        Assert.That(error.Message, Does.Contain("can be used"));
        var cancel = await Finish(Proxy.Link(1));
        await Finish(cancel.Ended);
        Assert.That(cancel.ToServer.IsEncrypted, "the cancel request went in clear");
        await AssertUsable(connection);
    }

    [Test]
    public async Task A_cancel_request_is_not_sent_in_clear_when_TLS_is_refused_to_it()
    {
        var (connection, _) = await Open("SSL Mode=Require;Cancellation Timeout=300");
        // Somebody in between, who answers "no TLS here" to the cancel request's connection.
        Proxy.Plan = link => link.ToClient.Forge = "N"u8.ToArray();
        using var command = new PgCommand("SELECT pg_sleep(600)", connection) { CommandTimeout = 1 };

        await Error<PgException>(Start(() => Mode.ExecuteNonQuery(command)));

        var cancel = await Finish(Proxy.Link(1));
        await Finish(cancel.Ended);
        Assert.That(cancel.ToServer.Passed, Is.EqualTo(8), "nothing but the SSLRequest may be sent");
        await AssertClosedButReusable(connection);
    }
}
