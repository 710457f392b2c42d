using System.Data;
using Loxo.IntegrationTests.Chaos;

namespace Loxo.IntegrationTests.Connecting;

/// <summary>Opening ends by its one deadline, or by its token, wherever the other side falls silent.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class OpenTimeoutTests(WaitMode mode) : ChaosTest(mode)
{
    /// <summary>Where the server falls silent.</summary>
    public enum Silence
    {
        BeforeTlsAnswer,
        BeforeTlsHandshake,
        WithinTlsHandshake,
        BeforeAuthentication,
        WithinAuthentication,
        BeforeReadyForQuery,
    }

    private protected override string Direct => TestServer.Tls.ConnectionString;

    [Test]
    public async Task A_host_that_never_accepts_is_given_up_when_the_time_is_over()
    {
        using var hole = new BlackHole();
        using var connection = new PgConnection($"Host=127.0.0.1;Port={hole.Port};Username=u;Timeout=1");

        var error = await Error<PgException>(Start(() => Mode.Open(connection)));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        Assert.That(error.Message, Does.Contain("connecting to"));
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_server_that_falls_silent_is_given_up_when_the_time_is_over([Values] Silence silence)
    {
        Proxy.Plan = link => Hold(link, silence);
        var connection = Create(Settings(silence) + "Timeout=1");

        var error = await Error<PgException>(Start(() => Mode.Open(connection)));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout), error.ToString());
        Assert.That(error.InnerException, Is.InstanceOf<TimeoutException>());
        await AssertCanOpen(connection);
    }

    [Test]
    public async Task A_cancelled_token_ends_opening_at_once([Values] Silence silence)
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("Open takes no token.");
        var reached = new TaskCompletionSource<Gate>();
        Proxy.Plan = link => reached.TrySetResult(Hold(link, silence));
        var connection = Create(Settings(silence) + "Timeout=0");
        using var cancellation = new CancellationTokenSource();

        var opening = Start(() => connection.OpenAsync(cancellation.Token));
        await Finish((await Finish(reached.Task)).Reached);
        await cancellation.CancelAsync();

        var error = await Error<OperationCanceledException>(opening);
        Assert.That(error.CancellationToken, Is.EqualTo(cancellation.Token));
        await AssertCanOpen(connection);
    }

    [Test]
    public async Task A_server_that_closes_while_opening_is_reported([Values] Silence silence, [Values] bool reset)
    {
        var reached = new TaskCompletionSource<(Gate, ChaosLink)>();
        Proxy.Plan = link => reached.TrySetResult((Hold(link, silence), link));
        var connection = Create(Settings(silence));

        var opening = Start(() => Mode.Open(connection));
        var (gate, link) = await Finish(reached.Task);
        await Finish(gate.Reached);
        if (reset)
            link.Reset();
        else
            link.Cut();

        var error = await Error<PgException>(opening);
        var expected = silence is Silence.BeforeTlsHandshake or Silence.WithinTlsHandshake ? PgErrorCode.TlsFailed : PgErrorCode.ConnectionClosed;
        Assert.That(error.Code, Is.EqualTo(expected), error.ToString());
        await AssertCanOpen(connection);
    }

    [Test]
    public async Task A_login_that_arrives_byte_by_byte_works([Values("Disable", "Prefer", "Require")] string mode)
    {
        Proxy.Plan = link => link.ToClient.Chunk = link.ToServer.Chunk = 1;

        var (connection, _) = await Open($"SSL Mode={mode}");

        await AssertUsable(connection);
    }

    private static string Settings(Silence silence) => silence < Silence.BeforeAuthentication ? "SSL Mode=Require;" : "";

    // The answer to SSLRequest is one byte; an authentication message begins with its type and four bytes of length.
    private static Gate Hold(ChaosLink link, Silence silence) => silence switch
    {
        Silence.BeforeTlsAnswer or Silence.BeforeAuthentication => link.ToClient.GateAfterBytes(0),
        Silence.BeforeTlsHandshake => link.ToClient.GateAfterBytes(1),
        Silence.WithinTlsHandshake => link.ToClient.GateAfterBytes(100),
        Silence.WithinAuthentication => link.ToClient.GateAfterBytes(3),
        _ => link.ToClient.GateAfterMessage('K'),
    };

    private async Task AssertCanOpen(PgConnection connection)
    {
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
        Proxy.Plan = null;
        await Start(() => Mode.Open(connection));
        await AssertUsable(connection);
    }
}
