using System.Net;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class AddressTextTests
{
    // Each as SELECT host('...') of PostgreSQL 15 shows it.
    [TestCase("192.168.0.1")]
    [TestCase("::")]
    [TestCase("::1")]
    [TestCase("1::")]
    [TestCase("fe80::1:0:0:1")]
    [TestCase("1:0:0:2::3")]
    [TestCase("1:0:2:3:4:5:6:7")]
    [TestCase("1:2:3:4:5:6::")]
    [TestCase("::1.2.3.4")]
    [TestCase("::ffff:1.2.3.4")]
    [TestCase("::ffff:0.0.0.1")]
    [TestCase("::ffff:0:102:304")]
    [TestCase("fe80::5efe:102:304")]
    [TestCase("2001:db8:85a3:8d3:1319:8a2e:370:7348")]
    public void An_address_is_shown_as_the_server_does(string text)
    {
        Assert.That(AddressParser.TryParse(text, isCidr: false, out var address, out var bits), Is.True);
        Assert.That(bits, Is.EqualTo(AddressText.BitsOf(address)));
        Assert.That(AddressText.Show(address), Is.EqualTo(text));
    }

    [TestCase("10.1.0.0", 16, true)]
    [TestCase("10.1.0.0", 15, false)]
    [TestCase("10.1.2.3", 32, true)]
    [TestCase("10.1.2.3", 31, false)]
    [TestCase("0.0.0.0", 0, true)]
    [TestCase("128.0.0.0", 1, true)]
    [TestCase("128.0.0.0", 0, false)]
    public void A_network_has_no_bits_beyond_its_netmask(string address, int bits, bool expected) =>
        Assert.That(AddressText.IsNetwork(IPAddress.Parse(address).GetAddressBytes(), bits), Is.EqualTo(expected));
}
