using Loxo.Embedded;
using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Authentication;

/// <summary>Methods that the server checks elsewhere: a directory, the operating system.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class OtherMethodTests(WaitMode mode)
{
    [Test]
    public async Task A_directory_checks_a_password_that_is_sent_in_clear()
    {
        var settings = DirectoryServer.Shared.Settings();
        settings.Password = DirectoryServer.Password;
        Assert.That(await UserOf(settings), Is.EqualTo(DirectoryServer.User));

        settings.Password = "wrong";
        Assert.That(async () => await UserOf(settings), Throws.TypeOf<PostgresException>().With.Message.Contains("LDAP"));

        settings.Password = DirectoryServer.Password;
        settings.RequireAuth = "!password";
        Assert.That(async () => await UserOf(settings), Throws.TypeOf<PgException>().With.Message.Contains("'Require Auth'"));
    }

    [Test]
    public async Task The_operating_systems_user_lets_in_over_the_Unix_socket()
    {
        var options = TestServer.Options();
        options.InitialStatements.Add("CREATE ROLE peer_user LOGIN");
        options.HbaLines.Add("local all peer_user peer map=tests");
        await using var server = PgEmbeddedServer.Start(options);
        await File.AppendAllTextAsync(Path.Combine(server.DataDirectory, "pg_ident.conf"), $"tests {Environment.UserName} peer_user\n");
        await using (var source = PgDataSource.Create(server.ConnectionString))
        {
            await using var reload = source.CreateCommand("SELECT pg_reload_conf()");
            await mode.ExecuteScalar(reload);
        }
        var settings = new PgConnectionStringBuilder
        {
            Host = server.SocketDirectory, Port = server.Port, Username = "peer_user", Database = "postgres", Pooling = false, Timeout = 60, RequireAuth = "none",
        };
        Assert.That(await Eventually(settings), Is.EqualTo("peer_user"));
        settings.RequireAuth = "scram-sha-256";
        Assert.That(async () => await UserOf(settings), Throws.TypeOf<PgException>().With.Message.Contains("no authentication at all"));
    }

    // The postmaster reads its files again at some time after pg_reload_conf has returned.
    private async Task<object?> Eventually(PgConnectionStringBuilder settings)
    {
        for (var attempts = 0; ; attempts++)
        {
            try
            {
                return await UserOf(settings);
            }
            catch (PostgresException e) when (e.SqlState == "28000" && attempts < 1000)
            {
                await Task.Yield();
            }
        }
    }

    private async Task<object?> UserOf(PgConnectionStringBuilder settings)
    {
        await using var connection = new PgConnection(settings.ConnectionString);
        await mode.Open(connection);
        await using var command = new PgCommand("SELECT current_user::text", connection);
        return await mode.ExecuteScalar(command);
    }
}
