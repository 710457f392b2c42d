using System.Net;
using System.Net.Sockets;

namespace Loxo.IntegrationTests.Authentication;

/// <summary>Logins with GSSAPI, with a real ticket server.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[NonParallelizable]
public class KerberosTests(WaitMode mode)
{
    [Test]
    public async Task A_ticket_lets_in_without_a_password()
    {
        await using var source = PgDataSource.Create(KerberosRealm.Shared.ConnectionString);
        Assert.That(await Facts(source), Is.EqualTo((KerberosRealm.User, true, $"{KerberosRealm.User}@{KerberosRealm.Name}")));
    }

    [Test]
    public async Task Require_Auth_can_ask_for_it_and_can_exclude_it()
    {
        await using var asked = PgDataSource.Create(KerberosRealm.Shared.ConnectionString + ";Require Auth=gss");
        Assert.That((await Facts(asked)).Authenticated, Is.True);
        foreach (var other in new[] { "!gss", "ScramSHA256,Password", "sspi" })
        {
            var error = await Refused(KerberosRealm.Shared.ConnectionString + ";Require Auth=" + other);
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.AuthenticationNotSupported), other);
        }
    }

    [Test]
    public async Task Channel_binding_cannot_be_had_with_it() => Assert.That(
        (await Refused(KerberosRealm.Shared.ConnectionString + ";Channel Binding=Require")).Message, Does.Contain("'Channel Binding=Require'"));

    [Test]
    public async Task Without_a_ticket_the_error_says_how_to_get_one_and_the_next_login_works()
    {
        var realm = KerberosRealm.Shared;
        await KerberosRealm.With("KRB5CCNAME", "FILE:/nonexistent/tickets", async () =>
        {
            var error = await Refused(realm.ConnectionString);
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.AuthenticationFailed));
            Assert.That(error.Message, Does.Contain("'postgres/localhost'").And.Contain("kinit"));
        });
        await using var source = PgDataSource.Create(realm.ConnectionString);
        Assert.That((await Facts(source)).Authenticated, Is.True);
    }

    [Test]
    public async Task A_service_that_the_realm_does_not_know_is_named()
    {
        var error = await Refused(KerberosRealm.Shared.ConnectionString + ";Kerberos Service Name=mysql");
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.AuthenticationFailed));
        Assert.That(error.Message, Does.Contain("'mysql/localhost'").And.Contain("localhost:"));
    }

    [TestCase("", false)]
    [TestCase(";gssdelegation=0", false)]
    [TestCase(";gssdelegation=1", true)]
    [TestCase(";gssdelegation=1;GSS Encryption Mode=Require", true)]
    public async Task The_ticket_is_passed_on_only_if_that_is_asked_for(string settings, bool isPassedOn)
    {
        var before = KerberosRealm.Shared.TicketsToPassOn;
        await using var source = PgDataSource.Create(KerberosRealm.Shared.ConnectionString + settings);
        Assert.That((await Facts(source)).Authenticated, Is.True);
        Assert.That(KerberosRealm.Shared.TicketsToPassOn, isPassedOn ? Is.GreaterThan(before) : Is.EqualTo(before));
    }

    [Test]
    public async Task A_ticket_server_that_never_answers_does_not_outlast_Timeout()
    {
        var realm = KerberosRealm.Shared;
        using var deaf = new TcpListener(IPAddress.Loopback, 0);
        deaf.Start();
        var configuration = Path.GetTempFileName();
        await File.WriteAllTextAsync(configuration, KerberosRealm.Configuration(((IPEndPoint)deaf.LocalEndpoint).Port));
        await KerberosRealm.With("KRB5_CONFIG", configuration, async () =>
        {
            // A service without a ticket in the cache, so that the ticket server has to be asked.
            var error = await Refused(realm.ConnectionString + ";Kerberos Service Name=unheard;Timeout=1");
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
            Assert.That(error.Message, Does.Contain("Kerberos ticket"));
        });
        File.Delete(configuration);
    }

    [Test]
    public async Task The_callback_can_log_in_with_a_password_of_the_realm()
    {
        var builder = new PgDataSourceBuilder(KerberosRealm.Shared.ConnectionString);
        builder.UseNegotiateOptionsCallback(static options => options.Credential = new NetworkCredential(KerberosRealm.User, KerberosRealm.Password, KerberosRealm.Name));
        await using var source = builder.Build();
        await KerberosRealm.With("KRB5CCNAME", "FILE:/nonexistent/tickets", async () => Assert.That((await Facts(source)).Authenticated, Is.True));
    }

    [TestCase("Disable")]
    [TestCase("Require")]
    public async Task A_ticket_server_that_never_answers_a_password_is_waited_for_until_the_time_is_over(string encryption)
    {
        using var deaf = new TcpListener(IPAddress.Loopback, 0);
        deaf.Start();
        var configuration = Path.GetTempFileName();
        await File.WriteAllTextAsync(configuration, KerberosRealm.Configuration(((IPEndPoint)deaf.LocalEndpoint).Port));
        var builder = new PgDataSourceBuilder($"{KerberosRealm.Shared.ConnectionString};GSS Encryption Mode={encryption};Timeout=1");
        builder.UseNegotiateOptionsCallback(static options => options.Credential = new NetworkCredential("unheard", "secret", KerberosRealm.Name));
        await using var source = builder.Build();
        await KerberosRealm.With("KRB5_CONFIG", configuration, async () =>
        {
            var error = await Refused(source);
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
            Assert.That(error.Message, Does.Contain("Kerberos ticket").And.Not.Contain("secret"));
        });
        File.Delete(configuration);
    }

    [TestCase("Disable")]
    [TestCase("Prefer")]
    [TestCase("Require")]
    public async Task A_callback_that_throws_is_told(string encryption)
    {
        var builder = new PgDataSourceBuilder($"{KerberosRealm.Shared.ConnectionString};GSS Encryption Mode={encryption}");
        builder.UseNegotiateOptionsCallback(static _ => throw new InvalidOperationException("no vault"));
        await using var source = builder.Build();
        var error = await Refused(source);
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.AuthenticationFailed));
        Assert.That(error.Message, Does.Contain("The negotiate options callback failed: no vault"));
        Assert.That(error.InnerException, Is.InstanceOf<InvalidOperationException>());
    }

    [TestCase("Disable", false)]
    [TestCase("Prefer", true)]
    [TestCase("Require", true)]
    public async Task The_server_sees_the_same_encryption_as_with_Npgsql(string encryption, bool isEncrypted)
    {
        const string isEncryptedHere = "SELECT gss_authenticated AND encrypted FROM pg_stat_gssapi WHERE pid = pg_backend_pid()";
        var text = $"{KerberosRealm.Shared.ConnectionString};GSS Encryption Mode={encryption}";
        await using var other = Npgsql.NpgsqlDataSource.Create(text);
        await using var question = other.CreateCommand(isEncryptedHere);
        Assert.That(await question.ExecuteScalarAsync(), Is.EqualTo(isEncrypted));

        await using var source = PgDataSource.Create(text);
        await using var command = source.CreateCommand(isEncryptedHere);
        Assert.That(await mode.ExecuteScalar(command), Is.EqualTo(isEncrypted));
        await using var connection = await source.OpenConnectionAsync();
        Assert.That((connection.IsGssEncrypted, connection.IsSslEncrypted), Is.EqualTo((isEncrypted, false)));
        Assert.That((await Facts(source)).Authenticated, Is.True);
    }

    [Test]
    public async Task Values_of_any_size_pass_through_the_encryption_both_ways([Values(1, 15_359, 15_360, 15_361, 100_000, 5_000_000)] int size)
    {
        await using var source = PgDataSource.Create(KerberosRealm.Shared.ConnectionString + ";GSS Encryption Mode=Require");
        var value = new byte[size];
        new Random(size).NextBytes(value);
        await using var command = source.CreateCommand("SELECT $1 FROM generate_series(1, 3)");
        command.Parameters.AddWithValue(value);
        await using var reader = await mode.ExecuteReader(command);
        for (var i = 0; i < 3; i++)
        {
            Assert.That(await mode.Read(reader), Is.True);
            Assert.That(reader.GetFieldValue<byte[]>(0).AsSpan().SequenceEqual(value), Is.True);
        }
    }

    [Test]
    public async Task An_encrypted_login_counts_as_one_with_GSSAPI()
    {
        await using var source = PgDataSource.Create(KerberosRealm.Shared.ConnectionString + ";GSS Encryption Mode=Require;Require Auth=gss");
        Assert.That((await Facts(source)).Authenticated, Is.True);
        var error = await Refused(KerberosRealm.Shared.ConnectionString + ";GSS Encryption Mode=Require;Require Auth=none");
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.AuthenticationNotSupported));
    }

    [Test]
    public async Task Cancelling_works_and_is_encrypted_too()
    {
        // This database lets in nobody without encryption.
        await using var source = PgDataSource.Create(KerberosRealm.Shared.ConnectionString + ";GSS Encryption Mode=Require;Database=template1;Pooling=false");
        await using var connection = source.CreateConnection();
        await mode.Open(connection);
        await using var command = new PgCommand("SELECT pg_sleep(60)", connection) { CommandTimeout = 1 };
        Assert.That(async () => await mode.ExecuteNonQuery(command),
            Throws.TypeOf<PgException>().With.Property(nameof(PgException.Code)).EqualTo(PgErrorCode.Timeout));
        await using var next = new PgCommand("SELECT 1", connection);
        Assert.That(await mode.ExecuteScalar(next), Is.EqualTo(1));
    }

    [Test]
    public async Task Without_a_ticket_Prefer_goes_on_without_encryption_and_Require_refuses()
    {
        var trusted = TestServer.Default.ConnectionString;
        _ = KerberosRealm.Shared;
        await KerberosRealm.With("KRB5CCNAME", "FILE:/nonexistent/tickets", async () =>
        {
            await using var source = PgDataSource.Create(trusted + ";GSS Encryption Mode=Prefer");
            await using var command = source.CreateCommand("SELECT 1");
            Assert.That(await mode.ExecuteScalar(command), Is.EqualTo(1));
            Assert.That((await Refused(trusted + ";GSS Encryption Mode=Require")).Message, Does.Contain("kinit"));
        });
    }

    [Test]
    public async Task A_server_without_a_key_refuses_and_Prefer_goes_on_where_Require_does_not()
    {
        _ = KerberosRealm.Shared;
        var trusted = TestServer.Default.ConnectionString.Replace("127.0.0.1", "localhost", StringComparison.Ordinal);
        await using var source = PgDataSource.Create(trusted + ";GSS Encryption Mode=Prefer");
        await using var command = source.CreateCommand("SELECT encrypted FROM pg_stat_gssapi WHERE pid = pg_backend_pid()");
        Assert.That(await mode.ExecuteScalar(command), Is.False);
        Assert.That((await Refused(trusted + ";GSS Encryption Mode=Require")).Message, Does.Contain("'krb_server_keyfile'").And.Contain("localhost:"));
    }

    [TestCase("N", "'GSS Encryption Mode=Require' asks")]
    [TestCase("Gx", "GSSENCRequest")]
    [TestCase("NR", "GSSENCRequest")]
    [TestCase("E", "'G' or 'N'")]
    [TestCase("", "'krb_server_keyfile'")]
    public async Task A_server_that_does_not_agree_gets_nothing_in_clear(string answer, string message)
    {
        _ = KerberosRealm.Shared;
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var received = Task.Run(async () =>
        {
            using var client = await listener.AcceptTcpClientAsync();
            var stream = client.GetStream();
            var request = new byte[8];
            await stream.ReadExactlyAsync(request);
            await stream.WriteAsync(System.Text.Encoding.ASCII.GetBytes(answer));
            client.Client.Shutdown(SocketShutdown.Send);
            return (Convert.ToHexString(request), await stream.ReadAsync(new byte[1]));
        });
        var port = ((IPEndPoint)listener.LocalEndpoint).Port;
        var error = await Refused($"Host=localhost;Port={port};Username=u;Password=secret;GSS Encryption Mode=Require;Timeout=60");
        Assert.That(error.Message, Does.Contain(message));
        Assert.That(await received, Is.EqualTo(("0000000804D21630", 0)));
    }

    [Test]
    public async Task A_Unix_socket_is_never_encrypted()
    {
        await using var source = PgDataSource.Create($"{TestServer.Default.ConnectionString};Host={TestServer.Default.SocketDirectory};GSS Encryption Mode=Require");
        await using var command = source.CreateCommand("SELECT 1");
        Assert.That(await mode.ExecuteScalar(command), Is.EqualTo(1));
    }

    private async Task<(string? User, bool Authenticated, string? Principal)> Facts(PgDataSource source)
    {
        await using var connection = source.CreateConnection();
        await mode.Open(connection);
        await using var command = new PgCommand(
            "SELECT current_user::text, gss_authenticated, principal FROM pg_stat_gssapi WHERE pid = pg_backend_pid()", connection);
        await using var reader = await mode.ExecuteReader(command);
        Assert.That(await mode.Read(reader), Is.True);
        return (reader.GetString(0), reader.GetBoolean(1), reader.IsDBNull(2) ? null : reader.GetString(2));
    }

    private async Task<PgException> Refused(string connectionString)
    {
        await using var source = PgDataSource.Create(connectionString);
        return await Refused(source);
    }

    private async Task<PgException> Refused(PgDataSource source)
    {
        await using var connection = source.CreateConnection();
        try
        {
            await mode.Open(connection);
        }
        catch (PgException e)
        {
            return e;
        }
        throw new AssertionException("The login was not refused.");
    }
}
