using Loxo.Types;

namespace Loxo.Tests.Types;

public class MacAddressTextFormatTests
{
    [Test]
    public void A_MAC_address_is_its_bytes()
    {
        FormCheck.BothWays(new MacAddressTextFormat("macaddr", 6), "08:00:2b:01:02:ff", "08002b0102ff");
        FormCheck.BothWays(new MacAddressTextFormat("macaddr8", 8), "08:00:2b:01:02:03:04:05", "08002b0102030405");
        FormCheck.OnlyWhole(new MacAddressTextFormat("macaddr", 6), "08002b010203");
        Assert.That(FormCheck.ToBinary(new MacAddressTextFormat("macaddr", 6), "08-00-2B-01-02-FF"), Is.EqualTo("08002b0102ff"));
    }

    [TestCase("")]
    [TestCase("08:00:2b:01:02")]
    [TestCase("08:00:2b:01:02:0")]
    [TestCase("08:00:2b:01:02:0g")]
    [TestCase("08:00:2b:01:02:+1")]
    [TestCase("08.00.2b.01.02.03")]
    [TestCase("08:00:2b:01:02:03:04:05")]
    public void Other_text_is_refused(string text) => FormCheck.Refuses(new MacAddressTextFormat("macaddr", 6), text);
}
