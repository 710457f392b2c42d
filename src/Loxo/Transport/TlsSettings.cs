using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Loxo.Transport;

/// <summary>How TLS is used: what the connection string says, and what the program has added in code.</summary>
internal sealed record TlsSettings
{
    /// <summary>The mode, which follows from a root certificate where it was not given.</summary>
    public required SslMode Mode { get; init; }

    /// <summary>Whether the mode was given, and not left to its default.</summary>
    public bool IsModeGiven { get; init; }

    public required SslNegotiation Negotiation { get; init; }

    /// <summary>A PEM file with the authorities to trust instead of the system's; null trusts the system's.</summary>
    public required string? RootCertificate { get; init; }

    /// <summary>Whether the file was named, and is not just there under its default name.</summary>
    public bool IsRootGiven { get; init; }

    /// <summary>Whether the authority is asked if the certificate was revoked; only where it is checked.</summary>
    public required bool CheckCertificateRevocation { get; init; }

    /// <summary>A PEM file with lists of revoked certificates; null for none.</summary>
    public string? RevocationList { get; init; }

    /// <summary>A directory of such files; null for none.</summary>
    public string? RevocationDirectory { get; init; }

    /// <summary>Where the client's own certificate is; null for no file.</summary>
    public ClientCertificateSettings? ClientCertificate { get; init; }

    public ClientCertificateMode ClientCertificateMode { get; init; } = ClientCertificateMode.Allow;

    /// <summary>Whether the handshake tells the server the name that it is called by (SNI).</summary>
    public bool SendsHostName { get; init; } = true;

    /// <summary>The versions of TLS that may be used; <see cref="SslProtocols.None"/> leaves the choice to the system.</summary>
    public SslProtocols Protocols { get; init; }

    /// <summary>What the program has set on the builder of the data source.</summary>
    public TlsProgram Program { get; init; } = TlsProgram.None;

    /// <summary>Whether a connection in clear is out of the question.</summary>
    public bool InsistsOnTls => Mode >= SslMode.Require || ClientCertificateMode == ClientCertificateMode.Require;

    /// <summary>Whether roots were named, in settings or in code.</summary>
    public bool HasOwnRoots => IsRootGiven || Program.Roots is not null;

    /// <summary>Whether the server's certificate must lead to a trusted root: as libpq does, Require checks against a named one.</summary>
    public bool ChecksChain => Mode >= SslMode.VerifyCA || (Mode == SslMode.Require && HasOwnRoots);

    /// <summary>Whether it must be made out to the host.</summary>
    public bool ChecksHost => Mode == SslMode.VerifyFull;

    /// <summary>Adds what the program has set in code. Its roots are as good as a named file.</summary>
    public TlsSettings With(TlsProgram program) => this with
    {
        Program = program,
        Mode = program.Roots is not null && !IsModeGiven ? SslMode.VerifyFull : Mode,
    };

    // A record prints every property by itself; one of these holds the password of a key.
    private bool PrintMembers(StringBuilder text)
    {
        text.Append("Mode = ").Append(Mode).Append(", Negotiation = ").Append(Negotiation);
        return true;
    }
}

/// <summary>The files of the client's certificate. A missing default file counts as none; a named one has to be there.</summary>
/// <param name="Path">PEM, with intermediate certificates behind the client's own, or PKCS #12.</param>
/// <param name="Key">The key's PEM file; null for <paramref name="Path"/> itself.</param>
/// <param name="DefaultKey">The key's file where neither is given and <paramref name="Path"/> holds no key; null for none.</param>
/// <param name="Password">The password of the key; null for none.</param>
internal sealed record ClientCertificateSettings(string Path, string? Key, string? DefaultKey, string? Password)
{
    private bool PrintMembers(StringBuilder text)
    {
        text.Append("Path = ").Append(Path).Append(", Key = ").Append(Key);
        return true;
    }
}

/// <summary>Whether the client shows a certificate: libpq's parameter sslcertmode.</summary>
internal enum ClientCertificateMode
{
    /// <summary>Never.</summary>
    Disable,

    /// <summary>If the server asks for one and there is one.</summary>
    Allow,

    /// <summary>The server must ask for one.</summary>
    Require,
}

/// <summary>A version of TLS, as libpq numbers them.</summary>
internal enum TlsVersion
{
    V10,
    V11,
    V12,
    V13,
}

/// <summary>What a program sets in code; each is called for each handshake.</summary>
/// <param name="Roots">The authorities to trust; null for those of the settings.</param>
/// <param name="ClientCertificates">Adds certificates of the client to those of the settings; null for none.</param>
/// <param name="Validation">Judges the server's certificate instead of the driver; null for the driver.</param>
/// <param name="Options">Changes the options of the handshake, last of all; null for nothing.</param>
internal sealed record TlsProgram(
    Func<X509Certificate2Collection>? Roots,
    Action<X509CertificateCollection>? ClientCertificates,
    RemoteCertificateValidationCallback? Validation,
    Action<SslClientAuthenticationOptions>? Options)
{
    public static TlsProgram None { get; } = new(null, null, null, null);
}
