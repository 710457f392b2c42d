using System.Net;

namespace Loxo.Tests.Types;

public class PgInetTests
{
    [Test]
    public void Without_a_netmask_it_is_a_host()
    {
        PgInet host = IPAddress.Loopback;
        Assert.That((host.Address, host.Netmask, host.IsHost), Is.EqualTo((IPAddress.Loopback, (byte)32, true)));
        Assert.That(new PgInet(IPAddress.IPv6Loopback).Netmask, Is.EqualTo(128));
        Assert.That(new PgInet(IPAddress.Loopback, 8).IsHost, Is.False);
    }

    [TestCase("192.168.0.1")]
    [TestCase("192.168.0.1/24")]
    [TestCase("::1/0")]
    public void Its_text_is_read_back(string text)
    {
        Assert.That(PgInet.Parse(text).ToString(), Is.EqualTo(text));
        Assert.That(PgInet.Parse(text.AsSpan()), Is.EqualTo(PgInet.Parse(text)));
    }

    [Test]
    public void A_netmask_of_all_bits_goes_without_saying() => Assert.That(PgInet.Parse("10.0.0.1/32").ToString(), Is.EqualTo("10.0.0.1"));

    [Test]
    public void What_is_no_address_is_refused()
    {
        Assert.That(PgInet.TryParse("10.0.0.1/33", null, out var none), Is.False);
        Assert.That(none, Is.EqualTo(default(PgInet)));
        Assert.That(PgInet.TryParse((string?)null, null, out _), Is.False);
        Assert.That(() => PgInet.Parse("x"), Throws.TypeOf<FormatException>()
            .With.Message.EqualTo("The text 'x' is not a value of PgInet, which looks like 192.168.0.1/24."));
        Assert.That(() => new PgInet(IPAddress.Loopback, 33), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => new PgInet((IPAddress)null!), Throws.ArgumentNullException);
        Assert.That(() => new PgInet(null!, 0), Throws.ArgumentNullException);
    }

    [Test]
    public void It_is_equal_by_address_and_netmask()
    {
        var inet = new PgInet(IPAddress.Parse("10.0.0.1"), 8);
        Assert.That(inet == new PgInet(IPAddress.Parse("10.0.0.1"), 8), Is.True);
        Assert.That(inet.GetHashCode(), Is.EqualTo(new PgInet(IPAddress.Parse("10.0.0.1"), 8).GetHashCode()));
        Assert.That(inet != new PgInet(IPAddress.Parse("10.0.0.1"), 9), Is.True);
        Assert.That(inet.Equals((object)new PgInet(IPAddress.Parse("10.0.0.2"), 8)), Is.False);
        Assert.That(default(PgInet).ToString(), Is.EqualTo("0.0.0.0/0"));
    }

    [Test]
    public void It_comes_apart()
    {
        var (address, netmask) = PgInet.Parse("10.0.0.1/8");
        Assert.That((address, netmask), Is.EqualTo((IPAddress.Parse("10.0.0.1"), (byte)8)));
    }
}
