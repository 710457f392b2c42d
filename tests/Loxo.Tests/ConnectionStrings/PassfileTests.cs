using Loxo.Settings;
using Loxo.Transport;

namespace Loxo.Tests.ConnectionStrings;

public class PassfileTests
{
    [TestCase("db:5432:shop:ann:secret", "secret")]
    [TestCase("*:*:*:*:secret", "secret")]
    [TestCase("db:*:shop:*:secret", "secret")]
    [TestCase("other:5432:shop:ann:no\ndb:5432:shop:ann:first\ndb:5432:shop:ann:second", "first")]
    [TestCase("db:5433:shop:ann:no", null)]
    [TestCase("db:5432:till:ann:no", null)]
    [TestCase("db:5432:shop:bob:no", null)]
    [TestCase("DB:5432:shop:ann:no", null)]
    [TestCase("#db:5432:shop:ann:no\n\ndb:5432:shop:ann:secret", "secret")]
    [TestCase("db:5432:shop:ann:se\\:cr\\\\et", "se:cr\\et")]
    [TestCase("db:5432:shop:ann:se:cret", "se")]
    [TestCase("db:5432:shop:ann:it's #1 \\", "it's #1 \\")]
    [TestCase("d\\b:5432:shop:ann:secret", "secret")]
    [TestCase("\\*:5432:shop:ann:no", null)]
    [TestCase("**:5432:shop:ann:no", null)]
    [TestCase("db:5432:shop:ann", null)]
    [TestCase("db:5432", null)]
    [TestCase("db:5432:shop:ann:\ndb:5432:shop:ann:secret", "secret")]
    [TestCase("db:5432:shop:ann:secret\r\nother:1:1:1:no\r\n", "secret")]
    [TestCase("", null)]
    public void The_first_line_that_matches_gives_the_password(string file, string? password) =>
        Assert.That(Passfile.Search(file.ReplaceLineEndings("\n").Split('\n'), new("db", 5432), "shop", "ann"), Is.EqualTo(password));

    [TestCase("localhost:5432:shop:ann:secret", "/run/postgresql", "secret")]
    [TestCase("localhost:5432:shop:ann:secret", "/var/run/postgresql", "secret")]
    [TestCase("localhost:5432:shop:ann:secret", "/tmp", "secret")]
    [TestCase("localhost:5432:shop:ann:no", "/srv/sockets", null)]
    [TestCase("/srv/sockets:5432:shop:ann:secret", "/srv/sockets", "secret")]
    [TestCase("\\:\\:1:5432:shop:ann:secret", "::1", "secret")]
    public void A_socket_in_its_usual_place_is_called_localhost(string line, string host, string? password) =>
        Assert.That(Passfile.Search([line], new(host, 5432), "shop", "ann"), Is.EqualTo(password));

    [Test]
    public void The_keyword_goes_before_PGPASSWORD_and_that_before_the_file()
    {
        using var file = new TemporaryFile("*:*:*:*:fromfile");
        var environment = Given.Environment(new() { ["PGPASSFILE"] = file.Path });
        var withPassword = Given.Environment(new() { ["PGPASSFILE"] = file.Path, ["PGPASSWORD"] = "fromvariable" });

        Assert.That(Given.Settings("Host=h", environment).Session.Password, Is.EqualTo("fromfile"));
        Assert.That(Given.Settings("Host=h", withPassword).Session.Password, Is.EqualTo("fromvariable"));
        Assert.That(Given.Settings("Host=h;Password=fromkeyword", withPassword).Session.Password, Is.EqualTo("fromkeyword"));
    }

    [Test]
    public void The_file_is_that_of_the_keyword_of_PGPASSFILE_or_of_the_user()
    {
        using var own = new TemporaryFile("*:*:*:*:own");
        using var named = new TemporaryFile("*:*:*:*:named");
        using var home = new TemporaryFile("*:*:*:*:home");
        var environment = Given.Environment(new() { ["PGPASSFILE"] = named.Path }) with { DefaultPassfile = home.Path };

        Assert.That(Given.Settings($"Host=h;Passfile={own.Path}", environment).Session.Password, Is.EqualTo("own"));
        Assert.That(Given.Settings("Host=h", environment).Session.Password, Is.EqualTo("named"));
        Assert.That(Given.Settings("Host=h", Given.NoEnvironment with { DefaultPassfile = home.Path }).Session.Password, Is.EqualTo("home"));
    }

    [Test]
    public void The_line_has_to_match_what_is_connected_to()
    {
        using var file = new TemporaryFile("h:7:d:u:right\n*:*:*:*:other");

        Assert.That(Given.Settings($"Host=h;Port=7;Database=d;Username=u;Passfile={file.Path}").Session.Password, Is.EqualTo("right"));
        Assert.That(Given.Settings($"Host=h:7;Username=u;Passfile={file.Path}").Session.Password, Is.EqualTo("other"));
    }

    [Test]
    [Platform(Exclude = "Win")]
    public void A_file_that_others_can_read_is_passed_over_with_a_warning(
        [Values(UnixFileMode.GroupRead, UnixFileMode.GroupWrite, UnixFileMode.OtherRead, UnixFileMode.OtherExecute)] UnixFileMode open)
    {
        using var file = new TemporaryFile("*:*:*:*:secret");
        file.SetMode(UnixFileMode.UserRead | UnixFileMode.UserWrite | open);
        var warnings = new List<string>();

        var settings = Given.Settings($"Host=h;Passfile={file.Path}", Given.NoEnvironment with { Warn = warnings.Add });

        Assert.That(settings.Session.Password, Is.Null);
        Assert.That(warnings.Single(),
            Is.EqualTo($"The password file '{file.Path}' was not used: its group or others have access to it. Run chmod 0600 on it."));
    }

    [Test]
    public void A_directory_is_passed_over_with_a_warning_and_a_missing_file_without()
    {
        using var file = new TemporaryFile("*:*:*:*:secret");
        var directory = Path.GetDirectoryName(file.Path)!;
        var warnings = new List<string>();
        var environment = Given.NoEnvironment with { Warn = warnings.Add };

        Assert.That(Given.Settings($"Host=h;Passfile={directory}", environment).Session.Password, Is.Null);
        Assert.That(Given.Settings($"Host=h;Passfile={file.Path}.none", environment).Session.Password, Is.Null);
        Assert.That(warnings, Is.EqualTo(new[] { $"The password file '{directory}' was not used: it is a directory." }));
    }

    [Test]
    public void The_file_is_not_looked_at_when_there_is_a_password()
    {
        using var file = new TemporaryFile("*:*:*:*:secret");
        var warnings = new List<string>();

        Given.Settings($"Host=h;Password=p;Passfile={Path.GetDirectoryName(file.Path)}", Given.NoEnvironment with { Warn = warnings.Add });

        Assert.That(warnings, Is.Empty);
    }
}
