using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

public sealed class RevocationListTests
{
    private static readonly X509Certificate2 _authority = Authority();

    [Test]
    public void The_certificates_of_a_list_are_revoked_and_no_others()
    {
        byte[][] serials = [[1], [0x7F, 0xFF], [0x00, 0x80], [0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0, 0x12, 0x34, 0x56, 0x78]];
        foreach (var serial in serials)
        {
            var list = RevocationList.ReadPem(Pem(Encoded(serial))).Single();

            Assert.That(serials.Select(other => list.Revokes(Certificate(other))), Is.EqualTo(serials.Select(other => other == serial)));
        }
    }

    [TestCase("SHA256"), TestCase("SHA384"), TestCase("SHA512")]
    public void A_signature_is_checked(string hash)
    {
        foreach (var authority in new[] { _authority, Authority(RSA.Create(2048)) })
        {
            var encoded = Encoded(authority, new HashAlgorithmName(hash), [1]);
            var list = RevocationList.ReadPem(Pem(encoded)).Single();
            Assert.That((list.IsOf(authority), list.IsSignedBy(authority)), Is.EqualTo((true, true)));

            var impostor = authority.GetRSAPublicKey() is null ? Authority() : Authority(RSA.Create(2048));
            Assert.That((list.IsOf(impostor), list.IsSignedBy(impostor)), Is.EqualTo((true, false)), "the name alone proves nothing");
            encoded[^1] ^= 1;
            Assert.That(RevocationList.ReadPem(Pem(encoded)).Single().IsSignedBy(authority), Is.False);
        }
    }

    [Test]
    public void A_text_may_hold_several_lists_and_other_objects()
    {
        var text = "# lists\n" + Pem(Encoded([1])) + _authority.ExportCertificatePem() + "\n" + Pem(Encoded([2])) + "end";

        Assert.That(RevocationList.ReadPem(text), Has.Count.EqualTo(2));
        Assert.That(RevocationList.ReadPem(""), Is.Empty);
    }

    [Test]
    public void A_list_without_entries_and_a_list_without_an_end_are_read()
    {
        var list = RevocationList.ReadPem(Pem(Encoded())).Single();

        Assert.That(list.Revokes(Certificate([1])), Is.False);
        Assert.That(list.From, Is.LessThan(DateTimeOffset.UtcNow));
        Assert.That(list.Until, Is.GreaterThan(DateTimeOffset.UtcNow));
    }

    [Test]
    public void A_list_that_is_cut_or_changed_is_malformed_or_not_signed()
    {
        var encoded = Encoded([1], [2]);
        for (var length = 0; length < encoded.Length; length++)
            Assert.That(() => RevocationList.ReadPem(Pem(encoded[..length])), Throws.InstanceOf<CryptographicException>(), $"the first {length} bytes");
        for (var bit = 0; bit < 8 * encoded.Length; bit++)
        {
            var changed = encoded.ToArray();
            changed[bit / 8] ^= (byte)(1 << (bit % 8));
            try
            {
                var list = RevocationList.ReadPem(Pem(changed)).Single();
                Assert.That(list.IsOf(_authority) && list.IsSignedBy(_authority), Is.False, $"bit {bit}");
            }
            catch (CryptographicException)
            {
                // Refused, which is as good.
            }
        }
    }

    private static string Pem(byte[] encoded) => PemEncoding.WriteString("X509 CRL", encoded) + "\n";

    private static byte[] Encoded(params byte[][] serials) => Encoded(_authority, HashAlgorithmName.SHA256, serials);

    private static byte[] Encoded(X509Certificate2 authority, HashAlgorithmName hash, params byte[][] serials)
    {
        var builder = new CertificateRevocationListBuilder();
        foreach (var serial in serials)
            builder.AddEntry(serial);
        return builder.Build(authority, 1, DateTimeOffset.UtcNow.AddDays(1), hash, RSASignaturePadding.Pkcs1, DateTimeOffset.UtcNow.AddDays(-1));
    }

    private static X509Certificate2 Certificate(byte[] serial)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        return new CertificateRequest("CN=x", key, HashAlgorithmName.SHA256).Create(_authority, _authority.NotBefore, _authority.NotAfter, serial);
    }

    private static X509Certificate2 Authority(RSA? rsa = null)
    {
        var request = rsa is null
            ? new CertificateRequest("CN=authority", ECDsa.Create(ECCurve.NamedCurves.nistP256), HashAlgorithmName.SHA256)
            : new CertificateRequest("CN=authority", rsa, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, critical: true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.CrlSign, critical: true));
        request.CertificateExtensions.Add(new X509SubjectKeyIdentifierExtension(request.PublicKey, critical: false));
        return request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-2), DateTimeOffset.UtcNow.AddDays(30));
    }
}
