using System.Net;
using System.Net.NetworkInformation;

namespace Loxo.Tests.Types;

public class NetworkCodecsTests
{
    [TestCase("02200004c0a80001", "192.168.0.1")]
    [TestCase("02180004c0a80000", "192.168.0.0/24")]
    [TestCase("0380001000000000000000000000000000000001", "::1")]
    [TestCase("03400010fe800000000000000000000000000001", "fe80::1/64")]
    public void An_inet_is_an_address_and_its_netmask(string hex, string text)
    {
        CodecCheck.BothWays("inet", PgInet.Parse(text), hex);
        CodecCheck.BothWays("inet", text, hex);
        CodecCheck.OnlyWhole<PgInet>("inet", hex);
        CodecCheck.OnlyWhole<IPAddress>("inet", hex);
    }

    [TestCase("02200004c0a80001", "192.168.0.1")]
    [TestCase("0380001000000000000000000000000000000001", "::1")]
    public void A_host_is_an_IPAddress(string hex, string text) => CodecCheck.BothWays("inet", IPAddress.Parse(text), hex);

    [Test]
    public void A_netmask_is_not_lost_without_a_word() =>
        Assert.That(() => CodecCheck.Read<IPAddress>("inet", "02180004c0a80001"), Throws.TypeOf<InvalidCastException>().With.Message.EqualTo(
            "The inet value 192.168.0.1/24, which has a netmask, cannot become IPAddress. Read it as PgInet, or take host(...) of it in SQL."));

    [Test]
    public void Without_a_wish_an_address_with_a_netmask_is_a_PgInet()
    {
        var type = CodecCheck.Type("inet");
        Assert.That((type.Default!.ReadObject(Convert.FromHexString("02180004c0a80001")), type.Default.UntypedType), Is.EqualTo((PgInet.Parse("192.168.0.1/24"), typeof(object))));
        Assert.That(type.Default.ReadObject(Convert.FromHexString("02200004c0a80001")), Is.EqualTo(IPAddress.Parse("192.168.0.1")));
        Assert.That(type.DefaultFor(Loxo.Protocol.FormatCode.Text)!.ReadObject("192.168.0.1/24"u8), Is.EqualTo(PgInet.Parse("192.168.0.1/24")));
    }

    [Test]
    public void A_scope_is_not_lost_without_a_word()
    {
        var address = new IPAddress(IPAddress.Parse("fe80::1").GetAddressBytes(), scopeid: 2);
        Assert.That(() => CodecCheck.Write("inet", address), Throws.TypeOf<InvalidCastException>().With.Message.Contains("which has a scope"));
    }

    [Test]
    public void An_address_of_a_type_that_nobody_can_name_is_written() =>
        Assert.That(CodecCheck.Type("inet").CodecForValue(IPAddress.Loopback)!.ValueType, Is.EqualTo(typeof(IPAddress)));

    [TestCase("020801040a000000", "10.0.0.0/8")]
    [TestCase("022001047f000001", "127.0.0.1/32")]
    [TestCase("0320011020010db8000000000000000000000000", "2001:db8::/32")]
    public void A_cidr_is_a_network(string hex, string text)
    {
        CodecCheck.BothWays("cidr", PgCidr.Parse(text), hex);
        CodecCheck.BothWays("cidr", IPNetwork.Parse(text), hex);
        CodecCheck.BothWays("cidr", text, hex);
        CodecCheck.OnlyWhole<PgCidr>("cidr", hex);
        CodecCheck.OnlyWhole<IPNetwork>("cidr", hex);
    }

    [TestCase("04200004c0a80001", "family")]
    [TestCase("02200010c0a80001000000000000000000000000", "family")]
    [TestCase("02210004c0a80001", "netmask")]
    [TestCase("03810010fe800000000000000000000000000001", "netmask")]
    public void Bytes_that_are_no_address_are_refused(string hex, string why)
    {
        Assert.That(() => CodecCheck.Read<PgInet>("inet", hex), Throws.TypeOf<PgException>().With.Message.Contains(why));
        Assert.That(() => CodecCheck.Read<IPNetwork>("cidr", hex), Throws.TypeOf<PgException>().With.Message.Contains(why));
    }

    [Test]
    public void A_cidr_with_bits_beyond_its_netmask_is_refused() =>
        Assert.That(() => CodecCheck.Read<IPNetwork>("cidr", "020801040a000001"), Throws.TypeOf<PgException>().With.Message.Contains("to the right of its netmask"));

    [Test]
    public void A_MAC_address_is_its_bytes()
    {
        CodecCheck.BothWays("macaddr", PhysicalAddress.Parse("08002B010203"), "08002b010203");
        CodecCheck.BothWays("macaddr8", PhysicalAddress.Parse("08002B0102030405"), "08002b0102030405");
        CodecCheck.BothWays("macaddr", "08:00:2b:01:02:03", "08002b010203");
        CodecCheck.OnlyWhole<PhysicalAddress>("macaddr", "08002b010203");
        CodecCheck.OnlyWhole<PhysicalAddress>("macaddr8", "08002b0102030405");
    }

    [Test]
    public void A_MAC_address_of_another_length_names_the_type_that_takes_it()
    {
        Assert.That(() => CodecCheck.Write("macaddr", PhysicalAddress.Parse("08002B0102030405")), Throws.TypeOf<InvalidCastException>().With.Message.Contains("Write it as macaddr8"));
        Assert.That(() => CodecCheck.Write("macaddr8", PhysicalAddress.Parse("08002B01")), Throws.TypeOf<InvalidCastException>());
        // The server makes 8 bytes of 6.
        Assert.That(CodecCheck.Write("macaddr8", PhysicalAddress.Parse("08002B010203")), Is.EqualTo("08002b010203"));
    }
}
