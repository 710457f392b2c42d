using System.Formats.Asn1;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Loxo.Transport;

/// <summary>A list of revoked certificates (CRL, RFC 5280 section 5): .NET does not read them from files.</summary>
internal sealed class RevocationList
{
    private const string Label = "X509 CRL";

    private readonly HashSet<string> _revoked = [];
    private readonly byte[] _signed;
    private readonly byte[] _signature;
    private readonly string _algorithm;
    private readonly byte[] _issuer;

    private RevocationList(ReadOnlyMemory<byte> encoded)
    {
        var list = new AsnReader(encoded, AsnEncodingRules.DER).ReadSequence();
        _signed = list.PeekEncodedValue().ToArray();
        var content = list.ReadSequence();
        var algorithm = list.PeekEncodedValue();
        _algorithm = list.ReadSequence().ReadObjectIdentifier();
        _signature = list.ReadBitString(out var unusedBits);
        list.ThrowIfNotEmpty();
        if (content.PeekTag().HasSameClassAndValue(Asn1Tag.Integer))
            content.ReadInteger(); // the version
        // The algorithm stands within what is signed, too, and both are the same (RFC 5280, 5.1.1.2).
        if (!content.ReadEncodedValue().Span.SequenceEqual(algorithm.Span) || unusedBits != 0)
            throw new CryptographicException("A list is not signed in the way that it says.");
        _issuer = content.ReadEncodedValue().ToArray();
        From = ReadTime(content);
        Until = content.HasData && IsTime(content.PeekTag()) ? ReadTime(content) : DateTimeOffset.MaxValue;
        if (content.HasData && content.PeekTag().HasSameClassAndValue(Asn1Tag.Sequence))
            ReadRevoked(content.ReadSequence());
        if (content.HasData)
            RefuseCritical(content.ReadSequence(new Asn1Tag(TagClass.ContextSpecific, 0, isConstructed: true)).ReadSequence());
    }

    public DateTimeOffset From { get; }

    /// <summary>When the next list is due, and this one is not used any more.</summary>
    public DateTimeOffset Until { get; }

    /// <summary>The lists in a PEM text; other objects in it are passed over.</summary>
    /// <exception cref="CryptographicException">One is malformed, or means more than a plain list.</exception>
    public static List<RevocationList> ReadPem(string text) => PemBlocks.Read(text, Label, "list", Read);

    public bool IsOf(X509Certificate2 issuer) => issuer.SubjectName.RawData.AsSpan().SequenceEqual(_issuer);

    public bool Revokes(X509Certificate2 certificate) => _revoked.Contains(Serial(certificate.SerialNumberBytes.Span));

    public bool IsSignedBy(X509Certificate2 issuer)
    {
        if (HashOf(_algorithm) is not { } hash)
            return false;
        using var rsa = issuer.GetRSAPublicKey();
        if (rsa is not null)
            return rsa.VerifyData(_signed, _signature, hash, RSASignaturePadding.Pkcs1);
        using var ecdsa = issuer.GetECDsaPublicKey();
        return ecdsa is not null && ecdsa.VerifyData(_signed, _signature, hash, DSASignatureFormat.Rfc3279DerSequence);
    }

    private static RevocationList Read(byte[] encoded)
    {
        try
        {
            return new RevocationList(encoded);
        }
        catch (AsnContentException e)
        {
            throw new CryptographicException("A list is malformed.", e);
        }
    }

    private static HashAlgorithmName? HashOf(string algorithm) => algorithm switch
    {
        "1.2.840.113549.1.1.11" or "1.2.840.10045.4.3.2" => HashAlgorithmName.SHA256,
        "1.2.840.113549.1.1.12" or "1.2.840.10045.4.3.3" => HashAlgorithmName.SHA384,
        "1.2.840.113549.1.1.13" or "1.2.840.10045.4.3.4" => HashAlgorithmName.SHA512,
        _ => null,
    };

    private void ReadRevoked(AsnReader entries)
    {
        while (entries.HasData)
        {
            var entry = entries.ReadSequence();
            _revoked.Add(Serial(entry.ReadIntegerBytes().Span));
            ReadTime(entry);
            if (entry.HasData)
                RefuseCritical(entry.ReadSequence());
        }
    }

    // It would be about other certificates than the plain reading says: those of other issuers, or only a part of the issuer's.
    private static void RefuseCritical(AsnReader extensions)
    {
        while (extensions.HasData)
        {
            var extension = extensions.ReadSequence();
            var name = extension.ReadObjectIdentifier();
            if (extension.PeekTag().HasSameClassAndValue(Asn1Tag.Boolean) && extension.ReadBoolean())
                throw new CryptographicException($"A list has the critical extension {name}, which is not supported.");
        }
    }

    private static bool IsTime(Asn1Tag tag) =>
        tag.HasSameClassAndValue(Asn1Tag.UtcTime) || tag.HasSameClassAndValue(Asn1Tag.GeneralizedTime);

    private static DateTimeOffset ReadTime(AsnReader reader) =>
        reader.PeekTag().HasSameClassAndValue(Asn1Tag.UtcTime) ? reader.ReadUtcTime() : reader.ReadGeneralizedTime();

    private static string Serial(ReadOnlySpan<byte> bytes) => Convert.ToHexString(bytes.TrimStart((byte)0));
}
