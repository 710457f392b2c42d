using System.Data;

namespace Loxo.IntegrationTests.Connecting;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class LoginTests(WaitMode mode)
{
    private static readonly string[] Users = [TestServer.ScramUser, TestServer.Md5User, TestServer.ClearUser];

    [Test]
    public async Task Each_method_lets_in_who_knows_the_password([ValueSource(nameof(Users))] string user)
    {
        Assert.That(await UserOf(For(TestServer.Passwords.ConnectionString, user)), Is.EqualTo(user));
    }

    [Test]
    public async Task Each_method_lets_in_over_the_Unix_socket([ValueSource(nameof(Users))] string user)
    {
        var settings = For(TestServer.Passwords.ConnectionString, user);
        settings.Host = TestServer.Passwords.SocketDirectory;

        Assert.That(await UserOf(settings), Is.EqualTo(user));
    }

    [Test]
    public async Task A_wrong_password_is_refused_and_not_shown([ValueSource(nameof(Users))] string user)
    {
        var settings = For(TestServer.Passwords.ConnectionString, user);
        settings.Password = "swordfish";

        var error = await Refused<PostgresException>(settings);

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.InvalidPassword));
        Assert.That(error.ToString(), Does.Not.Contain("swordfish"));
    }

    [Test]
    public async Task A_password_that_is_missing_is_asked_for([ValueSource(nameof(Users))] string user)
    {
        var settings = For(TestServer.Passwords.ConnectionString, user);
        settings.Password = null;
        settings.Passfile = Path.Combine(Path.GetTempPath(), "no such file");

        var error = await Refused<PgException>(settings);

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.AuthenticationFailed));
        Assert.That(error.Message, Does.Contain(user).And.Contain("Password").And.Contain($"{settings.Host}:{settings.Port}"));
    }

    [TestCase("ScramSha256", TestServer.ScramUser)]
    [TestCase("MD5", TestServer.Md5User)]
    [TestCase("Password", TestServer.ClearUser)]
    public async Task Require_Auth_lets_one_method_pass_and_no_other(string method, string allowed)
    {
        foreach (var user in Users)
        {
            var settings = For(TestServer.Passwords.ConnectionString, user);
            settings["Require Auth"] = method;
            if (user == allowed)
                Assert.That(await UserOf(settings), Is.EqualTo(user));
            else
                AssertNotAllowed(await Refused<PgException>(settings), settings);
        }
    }

    [Test]
    public async Task Require_Auth_refuses_a_server_that_asks_for_nothing()
    {
        var settings = new PgConnectionStringBuilder(TestServer.Passwords.ConnectionString) { ["Require Auth"] = "ScramSha256" };

        AssertNotAllowed(await Refused<PgException>(settings), settings);
    }

    [Test]
    public async Task A_password_file_is_read()
    {
        var settings = For(TestServer.Passwords.ConnectionString, TestServer.ScramUser);
        settings.Password = null;
        settings.Passfile = Path.GetTempFileName();
        try
        {
            await File.WriteAllLinesAsync(settings.Passfile,
            [
                $"{settings.Host}:{settings.Port}:*:somebody_else:wrong",
                $"{settings.Host}:{settings.Port}:*:{TestServer.ScramUser}:{TestServer.Password}",
            ]);
            if (!OperatingSystem.IsWindows())
                File.SetUnixFileMode(settings.Passfile, UnixFileMode.UserRead | UnixFileMode.UserWrite);

            Assert.That(await UserOf(settings), Is.EqualTo(TestServer.ScramUser));
        }
        finally
        {
            File.Delete(settings.Passfile);
        }
    }

    [TestCase("Require", true)]
    [TestCase("Prefer", true)]
    [TestCase("Disable", true)]
    [TestCase("Require", false)]
    public async Task Channel_binding_works_over_TLS_and_cannot_be_had_without(string binding, bool tls)
    {
        var settings = For(TestServer.Tls.ConnectionString, TestServer.ScramUser);
        settings["Channel Binding"] = binding;
        settings.SslMode = tls ? SslMode.Require : SslMode.Disable;

        if (tls)
        {
            Assert.That(await UserOf(settings), Is.EqualTo(TestServer.ScramUser));
            Assert.That(await FactsOf(settings), Is.EqualTo((true, true, binding != "Disable")));
        }
        else
            Assert.That((await Refused<PgException>(settings)).Message, Does.Contain("Channel Binding").And.Contain($"{settings.Host}:{settings.Port}"));
    }

    [TestCase(TestServer.ScramUser, true)]
    [TestCase(TestServer.Md5User, false)]
    [TestCase(TestServer.ClearUser, false)]
    public async Task A_connection_tells_how_it_has_logged_in(string user, bool isScram)
    {
        var settings = For(TestServer.Passwords.ConnectionString, user);

        Assert.That(await FactsOf(settings), Is.EqualTo((false, isScram, false)));
    }

    [Test]
    public async Task A_closed_connection_does_not_tell_how_it_had_logged_in()
    {
        await using var connection = new PgConnection(For(TestServer.Passwords.ConnectionString, TestServer.ScramUser).ConnectionString);
        await mode.Open(connection);
        await mode.Close(connection);

        Assert.Multiple(() =>
        {
            Assert.That(() => connection.IsSslEncrypted, Throws.InvalidOperationException);
            Assert.That(() => connection.IsGssEncrypted, Throws.InvalidOperationException);
            Assert.That(() => connection.IsScram, Throws.InvalidOperationException);
            Assert.That(() => connection.IsScramPlus, Throws.InvalidOperationException);
        });
    }

    private static void AssertNotAllowed(PgException error, PgConnectionStringBuilder settings)
    {
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.AuthenticationNotSupported));
        Assert.That(error.Message, Does.Contain("'Require Auth'").And.Contain($"{settings.Host}:{settings.Port}"));
    }

    private static PgConnectionStringBuilder For(string server, string user) =>
        new(server) { Username = user, Password = TestServer.Password };

    private async Task<object?> UserOf(PgConnectionStringBuilder settings)
    {
        await using var connection = new PgConnection(settings.ConnectionString);
        await mode.Open(connection);
        await using var command = new PgCommand("SELECT current_user::text", connection);
        return await mode.ExecuteScalar(command);
    }

    // Of a session from the pool, too, which has logged in long before.
    private async Task<(bool IsSslEncrypted, bool IsScram, bool IsScramPlus)> FactsOf(PgConnectionStringBuilder settings)
    {
        await using var connection = new PgConnection(settings.ConnectionString);
        for (var i = 0; i < 2; i++)
        {
            await mode.Close(connection);
            await mode.Open(connection);
        }
        return (connection.IsSslEncrypted, connection.IsScram, connection.IsScramPlus);
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
            Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
            return error;
        }
        throw new AssertionException("The login should have been refused.");
    }
}
