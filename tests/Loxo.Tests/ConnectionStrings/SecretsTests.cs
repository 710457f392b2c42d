using FsCheck;
using FsCheck.Fluent;
using Loxo.Settings;

namespace Loxo.Tests.ConnectionStrings;

/// <summary>Whatever goes wrong around a password, no message and no record shows it or a piece of it.</summary>
public class SecretsTests
{
    private const string Secret = "hunter2";

    [TestCase("Password=hunter2\0")]
    [TestCase("Password='hunter2")]
    [TestCase("Password='hunter2'x")]
    [TestCase("Password=hunter2'")]
    [TestCase("Password=hunter2\u0001")]
    [TestCase("Password=a;hunter2")]
    [TestCase("Password=a;hunter2;Host=b")]
    [TestCase("PWD=a;hunter2=b")]
    [TestCase("Password=a;x='hunter2")]
    [TestCase("Password=a;hunter2='x")]
    [TestCase("Password=a;hunter2=x'")]
    [TestCase("SSL Password=a;hunter2=b")]
    [TestCase("Host=localhost user=me password=hunter2")]
    [TestCase("Host=a;Port=5432 password = hunter2")]
    [TestCase("user:hunter2@host")]
    [TestCase("Host=user:hunter2@host:x")]
    [TestCase("postgress://user:hunter2@host/db")]
    [TestCase("postgress://user:hunter2@host/db?sslmode=require")]
    [TestCase("jdbc:postgresql://user:hunter2@host/db?a=b")]
    [TestCase("postgres://user:hunter2%00@host/db")]
    [TestCase("postgres://user:hunter2%zz@host/db")]
    [TestCase("postgres://user:%zhunter2@host/db")]
    [TestCase("postgres://user:hunter2%ff@host/db")]
    [TestCase("postgres://user:a/hunter2@host/db")]
    [TestCase("postgres://user:hunter2/a@host/db")]
    [TestCase("postgres://user:a@hunter2@host/db")]
    [TestCase("postgres://user:a?hunter2@host/db")]
    [TestCase("postgres://user:hunter2?a/b@host/db")]
    [TestCase("Password=a;b=c;hunter2")]
    [TestCase("Passwrd=a;hunter2")]
    [TestCase("Host=h;Passwrd=a;b=c;hunter2")]
    [TestCase("postgres://user:1?hunter2/b=@host/db")]
    [TestCase("postgres://user:a@hunter2:x@host/db")]
    [TestCase("postgres://user:1/a?hunter2@host")]
    [TestCase("postgres://host/db?password=hunter2%zz")]
    [TestCase("postgres://host/db?password=hunter2%00")]
    public void An_error_of_parsing_shows_no_password(string text)
    {
        Assert.That(Given.ErrorOf(text), Does.Not.Contain(Secret).And.Not.Contain("hunter"));
        Assert.That(() => new PgConnectionStringBuilder { ConnectionString = text }, Throws.ArgumentException);
    }

    [Test]
    public void What_stands_after_a_password_without_quotes_is_explained_but_not_shown()
    {
        Assert.That(Given.ErrorOf("Password=a;bc"),
            Is.EqualTo("The connection string has no '=' in the part at character 12, right after the value of 'Password'. " +
                "A value that contains ';' has to be quoted: Password=\"...\"."));
        Assert.That(Given.ErrorOf("Password=a;bc=d"),
            Is.EqualTo("The connection string has an unknown keyword at character 12, right after the value of 'Password'. " +
                "A value that contains ';' has to be quoted: Password=\"...\"."));
        Assert.That(Given.ErrorOf("Password=a;Hots=d"), Does.Contain("'Hots'").And.Contain("'Host'"));
    }

    [Test]
    public void A_URI_through_the_base_class_is_refused_without_showing_it()
    {
        System.Data.Common.DbConnectionStringBuilder builder = new PgConnectionStringBuilder();

        Assert.That(() => builder.ConnectionString = "postgres://user:hunter2@host/db?sslmode=require",
            Throws.ArgumentException.With.Message.Not.Contain("hunter2"));
    }

    [Test]
    public void An_error_of_a_password_from_the_environment_names_the_variable_only()
    {
        var environment = Given.Environment(new() { ["PGPASSWORD"] = "hunter2\0" });

        Assert.That(() => Given.Settings("Host=a", environment), Throws.ArgumentException.With.Message.EqualTo(
            "Couldn't set 'Password' (from the environment variable PGPASSWORD): character 8 of the value is NUL, which PostgreSQL cannot take."));
    }

    [TestCase("scram_client_key", "hunter2")]
    [TestCase("scram_server_key", "hunter22")]
    public void A_refused_secret_is_not_shown(string keyword, string value) =>
        Assert.That(() => Given.Settings($"Host=a;{keyword}={value}"), Throws.ArgumentException.With.Message.EqualTo(
            $"Couldn't set '{keyword}': expected a key of 32 bytes in base64."));

    [Test]
    public void No_record_prints_the_password()
    {
        var settings = Given.Settings("Host=a;Username=u;Password=hunter2");

        Assert.That(settings.Session.Password, Is.EqualTo(Secret));
        foreach (object record in new object[] { settings, settings.Session, settings.Transport, settings.Transport.Tls, settings.Transport.Host })
            Assert.That(record.ToString(), Does.Not.Contain(Secret));
        Assert.That(settings.ToString(), Does.Contain("a:5432").And.Contain("Username=u"));
        Assert.That(settings.Session.ToString(), Does.Contain("User = u").And.Contain("Password = (hidden)"));
        Assert.That(Given.Settings("Host=a").Session.ToString(), Does.Contain("Password = none"));
    }

    [TestCase("Host=a;Password=hunter2;Port=7", "Host=a;Port=7")]
    [TestCase("PWD=hunter2", "")]
    [TestCase("Server=a ; port=7", "Server=a ; port=7")]
    [TestCase("Server=a;Password=hunter2;Password=", "Host=a")]
    [TestCase("postgres://u:hunter2@a:7/db", "Username=u;Host=a;Port=7;Database=db")]
    [TestCase("postgres://u@a/db", "postgres://u@a/db")]
    public void The_string_without_password_is_otherwise_complete(string given, string shown)
    {
        var settings = Given.Settings(given, Given.Environment(new() { ["PGHOST"] = "h" }));

        Assert.That(settings.ConnectionString, Is.EqualTo(given));
        Assert.That(settings.ConnectionStringWithoutPassword, Is.EqualTo(shown));
    }

    [Test]
    public void A_password_from_the_environment_is_in_neither_string()
    {
        var settings = Given.Settings("Host=a", Given.Environment(new() { ["PGPASSWORD"] = Secret }));

        Assert.That(settings.ConnectionString + settings.ConnectionStringWithoutPassword, Does.Not.Contain(Secret));
    }

    [TestCase("Host=a", false), TestCase("Host=a;Persist Security Info=true", true)]
    public void Whether_the_password_may_be_shown_after_opening_travels_along(string text, bool persists) =>
        Assert.That(Given.Settings(text).PersistSecurityInfo, Is.EqualTo(persists));

    [Test]
    public void A_changed_builder_gives_its_new_string()
    {
        var builder = new PgConnectionStringBuilder("server=a") { Port = 7 };
        Assert.That(builder.ToSettings(Given.NoEnvironment).ConnectionString, Is.EqualTo("Host=a;Port=7"));

        builder.ConnectionString = "server=b";
        Assert.That(builder.ToSettings(Given.NoEnvironment).ConnectionString, Is.EqualTo("server=b"));

        builder.Remove("Port");
        Assert.That(builder.ToSettings(Given.NoEnvironment).ConnectionString, Is.EqualTo("Host=b"));
    }

    [Test]
    public void No_error_of_a_URI_shows_a_password_that_should_have_been_encoded()
    {
        var pieces = Gen.Elements(":", "@", "/", "?", "&", "=", "%", "a", "1", "#", ",", "[", "]", ";", " ", "'", "\0")
            .ListOf().Select(parts => string.Concat(parts));
        Prop.ForAll(pieces.ToArbitrary(), pieces.ToArbitrary(), (before, after) =>
        {
            try
            {
                _ = new PgConnectionStringBuilder($"postgres://user:{before}{Secret}{after}@host/db");
                return true;
            }
            catch (ArgumentException error)
            {
                return !error.ToString().Contains(Secret);
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(3000));
    }

    [Test]
    public void No_error_shows_a_quoted_password_whatever_follows_it()
    {
        var tails = Gen.Elements("x", "=", "=y", "x=y", ";z", ";Port=x", ";Host=a b", ";Elephant=1", "'", "\"", "\0", ";Port='", ";SSL Mode=zz");
        Prop.ForAll(tails.ListOf().Select(parts => string.Concat(parts)).ToArbitrary(), tail =>
        {
            try
            {
                var builder = new PgConnectionStringBuilder($"Host=a;Password=\"q{Secret};{Secret}\"" + tail);
                return !builder.ToSettings(Given.NoEnvironment).ToString().Contains(Secret);
            }
            catch (Exception error) when (error is ArgumentException or NotSupportedException)
            {
                return !error.ToString().Contains(Secret);
            }
        }).QuickCheckThrowOnFailure();
    }
}
