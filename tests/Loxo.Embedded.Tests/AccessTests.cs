namespace Loxo.Embedded.Tests;

/// <summary>Who gets in: roles, passwords, pg_hba lines.</summary>
public class AccessTests
{
    [Test]
    public void A_password_is_asked_for_when_there_is_one()
    {
        using var server = Servers.Start(new PgEmbeddedServerOptions { Superuser = "the boss", Password = "se;cret" });
        using var client = MiniClient.Connect(server, "the boss");

        Assert.That(client.AuthenticationAsked, Is.EqualTo(10), "SASL");
        Assert.That(server.ConnectionString, Does.Contain("Username=\"the boss\"").Or.Contain("Username=the boss"));
        Assert.That(server.ConnectionString, Does.Contain("Password=\"se;cret\""));
    }

    [Test]
    public void Hba_lines_come_before_the_defaults_and_the_password_fits()
    {
        using var server = Servers.Start(new PgEmbeddedServerOptions { Password = "secret", HbaLines = ["host all all 127.0.0.1/32 password"] });

        using var client = MiniClient.Connect(server, "postgres", "secret");

        Assert.That(client.AuthenticationAsked, Is.EqualTo(3), "cleartext");
        Assert.That(client.Ask("SELECT current_user"), Is.EqualTo("postgres"));
        Assert.That(() => MiniClient.Connect(server, "postgres", "wrong"), Throws.InvalidOperationException.With.Message.Contains("28P01"));
    }

    [Test]
    public void Initial_statements_run_once_and_are_there_at_every_start()
    {
        string[] statements = ["CREATE ROLE \"some one\" LOGIN;", "CREATE FUNCTION answer() RETURNS text LANGUAGE sql AS $$\n  SELECT 'größer';\n$$"];
        var options = Servers.Fetching(new PgEmbeddedServerOptions { InitialStatements = statements });
        for (var start = 0; start < 2; start++)
        {
            using var server = PgEmbeddedServer.Start(options);
            using var client = MiniClient.Connect(server, "some one");
            Assert.That(client.Ask("SELECT current_user || answer()"), Is.EqualTo("some onegrößer"));
        }
    }

    [Test]
    public void A_failing_initial_statement_is_reported_with_the_servers_words()
    {
        var options = Servers.Fetching(new PgEmbeddedServerOptions { InitialStatements = ["CREATE ROLE fine", "CREATE TABEL broken ()"] });

        var error = Assert.Throws<PgEmbeddedServerException>(() => PgEmbeddedServer.Start(options));

        Assert.That(error!.Message, Does.Contain("InitialStatements").And.Contain("syntax error at or near \"TABEL\""));
    }
}
