using System.Net;
using Loxo.Transport;

namespace Loxo.IntegrationTests;

/// <summary>Connects every session of the run with the engine that <c>LOXO_TEST_ASYNC_ENGINE</c> names, unless its settings name one.</summary>
/// <param name="inner">Connects.</param>
/// <param name="reactor">The engine.</param>
internal sealed class EngineDialer(Dialer inner, ReactorSettings reactor) : Dialer
{
    public override ByteChannel Dial(TransportSettings settings, Deadline deadline) => inner.Dial(With(settings), deadline);

    public override ValueTask<ByteChannel> DialAsync(TransportSettings settings, Deadline deadline, CancellationToken token) =>
        inner.DialAsync(With(settings), deadline, token);

    public override ByteChannel Redial(EndPoint remote, TransportSettings settings, Deadline deadline) =>
        inner.Redial(remote, With(settings), deadline);

    public override ValueTask<ByteChannel> RedialAsync(EndPoint remote, TransportSettings settings, Deadline deadline, CancellationToken token) =>
        inner.RedialAsync(remote, With(settings), deadline, token);

    private TransportSettings With(TransportSettings settings) => settings.IsEngineGiven ? settings : settings with { Reactor = reactor };
}

/// <summary>Puts it in front of all dialers: <c>Inline</c> or <c>ThreadPool</c>, where the reactor's callers go on; empty for the default engine.</summary>
[SetUpFixture]
public sealed class EngineOfTheRun
{
    [OneTimeSetUp]
    public void Begin()
    {
        if (Environment.GetEnvironmentVariable("LOXO_TEST_ASYNC_ENGINE") is not { Length: > 0 } name)
            return;
        var reactor = new ReactorSettings(0, Enum.Parse<ReactorContinuations>(name));
        var former = Dialer.Wrapper;
        Dialer.Wrapper = dialer => new EngineDialer(former?.Invoke(dialer) ?? dialer, reactor);
    }
}
