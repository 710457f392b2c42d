namespace Loxo.Protocol.Authentication;

/// <summary>Which of the mechanisms in AuthenticationSASL we take; libpq's rules (pg_SASL_init, fe-auth.c).</summary>
internal static class SaslMechanisms
{
    public const string ScramSha256 = "SCRAM-SHA-256";
    public const string ScramSha256Plus = "SCRAM-SHA-256-PLUS";

    // The hash of the certificate is null without TLS, or if the certificate has none.
    public static ScramBinding Choose(IReadOnlyCollection<string> offered, ChannelBinding setting, bool overTls, byte[]? endPointHash)
    {
        var plusIsOffered = offered.Contains(ScramSha256Plus);
        if (setting == ChannelBinding.Require && !overTls)
            throw AuthenticationErrors.ChannelBindingWithoutTls();
        if (plusIsOffered && !overTls)
            throw AuthenticationErrors.PlusWithoutTls();
        if (plusIsOffered && setting != ChannelBinding.Disable && endPointHash is not null)
            return ScramBinding.ToCertificate(endPointHash);
        if (setting == ChannelBinding.Require)
            throw plusIsOffered
                ? AuthenticationErrors.CertificateWithoutHash()
                : AuthenticationErrors.ChannelBindingNotOffered(List(offered));
        if (!offered.Contains(ScramSha256))
            throw plusIsOffered ? AuthenticationErrors.OnlyPlusOffered() : AuthenticationErrors.NoMechanism(List(offered));

        // Without a hash we could not have bound, so "y" would be a lie that a server which did offer it punishes as a downgrade.
        var couldBind = setting != ChannelBinding.Disable && endPointHash is not null;
        return couldBind ? ScramBinding.NotOffered : ScramBinding.Unsupported;
    }

    private static string List(IReadOnlyCollection<string> offered) => offered.Count == 0 ? "(none)" : string.Join(", ", offered);
}

/// <summary>A mechanism and its GS2 header (RFC 5802 section 6), which begins the first message and is repeated in the last.</summary>
internal sealed record ScramBinding(string Mechanism, string Header, byte[] Data)
{
    /// <summary>"I cannot, or do not want to."</summary>
    public static ScramBinding Unsupported { get; } = new(SaslMechanisms.ScramSha256, "n,,", []);

    /// <summary>"I could, but you did not offer it": a server that did offer it now knows that somebody removed the offer.</summary>
    public static ScramBinding NotOffered { get; } = new(SaslMechanisms.ScramSha256, "y,,", []);

    /// <summary>Bound to the server's certificate (tls-server-end-point, RFC 5929).</summary>
    public static ScramBinding ToCertificate(byte[] endPointHash) =>
        new(SaslMechanisms.ScramSha256Plus, "p=tls-server-end-point,,", endPointHash);
}
