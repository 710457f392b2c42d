using System.Net;
using System.Net.Sockets;
using Loxo.IntegrationTests.Chaos;
using Loxo.Tests.ConnectionStrings;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>Connecting where the system has nothing left for a loop.</summary>
[TestFixture(true), TestFixture(false)]
[Platform("Linux"), NonParallelizable] // counts the handles of the process
public sealed class SocketDialerTests(bool blocks)
{
    private const int Tries = 50;

    // An array has no room for so many loops, which fails like a thread that the system does not have.
    private static readonly ReactorSettings _tooMany = new(int.MaxValue, ReactorContinuations.Inline);

    [Test]
    public async Task Without_a_loop_the_connection_fails_like_any_other_and_keeps_no_handle(
        [Values("h:5432", "/run/.s.PGSQL.5432")] string name)
    {
        var settings = Given.Settings("Host=" + (name[0] == '/' ? "/run" : "h")).Transport with { Reactor = _tooMany };
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(Tries);
        var before = Sockets();
        for (var i = 0; i < Tries; i++)
        {
            var error = await Catch(() => Connect(listener.LocalEndPoint!, settings));
            Assert.That(error, Has.InnerException.InstanceOf<OutOfMemoryException>());
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
            Assert.That(error.Message, Does.StartWith($"Could not connect to {name}: "));
        }
        Assert.That(Sockets(), Is.LessThan(before + Tries));
    }

    [Test, Category("Slow")]
    public async Task An_address_of_which_the_kernel_gives_up_was_not_given_up_by_Timeout()
    {
        using var hole = new BlackHole();
        var settings = Given.Settings("Host=h").Transport with { TcpUserTimeout = 100 };
        var error = await Catch(() => Connect(new IPEndPoint(IPAddress.Loopback, hole.Port), settings));
        Assert.That((error.Code, error.Message), Is.EqualTo((PgErrorCode.ConnectionClosed, "Could not connect to h:5432: Connection timed out.")));
    }

    [Test]
    public async Task A_path_that_is_too_long_for_a_Unix_socket_is_said_to_be([Values] bool isAbstract, [Values] bool hasReactor)
    {
        var host = (isAbstract ? "@" : "/") + new string('x', 120);
        var settings = Given.Settings($"Host={host}").Transport with { Reactor = hasReactor ? new ReactorSettings(1, ReactorContinuations.Inline) : null };
        var dialer = new SocketDialer(TimeProvider.System);
        var error = await Catch(async () => _ = blocks
            ? dialer.Dial(settings, Deadline.None)
            : await dialer.DialAsync(settings, Deadline.None, CancellationToken.None));
        Assert.That((error.Code, error.Message), Is.EqualTo((PgErrorCode.ConnectionRefused,
            $"Could not connect to the Unix socket {host}/.s.PGSQL.5432: its path has 135 bytes, which is more than the system allows. Name a shorter directory in 'Host'.")));
    }

    private static int Sockets() => new DirectoryInfo("/proc/self/fd").EnumerateFiles()
        .Count(static file => file.LinkTarget?.StartsWith("socket:", StringComparison.Ordinal) == true);

    private static async Task<PgException> Catch(Func<Task> work)
    {
        try
        {
            await work();
        }
        catch (PgException e)
        {
            return e;
        }
        throw new AssertionException("Nothing was thrown.");
    }

    private async Task Connect(EndPoint server, TransportSettings settings)
    {
        var dialer = new SocketDialer(TimeProvider.System);
        using var channel = blocks
            ? dialer.DialAny([server], settings, Deadline.None)
            : await dialer.DialAnyAsync([server], settings, Deadline.None, CancellationToken.None);
    }
}
