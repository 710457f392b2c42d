using System.Net;

namespace Loxo.Tests.Types;

public class PgCidrTests
{
    [TestCase("10.0.0.0/8")]
    [TestCase("10.0.0.1/32")]
    [TestCase("2001:db8::/32")]
    [TestCase("::/0")]
    public void Its_text_is_read_back(string text)
    {
        Assert.That(PgCidr.Parse(text).ToString(), Is.EqualTo(text));
        Assert.That(PgCidr.Parse(text.AsSpan()), Is.EqualTo(PgCidr.Parse(text)));
    }

    [Test]
    public void It_is_an_IPNetwork_and_back()
    {
        var network = IPNetwork.Parse("10.0.0.0/8");
        Assert.That(new PgCidr(network).ToIPNetwork(), Is.EqualTo(network));
        Assert.That(default(PgCidr).ToIPNetwork(), Is.EqualTo(default(IPNetwork)));
    }

    [Test]
    public void Bits_beyond_the_netmask_are_refused_as_by_the_server()
    {
        Assert.That(() => new PgCidr(IPAddress.Parse("10.0.0.1"), 8), Throws.ArgumentException);
        Assert.That(() => new PgCidr(IPAddress.Parse("10.0.0.0"), 33), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(PgCidr.TryParse("10.0.0.1/8", null, out _), Is.False);
        Assert.That(() => PgCidr.Parse("10.0.0.1/8"), Throws.TypeOf<FormatException>().With.Message.Contains("192.168.0.0/24"));
    }

    [Test]
    public void It_is_equal_by_address_and_netmask()
    {
        Assert.That(PgCidr.Parse("10.0.0.0/8") == new PgCidr(IPAddress.Parse("10.0.0.0"), 8), Is.True);
        Assert.That(PgCidr.Parse("10.0.0.0/8") != PgCidr.Parse("10.0.0.0/9"), Is.True);
        Assert.That(PgCidr.Parse("10.0.0.0/8").GetHashCode(), Is.EqualTo(PgCidr.Parse("10.0.0.0/8").GetHashCode()));
        var (address, netmask) = PgCidr.Parse("10.0.0.0/8");
        Assert.That((address, netmask), Is.EqualTo((IPAddress.Parse("10.0.0.0"), (byte)8)));
    }
}
