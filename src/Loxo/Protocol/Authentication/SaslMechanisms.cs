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
