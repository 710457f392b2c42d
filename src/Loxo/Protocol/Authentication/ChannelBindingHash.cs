using System.Formats.Asn1;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Loxo.Protocol.Authentication;

/// <summary>The channel binding data tls-server-end-point (RFC 5929 section 4): a hash of the server's certificate.</summary>
internal static class ChannelBindingHash
{
    private const string RsaPss = "1.2.840.113549.1.1.10";

    /// <summary>Null if the signature has no hash of its own (Ed25519) or one that is not available here (SHA-224).</summary>
    public static byte[]? ServerEndPoint(X509Certificate2 certificate)
    {
        var signature = certificate.SignatureAlgorithm.Value;
        var hash = signature == RsaPss ? HashOfDigest(PssDigest(certificate.RawDataMemory)) : HashOfSignature(signature);
        return hash is { } name && IsAvailable(name) ? CryptographicOperations.HashData(name, certificate.RawDataMemory.Span) : null;
    }

    private static HashAlgorithmName? HashOfSignature(string? signatureOid) => signatureOid switch
    {
        "1.2.840.113549.1.1.4" // RSA with MD5
            or "1.2.840.113549.1.1.5" or "1.2.840.10045.4.1" or "1.2.840.10040.4.3" // RSA, ECDSA, DSA with SHA-1
            or "1.2.840.113549.1.1.11" or "1.2.840.10045.4.3.2" or "2.16.840.1.101.3.4.3.2" => HashAlgorithmName.SHA256,
        "1.2.840.113549.1.1.12" or "1.2.840.10045.4.3.3" or "2.16.840.1.101.3.4.3.3" => HashAlgorithmName.SHA384,
        "1.2.840.113549.1.1.13" or "1.2.840.10045.4.3.4" or "2.16.840.1.101.3.4.3.4" => HashAlgorithmName.SHA512,
        "2.16.840.1.101.3.4.3.14" or "2.16.840.1.101.3.4.3.10" or "2.16.840.1.101.3.4.3.6" => HashAlgorithmName.SHA3_256,
        "2.16.840.1.101.3.4.3.15" or "2.16.840.1.101.3.4.3.11" or "2.16.840.1.101.3.4.3.7" => HashAlgorithmName.SHA3_384,
        "2.16.840.1.101.3.4.3.16" or "2.16.840.1.101.3.4.3.12" or "2.16.840.1.101.3.4.3.8" => HashAlgorithmName.SHA3_512,
        _ => null,
    };

    private static HashAlgorithmName? HashOfDigest(string? digestOid) => digestOid switch
    {
        "1.2.840.113549.2.5" or "1.3.14.3.2.26" or "2.16.840.1.101.3.4.2.1" => HashAlgorithmName.SHA256,
        "2.16.840.1.101.3.4.2.2" => HashAlgorithmName.SHA384,
        "2.16.840.1.101.3.4.2.3" => HashAlgorithmName.SHA512,
        "2.16.840.1.101.3.4.2.8" => HashAlgorithmName.SHA3_256,
        "2.16.840.1.101.3.4.2.9" => HashAlgorithmName.SHA3_384,
        "2.16.840.1.101.3.4.2.10" => HashAlgorithmName.SHA3_512,
        _ => null,
    };

    /// <summary>The digest in the parameters of RSASSA-PSS (RFC 4055 section 3.1); SHA-1 when left out, null if malformed.</summary>
    private static string? PssDigest(ReadOnlyMemory<byte> certificate)
    {
        const string sha1 = "1.3.14.3.2.26";
        try
        {
            var fields = new AsnReader(certificate, AsnEncodingRules.DER).ReadSequence();
            fields.ReadEncodedValue(); // what is signed
            var algorithm = fields.ReadSequence();
            algorithm.ReadObjectIdentifier();
            var parameters = algorithm.ReadSequence();
            var digestTag = new Asn1Tag(TagClass.ContextSpecific, 0, isConstructed: true);
            if (!parameters.HasData || parameters.PeekTag() != digestTag)
                return sha1;
            return parameters.ReadSequence(digestTag).ReadSequence().ReadObjectIdentifier();
        }
        catch (AsnContentException)
        {
            return null;
        }
    }

    // SHA-3 depends on the system's library.
    private static bool IsAvailable(HashAlgorithmName hash) => hash.Name switch
    {
        "SHA3-256" => SHA3_256.IsSupported,
        "SHA3-384" => SHA3_384.IsSupported,
        "SHA3-512" => SHA3_512.IsSupported,
        _ => true,
    };
}
