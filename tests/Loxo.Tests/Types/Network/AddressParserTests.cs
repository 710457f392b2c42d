using System.Net;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class AddressParserTests
{
    [TestCase("10.1.2.3/8", "10.1.2.3", 8)]
    [TestCase("10.1.2.3/0", "10.1.2.3", 0)]
    [TestCase("::1/128", "::1", 128)]
    [TestCase("10/8", "10.0.0.0", 8)]
    [TestCase("10.1/23", "10.1.0.0", 23)]
    [TestCase("010.001.2.03", "10.1.2.3", 32)]
    [TestCase("10.1.2.3/08", "10.1.2.3", 8)]
    [TestCase("1::2:3", "1::2:3", 128)]
    [TestCase("1:2:3:4:5:6:7::/64", "1:2:3:4:5:6:7:0", 64)]
    [TestCase("::FFFF:1.2.3.4", "::ffff:1.2.3.4", 128)]
    public void An_address_is_read_as_the_server_does(string text, string address, int bits)
    {
        Assert.That(AddressParser.TryParse(text, isCidr: false, out var read, out var netmask), Is.True);
        Assert.That((read, netmask), Is.EqualTo((IPAddress.Parse(address), (byte)bits)));
    }

    [Test]
    public void The_bits_of_a_network_may_go_beyond_its_numbers()
    {
        Assert.That(AddressParser.TryParse("200/25", isCidr: true, out var address, out var bits), Is.True);
        Assert.That((address.ToString(), bits), Is.EqualTo(("200.0.0.0", (byte)25)));
        Assert.That(AddressParser.TryParse("200/25", isCidr: false, out _, out _), Is.False);
    }

    // All but the first few are addresses to .NET.
    [TestCase("")]
    [TestCase("host")]
    [TestCase("10.1.2.3/33")]
    [TestCase("10.1.2.3.4/8")]
    [TestCase("10.1.2.256")]
    [TestCase("::1/129")]
    [TestCase("::1/08")]
    [TestCase("10.1.2.3/")]
    [TestCase("10.1.2.3/-1")]
    [TestCase("10.1.2.3/+1")]
    [TestCase(" 10.1.2.3")]
    [TestCase("1")]
    [TestCase("10.1")]
    [TestCase("0x10.1.2.3")]
    [TestCase("[::1]")]
    [TestCase("fe80::1%2")]
    [TestCase("1:2:3:4:5:6:7")]
    [TestCase("1:2:3:4:5:6:7:8::")]
    [TestCase("1::2::3")]
    [TestCase("12345::")]
    [TestCase("1.2.3.4::")]
    [TestCase("::1.2.3.04")]
    [TestCase(":")]
    public void What_is_no_address_to_the_server_is_refused(string text) => Assert.That(AddressParser.TryParse(text, isCidr: false, out _, out _), Is.False);
}
