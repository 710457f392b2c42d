using Loxo.Types.TextFormat;

namespace Loxo.Tests.Types.TextFormat;

public class NetworkRenderingsTests
{
    [TestCase("02200004c0a80001", "192.168.0.1")]
    [TestCase("02180004c0a80000", "192.168.0.0/24")]
    [TestCase("020801040a000000", "10.0.0.0/8")]
    [TestCase("0380001000000000000000000000000000000001", "::1")]
    [TestCase("03400010fe800000000000000000000000000001", "fe80::1/64")]
    [TestCase("022001047f000001", "127.0.0.1/32")]
    public void An_address_has_its_network_unless_it_is_a_host(string hex, string text)
    {
        FormCheck.Shows(new NetworkRendering("inet"), hex, text);
        FormCheck.OnlyWhole(new NetworkRendering("inet"), hex);
    }

    [TestCase("04200004c0a80001")]
    [TestCase("02200010c0a80001000000000000000000000000")]
    public void An_unknown_family_is_refused(string hex) =>
        Assert.That(() => new NetworkRendering("inet").ToText(Convert.FromHexString(hex)), Throws.TypeOf<PgException>().With.Message.Contains("family"));

    [Test]
    public void A_MAC_address_is_its_bytes()
    {
        FormCheck.Shows(new MacAddressRendering("macaddr", 6), "08002b010203", "08:00:2b:01:02:03");
        FormCheck.Shows(new MacAddressRendering("macaddr8", 8), "08002b0102030405", "08:00:2b:01:02:03:04:05");
        FormCheck.OnlyWhole(new MacAddressRendering("macaddr", 6), "08002b010203");
    }
}
