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

    [Test]
    public async Task Npgsql_gets_the_same_answers()
    {
        await using var source = Npgsql.NpgsqlDataSource.Create(KerberosRealm.Shared.ConnectionString + ";GSS Encryption Mode=Disable");
        await using var command = source.CreateCommand("SELECT gss_authenticated FROM pg_stat_gssapi WHERE pid = pg_backend_pid()");
        Assert.That(await command.ExecuteScalarAsync(), Is.True);
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
