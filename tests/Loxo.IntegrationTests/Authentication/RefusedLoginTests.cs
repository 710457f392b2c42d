using Loxo.Embedded;
using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Authentication;

/// <summary>Logins that the server refuses: the error says where, why and what to change.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class RefusedLoginTests(WaitMode mode)
{
    [Test]
    public async Task A_wrong_password() =>
        await AssertRefused(TestServer.Passwords.ConnectionString + $";Username={TestServer.ScramUser};Password=hush", "28P01", "'Password'");

    [Test]
    public async Task A_database_that_does_not_exist() =>
        await AssertRefused(TestServer.Default.ConnectionString + ";Database=no_such_thing", "3D000", "'no_such_thing'");

    [Test]
    public async Task A_role_that_may_not_log_in() =>
        await AssertRefused(TestServer.Default.ConnectionString + ";Username=pg_monitor", "28000", "the role may log in");

    [Test]
    public async Task A_line_that_pg_hba_conf_does_not_have() =>
        await AssertRefused($"{TestServer.Tls.ConnectionString};Username={TestServer.CertificateUser};SSL Mode=Disable", "28000", "pg_hba.conf");

    [Test]
    public async Task A_renter_waits_until_a_full_server_has_a_place_again()
    {
        await using var server = PgEmbeddedServer.Start(FullOptions());
        var text = server.ConnectionString + ";Username=guest;Timeout=60";
        await using var others = PgDataSource.Create(text + ";Application Name=others");
        var held = new List<PgConnection>();
        try
        {
            while (held.Count < 2)
            {
                held.Add(others.CreateConnection());
                await mode.Open(held[^1]);
            }
            await AssertRefused(text + ";Pooling=false", "53300", "'Maximum Pool Size'");
            await AssertRefused(text + ";Timeout=3;Application Name=impatient", "53300", "'Maximum Pool Size'");

            await using var source = PgDataSource.Create(text);
            await using var connection = source.CreateConnection();
            var opening = Task.Run(() => mode.Open(connection));
            while (source.GetPoolStatistics()!.OpenFailed == 0)
                await Task.Delay(1);
            Assert.That(opening.IsCompleted, Is.False);
            held[0].Close();
            others.Clear();
            await opening;
            Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Open));
        }
        finally
        {
            held.ForEach(connection => connection.Dispose());
        }
    }

    [Test]
    public async Task A_renter_that_waits_for_a_full_server_takes_the_connection_that_its_own_pool_gets_back()
    {
        await using var server = PgEmbeddedServer.Start(FullOptions());
        await using var source = PgDataSource.Create(server.ConnectionString + ";Username=guest;Timeout=60");
        var held = new[] { source.CreateConnection(), source.CreateConnection() };
        foreach (var connection in held)
            await mode.Open(connection);
        await using var third = source.CreateConnection();
        var opening = Task.Run(() => mode.Open(third));
        while (source.GetPoolStatistics()!.OpenFailed == 0)
            await Task.Delay(1);
        var process = held[0].ProcessID;
        held[0].Close();
        await opening;
        Assert.That(third.ProcessID, Is.EqualTo(process));
        held[1].Close();
    }

    [Test]
    public async Task Of_several_hosts_a_full_one_is_asked_again_when_none_is_left()
    {
        await using var server = PgEmbeddedServer.Start(FullOptions());
        var settings = new PgConnectionStringBuilder(server.ConnectionString) { Username = "guest", Timeout = 60 };
        await using var others = PgDataSource.Create(settings.ConnectionString + ";Application Name=others");
        var held = new[] { others.CreateConnection(), others.CreateConnection() };
        foreach (var connection in held)
            await mode.Open(connection);
        settings.Host = $"{settings.Host},localhost";
        settings.Timeout = 1;
        await using (var impatient = new PgDataSourceBuilder(settings.ConnectionString).BuildMultiHost())
        {
            await using var refused = impatient.CreateConnection();
            var error = await DatabaseTest.Catch<PgException>(() => mode.Open(refused));
            Assert.That(error.ToString(), Does.Contain("53300: too many connections").And.Contain($":{settings.Port}").And.Contain("'Maximum Pool Size'"));
        }
        settings.Timeout = 60;
        await using var source = new PgDataSourceBuilder(settings.ConnectionString).BuildMultiHost();
        await using var patient = source.CreateConnection();
        var opening = Task.Run(() => mode.Open(patient));
        // Each host has refused once, and perhaps several times.
        while (source.HostDataSources.Any(host => host.GetPoolStatistics()!.OpenFailed == 0))
            await Task.Delay(1);
        Assert.That(opening.IsCompleted, Is.False);
        held[0].Close();
        others.Clear();
        await opening;
        Assert.That(patient.State, Is.EqualTo(System.Data.ConnectionState.Open));
        held[1].Close();
    }

    // Two places for a role that is no superuser.
    private static PgEmbeddedServerOptions FullOptions()
    {
        var options = TestServer.Options();
        options.InitialStatements.Add("CREATE ROLE guest LOGIN");
        options.InitialStatements.Add("ALTER ROLE guest CONNECTION LIMIT 2");
        return options;
    }

    private async Task AssertRefused(string connectionString, string sqlState, string advice)
    {
        await using var source = PgDataSource.Create(connectionString);
        await using var connection = source.CreateConnection();
        try
        {
            await mode.Open(connection);
        }
        catch (PostgresException e)
        {
            var settings = new PgConnectionStringBuilder(connectionString);
            Assert.That(e.SqlState, Is.EqualTo(sqlState));
            Assert.That(e.Message, Does.StartWith(sqlState + ": ").And.Contain($"{settings.Host}:{settings.Port}").And.Contain(advice));
            Assert.That(e.ToString(), Does.Not.Contain("hush"));
            return;
        }
        throw new AssertionException("The login was not refused.");
    }
}
