using FsCheck;
using FsCheck.Fluent;
using Loxo.Settings;

namespace Loxo.Tests.ConnectionStrings;

/// <summary>The URIs of the manual, 32.1.1.2.</summary>
public class UriTests
{
    [TestCase("postgresql://", "")]
    [TestCase("postgres://localhost", "Host=localhost")]
    [TestCase("postgresql://localhost:5433", "Host=localhost;Port=5433")]
    [TestCase("postgresql://localhost/mydb", "Host=localhost;Database=mydb")]
    [TestCase("postgresql://user@localhost", "Username=user;Host=localhost")]
    [TestCase("postgresql://user:secret@localhost", "Username=user;Password=secret;Host=localhost")]
    [TestCase("postgresql://other@localhost/otherdb?connect_timeout=10&application_name=myapp",
        "Username=other;Host=localhost;Database=otherdb;Timeout=10;Application Name=myapp")]
    [TestCase("postgresql://host1:123,host2:456/somedb?target_session_attrs=any&application_name=myapp",
        "Host=host1:123,host2:456;Database=somedb;Target Session Attributes=any;Application Name=myapp")]
    [TestCase("postgresql://user@localhost:5433/mydb?options=-c%20synchronous_commit%3Doff",
        "Username=user;Host=localhost;Port=5433;Database=mydb;Options=\"-c synchronous_commit=off\"")]
    [TestCase("postgresql://user@localhost/mydb?options=-c%20geqo=off",
        "Username=user;Host=localhost;Database=mydb;Options=\"-c geqo=off\"")]
    [TestCase("postgresql:///mydb?host=localhost&port=5433", "Database=mydb;Host=localhost;Port=5433")]
    [TestCase("postgresql://[2001:db8::1234]/database", "Host=2001:db8::1234;Database=database")]
    [TestCase("postgresql://[::1]:6000", "Host=::1;Port=6000")]
    [TestCase("postgresql://[::1]:6000,b,[::2]", "Host=[::1]:6000,b,::2")]
    [TestCase("postgresql:///dbname?host=/var/lib/postgresql", "Database=dbname;Host=/var/lib/postgresql")]
    [TestCase("postgresql://%2Fvar%2Flib%2Fpostgresql/dbname", "Host=/var/lib/postgresql;Database=dbname")]
    [TestCase("postgresql://%2Fvar%2Flib%2Fpostgresql:6000/dbname", "Host=/var/lib/postgresql;Port=6000;Database=dbname")]
    [TestCase("postgresql://u%40corp:p%3A%2F%3F%23%5B%5D%40%25@h", "Username=u@corp;Password=p:/?#[]@%;Host=h")]
    [TestCase("postgresql://u:p:q@h", "Username=u;Password=p:q;Host=h")]
    [TestCase("postgresql://u:@h", "Username=u;Host=h")]
    [TestCase("postgresql://:p@h", "Password=p;Host=h")]
    [TestCase("postgresql://@h", "Host=h")]
    [TestCase("postgresql://h:/db", "Host=h;Database=db")]
    [TestCase("postgresql://h/%C3%BC%F0%9F%90%98", "Host=h;Database=ü🐘")]
    [TestCase("postgresql://h/ü", "Host=h;Database=ü")]
    [TestCase("postgresql://h/a/b", "Host=h;Database=a/b")]
    [TestCase("postgresql://h?user=u&password=p&dbname=d", "Host=h;Username=u;Password=p;Database=d")]
    [TestCase("postgresql://h/db?dbname=other&host=b", "Host=b;Database=other")]
    [TestCase("postgresql://h?", "Host=h")]
    [TestCase("postgresql://h/?&&sslmode=require&", "Host=h;SSL Mode=Require")]
    [TestCase("  POSTGRES://h  ", "Host=h")]
    public void A_URI_sets_the_keywords(string uri, string connectionString) =>
        Assert.That(new PgConnectionStringBuilder(uri).ConnectionString, Is.EqualTo(connectionString));

    [TestCase("sslmode=verify-full", "SSL Mode=VerifyFull")]
    [TestCase("sslmode=verify-ca", "SSL Mode=VerifyCA")]
    [TestCase("ssl=true", "SSL Mode=Require")]
    [TestCase("sslnegotiation=direct", "SSL Negotiation=Direct")]
    [TestCase("sslrootcert=%2Fca.pem", "Root Certificate=/ca.pem")]
    [TestCase("sslcert=c", "SSL Certificate=c")]
    [TestCase("sslkey=k", "SSL Key=k")]
    [TestCase("sslpassword=p", "SSL Password=p")]
    [TestCase("gssencmode=disable", "GSS Encryption Mode=Disable")]
    [TestCase("krbsrvname=pg", "Kerberos Service Name=pg")]
    [TestCase("channel_binding=require", "Channel Binding=Require")]
    [TestCase("require_auth=scram-sha-256,md5", "Require Auth=scram-sha-256,md5")]
    [TestCase("require_auth=!md5", "Require Auth=!md5")]
    [TestCase("passfile=/p", "Passfile=/p")]
    [TestCase("client_encoding=UTF8", "Client Encoding=UTF8")]
    [TestCase("target_session_attrs=prefer-standby", "Target Session Attributes=prefer-standby")]
    [TestCase("load_balance_hosts=random", "Load Balance Hosts=Random")]
    [TestCase("load_balance_hosts=disable", "Load Balance Hosts=False")]
    [TestCase("keepalives=1&keepalives_idle=60&keepalives_interval=5", "TCP Keepalive=True;TCP Keepalive Time=60;TCP Keepalive Interval=5")]
    [TestCase("keepalives_count=3&tcp_user_timeout=100", "TCP Keepalive Count=3;TCP User Timeout=100")]
    [TestCase("hostaddr=::1", "Host Address=::1")]
    [TestCase("service=shop&servicefile=/s", "Service=shop;Service File=/s")]
    [TestCase("fallback_application_name=f", "Fallback Application Name=f")]
    [TestCase("sslcompression=0", "sslcompression=0")]
    [TestCase("Command%20Timeout=5", "Command Timeout=5")]
    [TestCase("CommandTimeout=5&pooling=false", "Command Timeout=5;Pooling=False")]
    public void A_parameter_has_libpqs_name_or_ours(string parameter, string connectionString) =>
        Assert.That(new PgConnectionStringBuilder($"postgres://?{parameter}").ConnectionString, Is.EqualTo(connectionString));

    [TestCaseSource(nameof(_libpq))]
    public void Every_parameter_of_libpq_is_known(string name) => Assert.That(Keywords.FindUriParameter(name), Is.Not.Null);

    // The manual of PostgreSQL 18, 34.1.2.
    private static readonly string[] _libpq =
    [
        "host", "hostaddr", "port", "dbname", "user", "password", "passfile", "require_auth", "channel_binding", "connect_timeout", "client_encoding",
        "options", "application_name", "fallback_application_name", "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count",
        "tcp_user_timeout", "replication", "gssencmode", "sslmode", "sslnegotiation", "sslcompression", "sslcert", "sslkey", "sslkeylogfile", "sslpassword",
        "sslcertmode", "sslrootcert", "sslcrl", "sslcrldir", "sslsni", "requirepeer", "ssl_min_protocol_version", "ssl_max_protocol_version",
        "min_protocol_version", "max_protocol_version", "krbsrvname", "gsslib", "gssdelegation", "scram_client_key", "scram_server_key", "service",
        "servicefile", "target_session_attrs", "load_balance_hosts", "oauth_issuer", "oauth_client_id", "oauth_client_secret", "oauth_scope",
    ];

    [TestCase("postgres://h?elephant=1", "The connection URI has the unknown parameter 'elephant'.")]
    [TestCase("postgres://h?ssl=false", "The connection URI has the unknown parameter 'ssl'.")]
    [TestCase("postgres://h?sslmod=require", "The connection URI has the unknown parameter 'sslmod'. Did you mean 'SSL Mode'?")]
    [TestCase("postgres://h?hostaddr=ten", "Couldn't set 'Host Address' to 'ten': expected an IP address.")]
    [TestCase("postgres://h?sslmode", "The connection URI has the parameter 'sslmode' without '=' and a value.")]
    [TestCase("postgres://h?sslmode=maybe",
        "Couldn't set 'SSL Mode' to 'maybe': expected one of Disable, Allow, Prefer, Require, VerifyCA, VerifyFull.")]
    [TestCase("postgres://h?connect_timeout=soon",
        "Couldn't set 'Timeout' to 'soon': expected a number of seconds from 0 to 1024, 0 for no limit.")]
    [TestCase("postgres://h:x/db", "The connection URI has the port 'x': expected a number from 1 to 65535.")]
    [TestCase("postgres://h:70000", "The connection URI has the port '70000': expected a number from 1 to 65535.")]
    [TestCase("postgres://[::1", "The connection URI has an IPv6 address without its closing ']': '[::1'.")]
    [TestCase("postgres://[]", "The connection URI has an IPv6 address without its closing ']': '[]'.")]
    [TestCase("postgres://[::1]x/db", "The connection URI has more than a port after ']': '[::1]x'.")]
    [TestCase("postgres://a,,b", "Couldn't set 'Host' to 'a,,b': expected a host before and after every comma.")]
    [TestCase("postgres://%2Ftmp:1,b",
        "The connection URI has a port after the socket directory '/tmp' in a list of hosts: use the parameter 'port'.")]
    [TestCase("postgres://h/a%zzb",
        "The connection URI has a malformed escape '%zz' in its database: expected '%' and two hexadecimal digits (%25 for a '%').")]
    [TestCase("postgres://h/a%4",
        "The connection URI has a malformed escape '%4' in its database: expected '%' and two hexadecimal digits (%25 for a '%').")]
    [TestCase("postgres://h/a% 1",
        "The connection URI has a malformed escape '% 1' in its database: expected '%' and two hexadecimal digits (%25 for a '%').")]
    [TestCase("postgres://h%/db",
        "The connection URI has a malformed escape '%' in its host: expected '%' and two hexadecimal digits (%25 for a '%').")]
    [TestCase("postgres://u%4@h",
        "The connection URI has a malformed escape '%4' in its user name: expected '%' and two hexadecimal digits (%25 for a '%').")]
    [TestCase("postgres://u:a%4@h",
        "The connection URI has a malformed escape in its password: expected '%' and two hexadecimal digits (%25 for a '%').")]
    [TestCase("postgres://h?options=%g1",
        "The connection URI has a malformed escape '%g1' in its parameter 'options': expected '%' and two hexadecimal digits (%25 for a '%').")]
    [TestCase("postgres://h/a%00b", "The connection URI has %00 in its database: PostgreSQL cannot take a NUL character.")]
    [TestCase("postgres://h/%ff", "The connection URI has a database whose percent-encoded bytes are not UTF-8.")]
    [TestCase("postgres://h/a\0b", "Couldn't set 'Database': character 2 of the value is NUL, which PostgreSQL cannot take.")]
    [TestCase("postgres://u:a@b@h/db",
        "The connection URI has an '@' after its host. Write %40 for an '@' in a name; in a user name or password also write '/' as %2F.")]
    [TestCase("postgres://u:a/b@h/db",
        "The connection URI has an '@' after its host. Write %40 for an '@' in a name; in a user name or password also write '/' as %2F.")]
    [TestCase("postgres://u:a?b@h/db",
        "The connection URI has a '?' before an '@'. Write %3F for a '?' in a user name or password, and %40 for an '@' in a parameter.")]
    public void A_malformed_URI_is_refused_with_the_offending_part(string uri, string message) =>
        Assert.That(Given.ErrorOf(uri), Is.EqualTo(message));

    [Test]
    public void Any_user_password_and_database_survive_percent_encoding() =>
        Prop.ForAll<NonNull<string>, NonNull<string>, NonNull<string>>((user, password, database) =>
        {
            var parts = new[] { user.Get, password.Get, database.Get }.Select(Clean).ToArray();
            var encoded = parts.Select(Uri.EscapeDataString).ToArray();
            var builder = new PgConnectionStringBuilder($"postgres://{encoded[0]}:{encoded[1]}@h/{encoded[2]}?application_name={encoded[0]}");
            return new[] { builder.Username, builder.Password, builder.Database, builder.ApplicationName }
                .SequenceEqual(new[] { parts[0], parts[1], parts[2], parts[0] }.Select(part => part.Length == 0 ? null : part));
        }).QuickCheckThrowOnFailure();

    [Test]
    public void A_URI_of_any_characters_is_read_or_refused_with_an_ArgumentException() =>
        Prop.ForAll<string?>(rest =>
        {
            try
            {
                _ = new PgConnectionStringBuilder("postgres://" + rest);
                return true;
            }
            catch (ArgumentException)
            {
                return true;
            }
        }).QuickCheckThrowOnFailure();

    // NUL is refused, and half a surrogate pair has no encoding.
    private static string Clean(string text) => string.Concat(text.Where(c => c != '\0' && !char.IsSurrogate(c)));
}
