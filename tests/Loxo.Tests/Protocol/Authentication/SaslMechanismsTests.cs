using Loxo.Protocol.Authentication;

namespace Loxo.Tests.Protocol.Authentication;

public class SaslMechanismsTests
{
    private const string Plain = "SCRAM-SHA-256";
    private const string Plus = "SCRAM-SHA-256-PLUS";
    private static readonly byte[] Hash = new byte[32];

    // Offered, setting, TLS, certificate has a hash -> the header's first letter.
    [TestCase(new[] { Plain }, ChannelBinding.Prefer, false, false, "n,,")]
    [TestCase(new[] { Plain }, ChannelBinding.Disable, false, false, "n,,")]
    [TestCase(new[] { Plain }, ChannelBinding.Disable, true, true, "n,,")]
    [TestCase(new[] { Plain }, ChannelBinding.Prefer, true, true, "y,,")]
    [TestCase(new[] { Plain }, ChannelBinding.Prefer, true, false, "n,,")]
    [TestCase(new[] { Plus, Plain }, ChannelBinding.Disable, true, true, "n,,")]
    [TestCase(new[] { Plus, Plain }, ChannelBinding.Prefer, true, true, "p=tls-server-end-point,,")]
    [TestCase(new[] { Plain, Plus }, ChannelBinding.Prefer, true, true, "p=tls-server-end-point,,")]
    [TestCase(new[] { Plus, Plain }, ChannelBinding.Prefer, true, false, "n,,")]
    [TestCase(new[] { Plus, Plain }, ChannelBinding.Require, true, true, "p=tls-server-end-point,,")]
    [TestCase(new[] { Plus }, ChannelBinding.Prefer, true, true, "p=tls-server-end-point,,")]
    [TestCase(new[] { "OAUTHBEARER", Plain }, ChannelBinding.Prefer, false, false, "n,,")]
    public void The_strongest_permitted_mechanism_is_taken(string[] offered, ChannelBinding setting, bool overTls, bool hasHash, string header)
    {
        var binding = SaslMechanisms.Choose(offered, setting, overTls, hasHash ? Hash : null);

        Assert.Multiple(() =>
        {
            Assert.That(binding.Header, Is.EqualTo(header));
            Assert.That(binding.Mechanism, Is.EqualTo(header[0] == 'p' ? Plus : Plain));
            Assert.That(binding.Data, header[0] == 'p' ? Is.SameAs(Hash) : Is.Empty);
        });
    }

    [TestCase(new[] { Plain }, ChannelBinding.Require, false, false, "needs TLS, and this connection does not use it")]
    [TestCase(new[] { Plus, Plain }, ChannelBinding.Require, false, false, "needs TLS, and this connection does not use it")]
    [TestCase(new[] { Plain }, ChannelBinding.Require, true, true, "the server offers only SCRAM-SHA-256.")]
    [TestCase(new[] { Plus, Plain }, ChannelBinding.Require, true, false, "signature algorithm")]
    [TestCase(new[] { Plus }, ChannelBinding.Disable, true, true, "'Channel Binding=Disable' or a certificate without a hash algorithm rules out")]
    [TestCase(new[] { Plus }, ChannelBinding.Prefer, true, false, "'Channel Binding=Disable' or a certificate without a hash algorithm rules out")]
    [TestCase(new[] { "OAUTHBEARER", "PLAIN" }, ChannelBinding.Prefer, true, true, "offers the SASL mechanisms OAUTHBEARER, PLAIN; supported are")]
    [TestCase(new[] { "scram-sha-256" }, ChannelBinding.Prefer, false, false, "offers the SASL mechanisms scram-sha-256")]
    [TestCase(new string[0], ChannelBinding.Prefer, false, false, "offers the SASL mechanisms (none)")]
    public void What_is_not_permitted_or_not_supported_is_refused_with_what_to_change(
        string[] offered, ChannelBinding setting, bool overTls, bool hasHash, string reason)
    {
        var error = Assert.Throws<PgException>(() => SaslMechanisms.Choose(offered, setting, overTls, hasHash ? Hash : null))!;

        Assert.That(error.Message, Does.Contain(reason).And.EndWith("The connection has been closed."));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.AuthenticationNotSupported));
    }

    [TestCase(ChannelBinding.Prefer)]
    [TestCase(ChannelBinding.Disable)]
    public void An_offer_of_PLUS_without_TLS_means_that_somebody_removed_the_TLS(ChannelBinding setting)
    {
        var error = Assert.Throws<PgException>(() => SaslMechanisms.Choose([Plus, Plain], setting, overTls: false, endPointHash: null))!;

        Assert.That(error.Message, Does.Contain("something in between has removed it"));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.AuthenticationFailed));
    }
}
