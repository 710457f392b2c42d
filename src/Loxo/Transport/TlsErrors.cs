namespace Loxo.Transport;

/// <summary>Why TLS cannot be used; each message names the server or the file, and the keyword to change.</summary>
internal static class TlsErrors
{
    private const string Directly = "'SSL Negotiation=Direct' needs PostgreSQL 17 or later, and no proxy in front of it that expects the "
        + "older way: use 'SSL Negotiation=Postgres'.";

    public static PgException FileUnusable(string keyword, string path, string fault, Exception? cause = null) =>
        new($"'{keyword}={path}' cannot be used: {fault}", PgErrorCode.CertificateUnusable, cause);

    public static ArgumentException TwoChecks(TlsSettings settings) => new(
        $"The driver checks the server's certificate, as 'SSL Mode={settings.Mode}' or a root certificate asks it to, so a callback cannot "
        + "check it instead: leave out one of the two.");

    public static PgException CallbackFailed(Exception cause) =>
        new($"A callback of the program for TLS failed: {cause.Message}", PgErrorCode.CertificateUnusable, cause);

    public static PgException NoClientCertificate(HostAddress host) => new(
        $"'sslcertmode=require' asks for a certificate of the client, but there is none for {host}. Name its file in 'SSL Certificate'.",
        PgErrorCode.CertificateUnusable);

    public static PgException ClientCertificateNotAsked(HostAddress host) => new(
        $"'sslcertmode=require' asks for a login with the client's certificate, but the server at {host} did not ask for one. Set "
        + "'ssl_ca_file' in its configuration, or use 'sslcertmode=allow'.",
        PgErrorCode.CertificateUnusable);

    public static PgException Refused(HostAddress host, TlsSettings settings)
    {
        if (settings.Mode < SslMode.Require && settings.ClientCertificateMode == ClientCertificateMode.Require)
            return new($"'sslcertmode=require' asks for TLS, but the server at {host} does not offer it. "
                + "Turn on 'ssl' in its configuration.",
                PgErrorCode.TlsRefused);
        if (settings.Mode == SslMode.Allow)
            return new($"The server at {host} refuses the login without TLS, and does not offer TLS. Change its pg_hba.conf, or turn on "
                + "'ssl' in its configuration.",
                PgErrorCode.TlsRefused);
        if (settings.Mode == SslMode.Prefer)
            return new($"The server at {host} has encrypted connections of this data source before, and now refuses TLS. Something between "
                + "may have removed it, so no connection in clear is made. If TLS was switched off in the server on purpose, use "
                + "'SSL Mode=Disable', or start the program again.",
                PgErrorCode.TlsRefused);
        var why = settings.IsModeGiven ? "" : " (the default where a root certificate is given)";
        return new($"'SSL Mode={settings.Mode}'{why} asks for TLS, but the server at {host} does not offer it. "
            + "Turn on 'ssl' in its configuration, or use 'SSL Mode=Prefer'.",
            PgErrorCode.TlsRefused);
    }

    // An error's text is not shown, as anybody could have sent it (CVE-2024-10977).
    public static PgException NotAnswered(HostAddress host, byte answer) => new(
        $"The server at {host} did not answer the request for TLS with 'S' or 'N', but with {Byte(answer)}. {Guess(answer)}",
        PgErrorCode.ProtocolViolation);

    public static PgException Failed(HostAddress host, string reason, Exception? cause) =>
        new($"TLS with {host} failed: {reason}", PgErrorCode.TlsFailed, cause);

    public static PgException EndedByServer(HostAddress host, bool isDirect, Exception? cause) => Failed(host,
        "the server closed the connection in the middle of the handshake. " + (isDirect ? Directly : "Its log may say why."), cause);

    public static PgException NoApplicationProtocol(HostAddress host) => Failed(host,
        $"the server did not agree on the protocol 'postgresql' (ALPN), so that another service may have been reached. {Directly}", null);

    /// <summary>The server's alert, at any time of the connection.</summary>
    public static PgException FromAlert(HostAddress host, TlsAlert alert, bool hasClientCertificate, Exception cause) =>
        alert.IsAboutClientCertificate
            ? new($"The server at {host} {alert.Meaning(hasClientCertificate)} (TLS alert {alert}).",
                PgErrorCode.CertificateUnusable, cause)
            : Failed(host, $"the server {alert.Meaning(hasClientCertificate)} (TLS alert {alert}).", cause);

    /// <summary>What went wrong on this side of the handshake.</summary>
    public static string Reason(Exception? cause) => TlsAlert.ReasonNumber(cause) switch
    {
        TlsAlert.UnsupportedProtocol or TlsAlert.VersionTooLow or TlsAlert.NoProtocolsAvailable =>
            "client and server have no version of TLS in common. Look at 'ssl_min_protocol_version' and 'ssl_max_protocol_version' on both "
            + "sides.",
        _ when cause?.Message.Contains("frame", StringComparison.OrdinalIgnoreCase) == true =>
            "the server's bytes are not TLS. Is there PostgreSQL behind this port, without anything between?",
        _ => Innermost(cause)?.Message is { } message ? $"{message.TrimEnd('.')}." : "the handshake did not end.",
    };

    private static Exception? Innermost(Exception? cause) => cause?.InnerException is { } inner ? Innermost(inner) : cause;

    private static string Byte(byte value) => value is > 32 and < 127
        ? $"'{(char)value}'"
        : string.Create(CultureInfo.InvariantCulture, $"the byte {value}");

    private static string Guess(byte answer) => answer switch
    {
        (byte)'E' => "That is an error of the server, whose text is in its log.",
        (byte)'H' => "That looks like a web server: check 'Host' and 'Port'.",
        _ => "Check whether 'Host' and 'Port' lead to PostgreSQL.",
    };
}
