using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Authentication;

/// <summary>Logins with the keys of SCRAM instead of the password that they follow from.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ScramKeyTests(WaitMode mode)
{
    [Test]
    public async Task The_keys_of_the_stored_password_let_in_without_it()
    {
        var (client, server) = await Keys();
        Assert.That(await UserOf(Settings(client, server)), Is.EqualTo(TestServer.ScramUser));
        // They count, and not a password beside them.
        var settings = Settings(client, server);
        settings.Password = "swordfish";
        Assert.That(await UserOf(settings), Is.EqualTo(TestServer.ScramUser));
    }

    [Test]
    public async Task A_wrong_client_key_is_refused_by_the_server_and_not_shown()
    {
        var (client, server) = await Keys();
        client[0] ^= 1;
        var error = await Refused<PostgresException>(Settings(client, server));
        Assert.That(error.SqlState, Is.EqualTo(SqlStates.InvalidPassword));
        Assert.That(error.ToString(), Does.Not.Contain(Convert.ToBase64String(client)));
    }

    [Test]
    public async Task A_server_that_does_not_have_the_server_key_is_refused()
    {
        var (client, server) = await Keys();
        server[31] ^= 1;
        var error = await Refused<PgException>(Settings(client, server));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.AuthenticationFailed));
        Assert.That(error.Message, Does.Contain("could not prove"));
        Assert.That(error.ToString(), Does.Not.Contain(Convert.ToBase64String(server)));
    }

    [Test]
    public async Task Where_another_method_is_asked_for_the_password_is_missing()
    {
        var (client, server) = await Keys();
        var settings = Settings(client, server);
        settings.Username = TestServer.Md5User;
        settings.Passfile = Path.Combine(Path.GetTempPath(), "no such file");
        Assert.That((await Refused<PgException>(settings)).Message, Does.Contain("none was given"));
    }

    [Test]
    public async Task The_connection_string_does_not_show_them_after_opening()
    {
        var (client, server) = await Keys();
        await using var connection = new PgConnection(Settings(client, server).ConnectionString);
        await mode.Open(connection);
        Assert.That(connection.ConnectionString, Does.Not.Contain(Convert.ToBase64String(client)).And.Not.Contain(Convert.ToBase64String(server)));
    }

    // By RFC 5802 from the password and from the salt that the server has stored; that both agree shows that the keys are the server's.
    private static async Task<(byte[] Client, byte[] Server)> Keys()
    {
        await using var source = PgDataSource.Create(TestServer.Passwords.ConnectionString);
        await using var command = source.CreateCommand("SELECT rolpassword FROM pg_authid WHERE rolname = $1");
        command.Parameters.AddWithValue(TestServer.ScramUser);
        var stored = ((string)(await command.ExecuteScalarAsync())!).Split('$', ':');
        var salted = Rfc2898DeriveBytes.Pbkdf2(
            TestServer.Password, Convert.FromBase64String(stored[2]), int.Parse(stored[1], CultureInfo.InvariantCulture), HashAlgorithmName.SHA256, 32);
        var client = HMACSHA256.HashData(salted, Encoding.ASCII.GetBytes("Client Key"));
        var server = HMACSHA256.HashData(salted, Encoding.ASCII.GetBytes("Server Key"));
        Assert.That(Convert.ToBase64String(SHA256.HashData(client)), Is.EqualTo(stored[3]));
        Assert.That(Convert.ToBase64String(server), Is.EqualTo(stored[4]));
        return (client, server);
    }

    private static PgConnectionStringBuilder Settings(byte[] client, byte[] server) => new(TestServer.Passwords.ConnectionString)
    {
        ["scram_client_key"] = Convert.ToBase64String(client),
        ["scram_server_key"] = Convert.ToBase64String(server),
        Username = TestServer.ScramUser,
        Pooling = false,
    };

    private async Task<object?> UserOf(PgConnectionStringBuilder settings)
    {
        await using var connection = new PgConnection(settings.ConnectionString);
        await mode.Open(connection);
        await using var command = new PgCommand("SELECT current_user::text", connection);
        return await mode.ExecuteScalar(command);
    }

    private async Task<T> Refused<T>(PgConnectionStringBuilder settings)
        where T : Exception
    {
        await using var connection = new PgConnection(settings.ConnectionString);
        try
        {
            await mode.Open(connection);
        }
        catch (T error)
        {
            return error;
        }
        throw new AssertionException("The login should have been refused.");
    }
}
