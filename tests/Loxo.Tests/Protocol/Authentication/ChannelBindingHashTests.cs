using System.Formats.Asn1;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Loxo.Protocol.Authentication;

namespace Loxo.Tests.Protocol.Authentication;

public class ChannelBindingHashTests
{
    // Made once: an RSA key takes a third of a second.
    private readonly RSA _rsa = RSA.Create(2048);

    [OneTimeTearDown]
    public void DisposeKey() => _rsa.Dispose();

    // signatureAlgorithm of the certificate -> the hash of tls-server-end-point.
    [TestCase("1.2.840.113549.1.1.4", "SHA256", TestName = "RSA with MD5")]
    [TestCase("1.2.840.113549.1.1.5", "SHA256", TestName = "RSA with SHA-1")]
    [TestCase("1.2.840.113549.1.1.11", "SHA256", TestName = "RSA with SHA-256")]
    [TestCase("1.2.840.113549.1.1.12", "SHA384", TestName = "RSA with SHA-384")]
    [TestCase("1.2.840.113549.1.1.13", "SHA512", TestName = "RSA with SHA-512")]
    [TestCase("1.2.840.10045.4.1", "SHA256", TestName = "ECDSA with SHA-1")]
    [TestCase("1.2.840.10045.4.3.2", "SHA256", TestName = "ECDSA with SHA-256")]
    [TestCase("1.2.840.10045.4.3.3", "SHA384", TestName = "ECDSA with SHA-384")]
    [TestCase("1.2.840.10045.4.3.4", "SHA512", TestName = "ECDSA with SHA-512")]
    [TestCase("1.2.840.10040.4.3", "SHA256", TestName = "DSA with SHA-1")]
    [TestCase("2.16.840.1.101.3.4.3.2", "SHA256", TestName = "DSA with SHA-256")]
    [TestCase("2.16.840.1.101.3.4.3.14", "SHA3-256", TestName = "RSA with SHA3-256")]
    [TestCase("2.16.840.1.101.3.4.3.15", "SHA3-384", TestName = "RSA with SHA3-384")]
    [TestCase("2.16.840.1.101.3.4.3.12", "SHA3-512", TestName = "ECDSA with SHA3-512")]
    public void The_certificate_is_hashed_by_its_signature_algorithm(string oid, string hash)
    {
        using var certificate = SignedWith(oid);
        var isAvailable = !hash.StartsWith("SHA3", StringComparison.Ordinal) || SHA3_256.IsSupported;

        Assert.That(ChannelBindingHash.ServerEndPoint(certificate), Is.EqualTo(isAvailable ? HashOf(certificate, hash) : null));
    }

    [TestCase("1.3.101.112", TestName = "Ed25519")]
    [TestCase("1.2.840.113549.1.1.14", TestName = "RSA with SHA-224")]
    [TestCase("1.2.840.10045.4.3.1", TestName = "ECDSA with SHA-224")]
    [TestCase("1.2.3.4", TestName = "an algorithm nobody knows")]
    public void Without_a_known_hash_there_is_nothing_to_bind_to(string oid)
    {
        using var certificate = SignedWith(oid);

        Assert.That(ChannelBindingHash.ServerEndPoint(certificate), Is.Null);
    }

    [TestCase("SHA256")]
    [TestCase("SHA384")]
    [TestCase("SHA512")]
    public void RSA_PSS_names_its_hash_in_its_parameters(string hash)
    {
        var request = new CertificateRequest("CN=server", _rsa, new HashAlgorithmName(hash), RSASignaturePadding.Pss);
        using var certificate = request.CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(50));

        Assert.That(ChannelBindingHash.ServerEndPoint(certificate), Is.EqualTo(HashOf(certificate, hash)));
    }

    [Test]
    public void RSA_PSS_without_parameters_means_SHA_1_and_so_SHA_256()
    {
        using var certificate = SignedWith("1.2.840.113549.1.1.10", writer => writer.WriteEncodedValue([0x30, 0]));

        Assert.That(ChannelBindingHash.ServerEndPoint(certificate), Is.EqualTo(HashOf(certificate, "SHA256")));
    }

    [Test]
    public void Malformed_parameters_of_RSA_PSS_leave_nothing_to_bind_to()
    {
        using var certificate = SignedWith("1.2.840.113549.1.1.10", writer => writer.WriteNull());

        Assert.That(ChannelBindingHash.ServerEndPoint(certificate), Is.Null);
    }

    [Test]
    public void A_real_ECDSA_certificate_is_hashed()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using var certificate = new CertificateRequest("CN=server", key, HashAlgorithmName.SHA384)
            .CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(50));

        Assert.That(ChannelBindingHash.ServerEndPoint(certificate), Is.EqualTo(SHA384.HashData(certificate.RawData)));
    }

    private static byte[] HashOf(X509Certificate2 certificate, string hash) =>
        CryptographicOperations.HashData(new HashAlgorithmName(hash), certificate.RawData);

    /// <summary>A certificate that claims to be signed with an algorithm; nobody checks the signature here.</summary>
    private static X509Certificate2 SignedWith(string oid, Action<AsnWriter>? parameters = null)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=server", key, HashAlgorithmName.SHA256);
        return request.Create(
            request.SubjectName, new ClaimedSignature(oid, parameters), DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(50), [1]);
    }

    private sealed class ClaimedSignature(string oid, Action<AsnWriter>? parameters) : X509SignatureGenerator
    {
        public override byte[] GetSignatureAlgorithmIdentifier(HashAlgorithmName hashAlgorithm)
        {
            var writer = new AsnWriter(AsnEncodingRules.DER);
            using (writer.PushSequence())
            {
                writer.WriteObjectIdentifier(oid);
                parameters?.Invoke(writer);
            }
            return writer.Encode();
        }

        public override byte[] SignData(byte[] data, HashAlgorithmName hashAlgorithm) => [1, 2, 3];

        protected override PublicKey BuildPublicKey() => throw new NotSupportedException("The request has the public key.");
    }
}
