using System.Net;
using System.Net.Sockets;
using Loxo.IntegrationTests.Chaos;
using Loxo.Transport;

namespace Loxo.IntegrationTests.Hosts;

/// <summary>A name with several addresses, some of which lead nowhere. Without a time limit: whoever waits for one of them waits for ever.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class AddressTests(WaitMode mode)
{
    private readonly SocketDialer _dialer = new(TimeProvider.System);
    private readonly TransportSettings _settings = new PgConnectionStringBuilder("Host=several;Username=u").ToSettings().Transport;

    private BlackHole _hole = null!;
    private TcpListener _server = null!;
    private IPEndPoint _closed = null!;

    private IPEndPoint Silent => new(IPAddress.Loopback, _hole.Port);

    [SetUp]
    public void SetUp()
    {
        _hole = new BlackHole();
        _server = new TcpListener(IPAddress.Loopback, 0);
        _server.Start();
        using var closed = new TcpListener(IPAddress.Loopback, 0);
        closed.Start();
        _closed = (IPEndPoint)closed.LocalEndpoint;
    }

    [TearDown]
    public void TearDown()
    {
        _hole.Dispose();
        _server.Dispose();
        WaitModeCalls.AssertNoneUsedItsContext();
    }

    [Test]
    public async Task The_address_that_answers_is_taken_whatever_the_others_do()
    {
        foreach (var addresses in new EndPoint[][]
        {
            [_closed, _server.LocalEndpoint], [Silent, _server.LocalEndpoint], [Silent, Silent, _closed, _server.LocalEndpoint],
            [_closed, Silent, _server.LocalEndpoint], [_server.LocalEndpoint, Silent],
        })
        {
            using var channel = await Dial(addresses, Deadline.None);
            Assert.That(channel.Remote, Is.EqualTo(_server.LocalEndpoint));
            using var accepted = await _server.AcceptSocketAsync();
            accepted.Send("hello"u8);
            Assert.That(channel.Wait(Readiness.Readable, 60_000), Is.EqualTo(Readiness.Readable), "it can be used");
        }
    }

    [Test]
    public async Task The_error_is_that_of_the_first_address()
    {
        var error = await Catch(() => Dial([_closed, _closed], Deadline.None));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionRefused));

        error = await Catch(() => Dial([Silent, Silent, Silent], Deadline.In(TimeSpan.FromSeconds(1), TimeProvider.System)));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
    }

    private static async Task<PgException> Catch(Func<Task> action)
    {
        try
        {
            await action();
        }
        catch (PgException expected)
        {
            return expected;
        }
        throw new AssertionException("Nothing was thrown.");
    }

    private Task<ByteChannel> Dial(EndPoint[] addresses, Deadline limit) => mode.Run(
        () => _dialer.DialAny([.. addresses], _settings, limit),
        () => _dialer.DialAnyAsync([.. addresses], _settings, limit, CancellationToken.None).AsTask());
}
