using System.Net;
using Loxo.Transport;

namespace Loxo.IntegrationTests;

/// <summary>The engine of the run takes the place of the default alone.</summary>
public sealed class EngineDialerTests
{
    private const int LoopsOfTheRun = 7;

    [TestCase("", LoopsOfTheRun)]
    [TestCase(";Async Engine=Auto", LoopsOfTheRun)]
    [TestCase(";Async Engine=Sockets", null)]
    [TestCase(";Async Engine=Reactor;Reactor Loops=2", 2)]
    public async Task An_engine_that_is_named_stays(string named, int? loops)
    {
        var settings = new PgConnectionStringBuilder("Host=h;Username=u" + named).ToSettings().Transport;
        var seen = new Noting();
        var dialer = new EngineDialer(seen, new ReactorSettings(LoopsOfTheRun, ReactorContinuations.ThreadPool));
        var remote = new IPEndPoint(IPAddress.Loopback, 1);
        dialer.Dial(settings, Deadline.None);
        await dialer.DialAsync(settings, Deadline.None, CancellationToken.None);
        dialer.Redial(remote, settings, Deadline.None);
        await dialer.RedialAsync(remote, settings, Deadline.None, CancellationToken.None);
        Assert.That(seen.Loops, Is.EqualTo(new[] { loops, loops, loops, loops }));
    }

    private sealed class Noting : Dialer
    {
        public List<int?> Loops { get; } = [];

        public override ByteChannel Dial(TransportSettings settings, Deadline deadline) => Note(settings);

        public override ValueTask<ByteChannel> DialAsync(TransportSettings settings, Deadline deadline, CancellationToken token) =>
            new(Note(settings));

        public override ByteChannel Redial(EndPoint remote, TransportSettings settings, Deadline deadline) => Note(settings);

        public override ValueTask<ByteChannel> RedialAsync(EndPoint remote, TransportSettings settings, Deadline deadline, CancellationToken token) =>
            new(Note(settings));

        private ByteChannel Note(TransportSettings settings)
        {
            Loops.Add(settings.Reactor?.Loops);
            return null!;
        }
    }
}
