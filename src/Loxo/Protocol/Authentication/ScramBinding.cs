namespace Loxo.Protocol.Authentication;

/// <summary>The channel-binding header of a SCRAM login (RFC 5802 section 6), and the mechanism that goes with it.</summary>
internal sealed class ScramBinding
{
    private ScramBinding(string mechanism, string header, byte[] data) => (Mechanism, Header, Data) = (mechanism, header, data);

    /// <summary>"I cannot, or do not want to."</summary>
    public static ScramBinding Unsupported { get; } = new(SaslMechanisms.ScramSha256, "n,,", []);

    /// <summary>"I could, but you did not offer it": a server that did offer it now knows that somebody removed the offer.</summary>
    public static ScramBinding NotOffered { get; } = new(SaslMechanisms.ScramSha256, "y,,", []);

    /// <summary>Bound to the server's certificate (tls-server-end-point, RFC 5929).</summary>
    public static ScramBinding ToCertificate(byte[] endPointHash) =>
        new(SaslMechanisms.ScramSha256Plus, "p=tls-server-end-point,,", endPointHash);

    public string Mechanism { get; }

    /// <summary>The GS2 header, which begins the client's first message and is repeated, protected, in its last.</summary>
    public string Header { get; }

    public byte[] Data { get; }
}
