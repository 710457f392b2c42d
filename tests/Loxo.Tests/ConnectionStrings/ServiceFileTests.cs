using Loxo.Settings;

namespace Loxo.Tests.ConnectionStrings;

/// <summary>Services as libpq reads them (the manual, 34.17).</summary>
public class ServiceFileTests
{
    private const string Shop = "# services\n[other]\nhost=no\n\n[shop]\n  host=db\nport=7\nport=8\ndbname=d \nuser=u=v\napplication_name=a b\n[shop]\nhost=again\n";

    [Test]
    public void A_service_gives_the_parameters_of_its_first_section()
    {
        using var file = new TemporaryFile(Shop);
        var settings = Given.Settings($"Service=shop;Service File={file.Path}");

        Assert.That(settings.Transport.Host, Is.EqualTo(new Loxo.Transport.HostAddress("db", 7)));
        Assert.That((settings.Session.Database, settings.Session.User, settings.Session.ApplicationName), Is.EqualTo(("d", "u=v", "a b")));
    }

    [Test]
    public void The_connection_string_goes_before_the_service_and_that_before_the_environment()
    {
        using var file = new TemporaryFile(Shop);
        var environment = Given.Environment(new()
        {
            ["PGSERVICE"] = "shop", ["PGSERVICEFILE"] = file.Path, ["PGPORT"] = "9", ["PGUSER"] = "environment", ["PGOPTIONS"] = "-c a=b",
        });
        var settings = Given.Settings("Username=own", environment);

        Assert.That((settings.Session.User, settings.Transport.Host.Port, settings.Session.Options), Is.EqualTo(("own", 7, "-c a=b")));
        Assert.That(Given.Settings("postgres://own@?port=5", environment).Transport.Host, Is.EqualTo(new Loxo.Transport.HostAddress("db", 5)));
    }

    [Test]
    public void The_users_file_goes_before_that_of_all_users()
    {
        using var own = new TemporaryFile("[a]\nhost=own\n");
        using var system = new TemporaryFile("");
        var directory = Path.GetDirectoryName(system.Path)!;
        File.WriteAllText(Path.Combine(directory, "pg_service.conf"), "[a]\nhost=system\n[b]\nhost=system\n");
        var environment = Given.NoEnvironment with { DefaultServiceFile = own.Path, SystemDirectories = ["/nowhere", directory] };
        var elsewhere = Given.Environment(new() { ["PGSYSCONFDIR"] = directory });

        Assert.That(Given.Settings("Service=a", environment).Transport.Host.Host, Is.EqualTo("own"));
        Assert.That(Given.Settings("Service=b", environment).Transport.Host.Host, Is.EqualTo("system"));
        Assert.That(Given.Settings("Service=a;Service File=/nowhere", environment).Transport.Host.Host, Is.EqualTo("system"));
        Assert.That(Given.Settings("Service=b", elsewhere).Transport.Host.Host, Is.EqualTo("system"));
    }

    [Test]
    public void A_service_that_no_file_has_is_named_with_the_files()
    {
        using var file = new TemporaryFile(Shop);

        Assert.That(() => Given.Settings($"Service=shopp;Service File={file.Path}"), Throws.ArgumentException.With.Message.EqualTo(
            $"'Service' names 'shopp', which is not defined in {file.Path}. Add a section [shopp] to the file, or name another one in 'Service File' or PGSERVICEFILE."));
    }

    [TestCase("nonsense", "The service file has a line without '=' in line 2 of {0}.")]
    [TestCase("elephant=1", "The service file has the unknown parameter 'elephant' in line 2 of {0}.")]
    [TestCase("Command Timeout=1", "The service file has the unknown parameter 'Command Timeout' in line 2 of {0}.")]
    [TestCase("service=b", "The service file has a service within a service in line 2 of {0}.")]
    [TestCase("servicefile=/b", "The service file has a service within a service in line 2 of {0}.")]
    [TestCase("ldap://h/dn?a", "The service file has an LDAP address, which is not supported, in line 2 of {0}.")]
    [TestCase("port=x", "Couldn't set 'Port' to 'x' (from line 2 of {0}): expected a port from 1 to 65535.")]
    [TestCase("password=s\0", "Couldn't set 'Password' (from line 2 of {0}): character 2 of the value is NUL, which PostgreSQL cannot take.")]
    public void A_malformed_line_is_named(string line, string message)
    {
        using var file = new TemporaryFile($"[a]\n{line}\n");

        Assert.That(() => Given.Settings($"Host=h;Service=a;Service File={file.Path}"),
            Throws.ArgumentException.With.Message.EqualTo(string.Format(System.Globalization.CultureInfo.InvariantCulture, message, file.Path)));
    }

    [Test]
    public void What_is_not_built_is_refused_with_its_line()
    {
        using var file = new TemporaryFile("[a]\ngsslib=me\nlog=1\n[b]\n");

        Assert.That(() => Given.Settings($"Host=h;Service=a;Service File={file.Path}"), Throws.ArgumentException);
        File.WriteAllText(file.Path, "[a]\ngsslib=me\n");
        Assert.That(() => Given.Settings($"Host=h;Service=a;Service File={file.Path}"),
            Throws.TypeOf<NotSupportedException>().With.Message.Contains($"'gsslib=me' (from line 2 of {file.Path}) asks for"));
    }

    [Test]
    public void A_section_of_another_service_may_be_malformed() =>
        Assert.That(ServiceFile.Parse("b", ["[a]", "nonsense", "[b]", "host=h"], "f")!.Keys, Is.EqualTo(new[] { Keywords.Host }));

    [Test]
    public void A_password_of_a_service_is_shown_nowhere()
    {
        using var file = new TemporaryFile("[a]\nhost=h\npassword=hunter2\n");
        var settings = Given.Settings($"Service=a;Service File={file.Path}");

        Assert.That(settings.Session.Password, Is.EqualTo("hunter2"));
        Assert.That(settings.ToString() + settings.Session + settings.ConnectionString + settings.ConnectionStringWithoutPassword, Does.Not.Contain("hunter2"));
    }
}
