using System.Net.Sockets;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

[Platform("Linux")]
public sealed class EpollTests
{
    [Test]
    public void Its_errors_have_the_codes_of_dotnet()
    {
        var epoll = new Epoll();
        using var nothing = new SafeSocketHandle(int.MaxValue, ownsHandle: false);
        var error = Assert.Throws<SocketException>(() => epoll.Watch(nothing, Epoll.Events.Readable, 1));
        Assert.That(error!.SocketErrorCode, Is.EqualTo(SocketError.Shutdown));
        Assert.That(() => epoll.Unwatch(nothing), Throws.TypeOf<SocketException>().With.Property("SocketErrorCode").EqualTo(SocketError.Shutdown));
    }
}
