namespace Loxo.Tests.ConnectionStrings;

/// <summary>A value that asks for what is not supported is refused when settings are made, never ignored; one that is satisfied is accepted.</summary>
public class NotSupportedTests
{
    [TestCase("Client Encoding=LATIN1",
        "'Client Encoding=LATIN1' asks for another encoding than UTF-8, which is not supported: 'Client Encoding' takes only UTF8.")]
    [TestCase("Encoding=iso-8859-1", "'Encoding=iso-8859-1' asks for")]
    [TestCase("sslkeylogfile=/keys", "'sslkeylogfile=/keys' asks for")]
    [TestCase("gsslib=heimdal", "'gsslib=heimdal' asks for"), TestCase("replication=database", "'replication=database' asks for")]
    public void A_value_that_needs_what_is_not_built_is_refused_when_settings_are_made(string text, string message)
    {
        var builder = new PgConnectionStringBuilder("Host=h;" + text);

        Assert.That(() => builder.ToSettings(Given.NoEnvironment), Throws.TypeOf<NotSupportedException>().With.Message.StartsWith(message));
    }

    [TestCase("Pooling=False"), TestCase("Pooling=True"), TestCase("Minimum Pool Size=1"), TestCase("Maximum Pool Size=5")]
    [TestCase("Connection Idle Lifetime=5")]
    [TestCase("Connection Pruning Interval=5"), TestCase("Connection Lifetime=0"), TestCase("No Reset On Close=True")]
    [TestCase("No Reset On Close=False")]
    [TestCase("Session Reset=Always"), TestCase("Pooler=Transaction"), TestCase("Plan Cache Mode=Generic"), TestCase("Enlist=false"), TestCase("Enlist=true")]
    [TestCase("Client Encoding=UTF8"), TestCase("Client Encoding=utf-8"), TestCase("Client Encoding=UNICODE"), TestCase("Encoding=UTF-8")]
    [TestCase("SSL Negotiation=Postgres"), TestCase("GSS Encryption Mode=Disable"), TestCase("GSS Encryption Mode=Prefer")]
    [TestCase("SSL Mode=Disable"), TestCase("SSL Mode=Allow"), TestCase("SSL Mode=Prefer"), TestCase("SSL Mode=Require")]
    [TestCase("SSL Mode=VerifyCA")]
    [TestCase("SSL Mode=VerifyFull"), TestCase("Root Certificate=/ca.pem"), TestCase("Check Certificate Revocation=true")]
    [TestCase("Channel Binding=Disable"), TestCase("Channel Binding=Prefer"), TestCase("Channel Binding=Require")]
    [TestCase("Require Auth='Password,MD5,ScramSHA256,None'"), TestCase("Require Auth='!gss,!sspi'")]
    [TestCase("Persist Security Info=true")]
    [TestCase("Log Parameters=true"), TestCase("Include Error Detail=true"), TestCase("Include Failed Batched Command=true")]
    [TestCase("Keepalive=30"), TestCase("Kerberos Service Name=pg"), TestCase("Include Realm=true"), TestCase("Load Balance Hosts=true"), TestCase("Host='a,b'")]
    [TestCase("Server Compatibility Mode=Redshift"), TestCase("Internal Command Timeout=5"), TestCase("Write Coalescing Buffer Threshold Bytes=9")]
    [TestCase("sslcompression=1;sslcertmode=allow;sslsni=1;min_protocol_version=3.0;max_protocol_version=latest;gsslib=gssapi;gssdelegation=0;replication=off")]
    [TestCase("Client Encoding=auto"), TestCase("TCP Keepalive Interval=5"), TestCase("Compatibility=Npgsql"), TestCase("Host Address=::1")]
    [TestCase("Keepalive=0"), TestCase("TCP Keepalive=true"), TestCase("TCP Keepalive Time=5;TCP Keepalive Interval=1")]
    [TestCase("Max Auto Prepare=20"), TestCase("Connection Idle Ping Time=5")]
    [TestCase("Auto Prepare Min Usages=3"), TestCase("Target Session Attributes=any"), TestCase("Target Session Attributes=read-write"), TestCase("Load Balance Hosts=false")]
    [TestCase("Host Recheck Seconds=10")]
    [TestCase("Array Nullability Mode=PerInstance"), TestCase("Load Table Composites=true"), TestCase("Server Compatibility Mode=NoTypeLoading")]
    [TestCase("Trust Server Certificate=true"), TestCase("Internal Command Timeout=-1"), TestCase("Options=-c geqo=off")]
    [TestCase("SSL Negotiation=Direct;SSL Mode=Require"), TestCase("SSL Certificate=c.crt;SSL Key=c.key;SSL Password=k"), TestCase("Root Certificate=system")]
    [TestCase("sslcertmode=require"), TestCase("sslcrl=/crl;sslcrldir=/crls"), TestCase("sslsni=0")]
    [TestCase("ssl_min_protocol_version=TLSv1.2;ssl_max_protocol_version=TLSv1.3")]
    [TestCase("Timezone=Europe/Rome")]
    [TestCase("requirepeer=postgres"), TestCase("gssdelegation=1")]
    public void A_value_that_what_is_built_satisfies_is_accepted(string text) =>
        Assert.That(() => Given.Settings("Host=h;" + text), Throws.Nothing);

    [Test]
    public void A_value_from_the_environment_is_refused_with_the_name_of_its_variable()
    {
        var environment = Given.Environment(new() { ["PGGSSLIB"] = "heimdal" });

        Assert.That(() => Given.Settings("Host=h", environment), Throws.TypeOf<NotSupportedException>().With.Message.EqualTo(
            "'gsslib=heimdal' (from the environment variable PGGSSLIB) asks for another library for GSSAPI, which is not supported: " +
            "'gsslib' takes only gssapi or sspi."));
    }

    [Test]
    public void All_refusals_come_in_one_error()
    {
        var environment = Given.Environment(new() { ["PGGSSLIB"] = "heimdal" });

        Assert.That(() => Given.Settings("Host=h;sslkeylogfile=/keys;Encoding=LATIN1", environment), Throws.TypeOf<NotSupportedException>().With.Message.EqualTo(
            "'Encoding=LATIN1' asks for another encoding than UTF-8, which is not supported: 'Encoding' takes only UTF8. " +
            "'sslkeylogfile=/keys' asks for a log of the keys of TLS, which is not supported: 'sslkeylogfile' has to be left out. " +
            "'gsslib=heimdal' (from the environment variable PGGSSLIB) asks for another library for GSSAPI, which is not supported: " +
            "'gsslib' takes only gssapi or sspi."));
    }

    [Test]
    public void Taking_the_keyword_out_lifts_the_refusal()
    {
        var builder = new PgConnectionStringBuilder("Host=h;Encoding=LATIN1");
        Assert.That(() => builder.ToSettings(Given.NoEnvironment), Throws.TypeOf<NotSupportedException>());

        builder.Remove("Encoding");

        Assert.That(() => builder.ToSettings(Given.NoEnvironment), Throws.Nothing);
    }
}
