using Loxo.Protocol.Authentication;
using Loxo.Settings;

namespace Loxo.Tests.ConnectionStrings;

/// <summary>What is not in the connection string is looked for in libpq's environment variables, and only then has its default.</summary>
public class EnvironmentTests
{
    private sealed record Row(string Variable, string Value, string Keyword, string Explicit, Func<ConnectionSettings, object?> Read, object? FromVariable);

    private static readonly Row[] _variables =
    [
        new("PGHOST", "envhost", "Host", "h", settings => settings.Transport.Host.Host, "envhost"),
        new("PGPORT", "6000", "Port", "7", settings => settings.Transport.Host.Port, 6000),
        new("PGDATABASE", "envdb", "Database", "d", settings => settings.Session.Database, "envdb"),
        new("PGUSER", "envuser", "Username", "u", settings => settings.Session.User, "envuser"),
        new("PGPASSWORD", "envpass", "Password", "p", settings => settings.Session.Password, "envpass"),
        new("PGAPPNAME", "envapp", "Application Name", "a", settings => settings.Session.ApplicationName, "envapp"),
        new("PGTZ", "Asia/Tokyo", "Timezone", "UTC", settings => settings.Session.Timezone, "Asia/Tokyo"),
        new("PGOPTIONS", "-c a=b", "Options", "-c c=d", settings => settings.Session.Options, "-c a=b"),
        new("PGSSLMODE", "verify-full", "SSL Mode", "Disable", settings => settings.Transport.Tls.Mode, SslMode.VerifyFull),
        new("PGSSLROOTCERT", "/env/ca", "Root Certificate", "/ca", settings => settings.Transport.Tls.RootCertificate, "/env/ca"),
        new("PGCHANNELBINDING", "disable", "Channel Binding", "Require", settings => settings.Session.ChannelBinding, ChannelBinding.Disable),
        new("PGREQUIREAUTH", "scram-sha-256", "Require Auth", "MD5", settings => settings.Session.RequireAuth, AuthenticationMethods.ScramSha256),
        new("PGHOSTADDR", "10.0.0.9", "Host Address", "10.0.0.1", settings => settings.Transport.Host.Address, "10.0.0.9"),
        new("PGDATESTYLE", "ISO, DMY", "DateStyle", "ISO", settings => settings.Session.DateStyle, "ISO, DMY"),
        new("PGGEQO", "off", "Geqo", "on", settings => settings.Session.Geqo, "off"),
        new("PGREQUIREPEER", "postgres", "requirepeer", "me", settings => settings.Transport.ServerUser, "postgres"),
        new("PGGSSDELEGATION", "1", "gssdelegation", "0", settings => settings.Session.DelegatesCredentials, true),
        new("PGCONNECT_TIMEOUT", "5", "Timeout", "9", settings => settings.Session.OpenTimeout, TimeSpan.FromSeconds(5)),
    ];

    private static IEnumerable<TestCaseData> Variables() =>
        _variables.Select((row, index) => new TestCaseData(index).SetArgDisplayNames(row.Variable));

    [TestCaseSource(nameof(Variables))]
    public void A_variable_goes_before_the_default_and_a_keyword_before_the_variable(int index)
    {
        var row = _variables[index];
        var environment = Given.Environment(new() { [row.Variable] = row.Value });
        var host = row.Variable == "PGHOST" ? "" : "Host=h;";

        var fromVariable = row.Read(Given.Settings(host, environment));
        var fromKeyword = row.Read(Given.Settings($"{host}{row.Keyword}={row.Explicit}", environment));
        var withoutVariable = row.Read(Given.Settings($"{host}{row.Keyword}={row.Explicit}"));

        Assert.That(fromVariable, Is.EqualTo(row.FromVariable));
        Assert.That(fromKeyword, Is.EqualTo(withoutVariable).And.Not.EqualTo(row.FromVariable));
    }

    [TestCase("PGGSSENCMODE", "disable"), TestCase("PGSSLNEGOTIATION", "postgres"), TestCase("PGTARGETSESSIONATTRS", "any")]
    [TestCase("PGCLIENTENCODING", "UTF8"), TestCase("PGSSLCOMPRESSION", "0"), TestCase("PGSSLCERTMODE", "allow"), TestCase("PGSSLSNI", "1")]
    [TestCase("PGMINPROTOCOLVERSION", "3.0"), TestCase("PGMAXPROTOCOLVERSION", "3.0"), TestCase("PGGSSLIB", "gssapi"), TestCase("PGGSSDELEGATION", "0")]
    [TestCase("PGKRBSRVNAME", "postgres"), TestCase("PGLOADBALANCEHOSTS", "disable"), TestCase("PGSYSCONFDIR", "/nowhere"), TestCase("PGSERVICEFILE", "/nowhere")]
    public void A_variable_that_is_satisfied_changes_nothing(string variable, string value) =>
        Assert.That(Given.Settings("Host=h", Given.Environment(new() { [variable] = value })) with { Hosts = [] },
            Is.EqualTo(Given.Settings("Host=h") with { Hosts = [] }));

    [TestCase("PGCLIENTENCODING", "LATIN1")]
    [TestCase("PGGSSLIB", "heimdal")]
    public void A_variable_that_asks_for_what_is_not_built_is_refused(string variable, string value) =>
        Assert.That(() => Given.Settings("Host=h", Given.Environment(new() { [variable] = value })),
            Throws.TypeOf<NotSupportedException>().With.Message.Contains($"={value}' (from the environment variable {variable}) asks for").IgnoreCase);

    [TestCase("PGPORT", "none", "Couldn't set 'Port' to 'none' (from the environment variable PGPORT): expected a port from 1 to 65535.")]
    [TestCase("PGSSLMODE", "no",
        "Couldn't set 'SSL Mode' to 'no' (from the environment variable PGSSLMODE): expected one of Disable, Allow, Prefer, Require, VerifyCA, VerifyFull.")]
    [TestCase("PGREQUIREAUTH", "magic",
        "Couldn't set 'Require Auth' to 'magic' (from the environment variable PGREQUIREAUTH): expected a comma list of Password, MD5, GSS, SSPI, ScramSHA256, OAuth, None; 'magic' is none of them.")]
    public void A_malformed_variable_is_named(string variable, string value, string message) =>
        Assert.That(() => Given.Settings("Host=h", Given.Environment(new() { [variable] = value })),
            Throws.ArgumentException.With.Message.EqualTo(message));

    [Test]
    public void A_keyword_hides_a_malformed_variable() =>
        Assert.That(() => Given.Settings("Host=h;Port=7", Given.Environment(new() { ["PGPORT"] = "x" })), Throws.Nothing);

    [Test]
    public void An_empty_variable_counts_as_none() =>
        Assert.That(Given.Settings("Host=h", Given.Environment(new() { ["PGUSER"] = "", ["PGPORT"] = "" })) with { Hosts = [] },
            Is.EqualTo(Given.Settings("Host=h") with { Hosts = [] }));

    [Test]
    public void The_database_is_named_like_the_user_whoever_named_that()
    {
        Assert.That(Given.Settings("Host=h;Username=u").Session.Database, Is.EqualTo("u"));
        Assert.That(Given.Settings("Host=h", Given.Environment(new() { ["PGUSER"] = "envuser" })).Session.Database, Is.EqualTo("envuser"));
        Assert.That(Given.Settings("Host=h").Session.Database, Is.EqualTo("osuser"));
    }

    [Test]
    public void The_environment_stays_out_of_the_builder()
    {
        var builder = new PgConnectionStringBuilder("Host=h");
        builder.ToSettings(Given.Environment(new() { ["PGUSER"] = "envuser" }));

        Assert.That((builder.ConnectionString, builder.Username), Is.EqualTo(("Host=h", (string?)null)));
    }

    [Test]
    public void The_process_has_a_user_and_the_places_of_his_files()
    {
        var environment = SettingsEnvironment.OfProcess();

        Assert.That(environment.UserName, Is.EqualTo(Environment.UserName));
        Assert.That(environment.Variable("PATH"), Is.EqualTo(Environment.GetEnvironmentVariable("PATH")));
        if (!OperatingSystem.IsWindows())
        {
            var home = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);
            Assert.That((environment.DefaultPassfile, environment.DefaultRootCertificate),
                Is.EqualTo((Path.Combine(home, ".pgpass"), Path.Combine(home, ".postgresql/root.crt"))));
            Assert.That((environment.DefaultClientCertificate, environment.DefaultClientKey, environment.DefaultRevocationList), Is.EqualTo((
                Path.Combine(home, ".postgresql/postgresql.crt"), Path.Combine(home, ".postgresql/postgresql.key"), Path.Combine(home, ".postgresql/root.crl"))));
        }
    }
}
