using Loxo.Protocol;
using Loxo.Protocol.Authentication;
using Loxo.Transport;

namespace Loxo.Tests.ConnectionStrings;

/// <summary>What travels down to the transport and the session.</summary>
public class SettingsTests
{
    [Test]
    public void The_defaults_are_those_of_the_keywords()
    {
        var settings = Given.Settings("Host=h");

        Assert.That(settings.Transport, Is.EqualTo(new TransportSettings
        {
            Host = new("h", 5432),
            Tls = new() { Mode = SslMode.Prefer, Negotiation = SslNegotiation.Postgres, RootCertificate = null, CheckCertificateRevocation = false },
            GssEncryption = GssEncryptionMode.Disable,
            TcpKeepAlive = null,
            TcpUserTimeout = 0,
            SocketReceiveBufferSize = 0,
            SocketSendBufferSize = 0,
            ReadBufferSize = 8192,
            WriteBufferSize = 8192,
            ReceiveSpin = 100,
            Reactor = null,
        }));
        Assert.That(settings.Session, Is.EqualTo(new Loxo.Session.SessionSettings
        {
            User = "osuser",
            Database = "osuser",
            Password = null,
            ApplicationName = null,
            SearchPath = null,
            Timezone = null,
            Options = null,
            DateStyle = null,
            Geqo = null,
            ChannelBinding = ChannelBinding.Prefer,
            RequireAuth = AuthenticationMethods.All,
            KerberosServiceName = "postgres",
            OAuth = new(null, null, null, null),
            Protocol = new(ProtocolVersions.V30, ProtocolVersions.V30),
            OpenTimeout = TimeSpan.FromSeconds(15),
            CommandTimeout = TimeSpan.FromSeconds(30),
            CancellationTimeout = TimeSpan.FromSeconds(2),
            AutoPrepare = new(256, 2), Pooler = Pooler.None, PlanCacheMode = null,
            Compatibility = ServerCompatibilityMode.None,
            IncludeErrorDetail = false,
            IncludeFailedBatchedCommand = false,
            KeepAlive = TimeSpan.Zero,
            IsLikeNpgsql = false,
        }));
        Assert.That(settings.PersistSecurityInfo, Is.False);
    }

    [Test]
    public void Every_value_arrives_where_it_is_used()
    {
        var settings = Given.Settings(
            "Host=h;Host Address=10.0.0.1;Port=7;SSL Mode=VerifyFull;Root Certificate=/ca.pem;Check Certificate Revocation=true;TCP Keepalive Time=60;TCP Keepalive Interval=5;TCP Keepalive Count=3;TCP User Timeout=4000;" +
            "Kerberos Service Name=pg;GSS Encryption Mode=Prefer;oauth_issuer=https://i;oauth_client_id=c;oauth_client_secret=hush;oauth_scope=a b;max_protocol_version=3.2;" +
            "Socket Receive Buffer Size=1;Socket Send Buffer Size=2;Read Buffer Size=4096;Write Buffer Size=5000;" +
            "Username=u;Database=d;Password=p;Application Name=a;Search Path=s;Timezone=t;Options=o;Channel Binding=Require;Require Auth=md5;" +
            "Timeout=1;Command Timeout=2;Cancellation Timeout=3;Include Error Detail=true;Include Failed Batched Command=true;" +
            "SSL Negotiation=Direct;SSL Certificate=/c.crt;SSL Key=/c.key;SSL Password=k;sslcertmode=require;sslcrl=/crl;sslcrldir=/crls;sslsni=0;ssl_min_protocol_version=TLSv1.3;" +
            "Receive Spin=40;Async Engine=Reactor;Reactor Loops=3;Reactor Continuations=ThreadPool;Keepalive=20;Compatibility=Npgsql;DateStyle=ISO;Geqo=off");

        Assert.That(settings.Transport, Is.EqualTo(new TransportSettings
        {
            Host = new("h", 7, "10.0.0.1"),
            Tls = new()
            {
                Mode = SslMode.VerifyFull, IsModeGiven = true, Negotiation = SslNegotiation.Direct, RootCertificate = "/ca.pem", IsRootGiven = true,
                CheckCertificateRevocation = true, RevocationList = "/crl", RevocationDirectory = "/crls", SendsHostName = false,
                ClientCertificate = new("/c.crt", "/c.key", null, "k"), ClientCertificateMode = ClientCertificateMode.Require,
                Protocols = System.Security.Authentication.SslProtocols.Tls13,
            },
            GssEncryption = GssEncryptionMode.Prefer,
            TcpKeepAlive = new(60, 5, 3),
            TcpUserTimeout = 4000,
            SocketReceiveBufferSize = 1,
            SocketSendBufferSize = 2,
            ReadBufferSize = 4096,
            WriteBufferSize = 5000,
            ReceiveSpin = 40,
            Reactor = new(3, ReactorContinuations.ThreadPool),
            IsEngineGiven = true,
        }));
        Assert.That(settings.Session, Is.EqualTo(new Loxo.Session.SessionSettings
        {
            User = "u",
            Database = "d",
            Password = "p",
            ApplicationName = "a",
            SearchPath = "s",
            Timezone = "t",
            Options = "o",
            DateStyle = "ISO",
            Geqo = "off",
            ChannelBinding = ChannelBinding.Require,
            RequireAuth = AuthenticationMethods.MD5,
            KerberosServiceName = "pg",
            OAuth = new("https://i", "c", "hush", "a b"),
            Protocol = new(ProtocolVersions.V30, ProtocolVersions.V32),
            OpenTimeout = TimeSpan.FromSeconds(1),
            CommandTimeout = TimeSpan.FromSeconds(2),
            CancellationTimeout = TimeSpan.FromMilliseconds(3),
            AutoPrepare = new(256, 2), Pooler = Pooler.None, PlanCacheMode = null,
            Compatibility = ServerCompatibilityMode.None,
            IncludeErrorDetail = true,
            IncludeFailedBatchedCommand = true,
            KeepAlive = TimeSpan.FromSeconds(20),
            IsLikeNpgsql = true,
        }));
    }

    [Test]
    public void Zero_means_no_limit_and_a_cancellation_timeout_of_minus_one_no_wait()
    {
        var none = Given.Settings("Host=h;Timeout=0;Command Timeout=0;Cancellation Timeout=0").Session;

        Assert.That(new[] { none.OpenTimeout, none.CommandTimeout, none.CancellationTimeout }, Is.All.EqualTo(Timeout.InfiniteTimeSpan));
        Assert.That(Given.Settings("Host=h;Cancellation Timeout=-1").Session.CancellationTimeout, Is.EqualTo(TimeSpan.Zero));
    }

    [TestCase("", null)]
    [TestCase("TCP Keepalive=true", new[] { 0, 0, 0 })]
    [TestCase("TCP Keepalive Time=60", new[] { 60, 60, 0 })]
    [TestCase("TCP Keepalive Time=60;TCP Keepalive Interval=5", new[] { 60, 5, 0 })]
    [TestCase("TCP Keepalive Interval=5", new[] { 0, 5, 0 })]
    [TestCase("TCP Keepalive Count=3", new[] { 0, 0, 3 })]
    [TestCase("TCP Keepalive=false;TCP Keepalive Time=60", null)]
    public void A_detail_of_TCP_probes_switches_them_on_unless_they_are_off(string text, int[]? expected) =>
        Assert.That(Given.Settings("Host=h;" + text).Transport.TcpKeepAlive,
            Is.EqualTo(expected is [var time, var interval, var count] ? new TcpKeepAlive(time, interval, count) : null));

    [TestCase("Host=db;Host Address=10.0.0.1", "db", "10.0.0.1", false)]
    [TestCase("Host Address=10.0.0.1", "10.0.0.1", null, false)]
    [TestCase("Host=/run;Host Address=10.0.0.1", "/run", "10.0.0.1", false)]
    [TestCase("Host=/run", "/run", null, true)]
    public void An_address_is_connected_to_whatever_the_host(string text, string host, string? address, bool isUnix)
    {
        var settings = Given.Settings(text).Transport.Host;

        Assert.That((settings.Host, settings.Address, settings.IsUnixSocket), Is.EqualTo((host, address, isUnix)));
    }

    [Test]
    public void Without_a_host_the_servers_Unix_socket_is_looked_for()
    {
        using var socket = new TemporaryFile("");
        var directory = Path.GetDirectoryName(socket.Path)!;
        File.Move(socket.Path, Path.Combine(directory, ".s.PGSQL.7"));
        var environment = Given.NoEnvironment with { SocketDirectories = ["/nowhere", directory] };

        Assert.That(Given.Settings("Port=7", environment).Transport.Host, Is.EqualTo(new HostAddress(directory, 7)));
        Assert.That(Given.Settings("postgres://u@:7/db", environment).Transport.Host, Is.EqualTo(new HostAddress(directory, 7)));
        Assert.That(() => Given.Settings("Port=8", environment), Throws.ArgumentException.With.Message.EqualTo(
            $"'Host' is not set. There is no socket of a server for port 8 in /nowhere or {directory}: add Host=... or set PGHOST."));
    }

    [Test]
    public void The_fallback_of_the_application_name_is_the_last_resort()
    {
        var environment = Given.Environment(new() { ["PGAPPNAME"] = "environment" });

        Assert.That(Given.Settings("Host=h;Fallback Application Name=f").Session.ApplicationName, Is.EqualTo("f"));
        Assert.That(Given.Settings("Host=h;Fallback Application Name=f", environment).Session.ApplicationName, Is.EqualTo("environment"));
        Assert.That(Given.Settings("Host=h;Fallback Application Name=f;Application Name=a").Session.ApplicationName, Is.EqualTo("a"));
    }

    [TestCase("Host=db", "db", 5432, "db:5432")]
    [TestCase("Host=db:6000", "db", 6000, "db:6000")]
    [TestCase("Host=db:6000;Port=7000", "db", 6000, "db:6000")]
    [TestCase("Host=10.0.0.1;Port=7000", "10.0.0.1", 7000, "10.0.0.1:7000")]
    [TestCase("Host=::1", "::1", 5432, "[::1]:5432")]
    [TestCase("Host=[::1]", "::1", 5432, "[::1]:5432")]
    [TestCase("Host=[fe80::1%eth0]:6000", "fe80::1%eth0", 6000, "[fe80::1%eth0]:6000")]
    [TestCase("Host=/run/postgresql", "/run/postgresql", 5432, "/run/postgresql/.s.PGSQL.5432")]
    [TestCase("Host=/run/postgresql/;Port=6000", "/run/postgresql/", 6000, "/run/postgresql/.s.PGSQL.6000")]
    [TestCase("Host='/tmp/a dir'", "/tmp/a dir", 5432, "/tmp/a dir/.s.PGSQL.5432")]
    [TestCase("Host=@loxo", "@loxo", 5432, "@loxo/.s.PGSQL.5432")]
    [TestCase("Host=C:\\sockets", "C:\\sockets", 5432, "C:\\sockets/.s.PGSQL.5432")]
    public void A_host_is_taken_apart(string text, string host, int port, string shown)
    {
        var address = Given.Settings(text).Transport.Host;

        Assert.That(address, Is.EqualTo(new HostAddress(host, port)));
        Assert.That(address.ToString(), Is.EqualTo(shown));
        Assert.That(address.IsUnixSocket, Is.EqualTo(shown.Contains(".s.PGSQL.")));
    }

    [Test]
    public void Without_a_host_the_error_says_how_to_set_one() =>
        Assert.That(() => Given.Settings("Port=7"), Throws.ArgumentException.With.Message.EqualTo(
            "'Host' is not set. Add Host=... to the connection string or set PGHOST."));

    [Test]
    public void Without_any_user_name_the_error_says_how_to_set_one() =>
        Assert.That(() => Given.Settings("Host=h", Given.NoEnvironment with { UserName = "" }), Throws.ArgumentException.With.Message.EqualTo(
            "'Username' is not set. Add Username=... to the connection string or set PGUSER."));

    [TestCase("Password", AuthenticationMethods.Password)]
    [TestCase("password", AuthenticationMethods.Password)]
    [TestCase("ScramSHA256", AuthenticationMethods.ScramSha256)]
    [TestCase("scram-sha-256", AuthenticationMethods.ScramSha256)]
    [TestCase("none", AuthenticationMethods.None)]
    [TestCase("MD5, ScramSHA256", AuthenticationMethods.MD5 | AuthenticationMethods.ScramSha256)]
    [TestCase("!password", AuthenticationMethods.All & ~AuthenticationMethods.Password)]
    [TestCase("!md5,!none", AuthenticationMethods.All & ~AuthenticationMethods.MD5 & ~AuthenticationMethods.None)]
    [TestCase("!gss", AuthenticationMethods.All & ~AuthenticationMethods.Gss)]
    public void Require_Auth_allows_the_methods_it_names_or_all_but_those(string text, object allowed) =>
        Assert.That(Given.Settings($"Host=h;Require Auth='{text}'").Session.RequireAuth, Is.EqualTo(allowed));

    [TestCase("VerifyFull", true), TestCase("VerifyCA", true), TestCase("Require", false), TestCase("Prefer", false)]
    public void The_users_own_root_certificate_counts_where_certificates_are_checked(string mode, bool counts)
    {
        using var file = new TemporaryFile("certificate");
        var environment = Given.NoEnvironment with { DefaultRootCertificate = file.Path };

        Assert.That(Given.Settings($"Host=h;SSL Mode={mode}", environment).Transport.Tls.RootCertificate, Is.EqualTo(counts ? file.Path : null));
        Assert.That(Given.Settings($"Host=h;SSL Mode={mode};Root Certificate=/ca", environment).Transport.Tls.RootCertificate, Is.EqualTo("/ca"));
        Assert.That(
            Given.Settings($"Host=h;SSL Mode={mode}", environment with { DefaultRootCertificate = file.Path + ".none" }).Transport.Tls.RootCertificate,
            Is.Null);
    }

    [TestCase("scram_client_key", "'scram_client_key' needs 'scram_server_key' beside it.")]
    [TestCase("scram_server_key", "'scram_server_key' needs 'scram_client_key' beside it.")]
    public void One_key_of_SCRAM_needs_the_other(string keyword, string message) => Assert.That(
        () => Given.Settings($"Host=h;{keyword}={Convert.ToBase64String(new byte[32])}"), Throws.ArgumentException.With.Message.EqualTo(message));

    [TestCase(31), TestCase(33), TestCase(0)]
    public void A_key_of_SCRAM_has_32_bytes(int length) => Assert.That(
        () => Given.Settings($"Host=h;scram_client_key='{Convert.ToBase64String(new byte[length])} '"),
        Throws.ArgumentException.With.Message.EqualTo("Couldn't set 'scram_client_key': expected a key of 32 bytes in base64."));
}
