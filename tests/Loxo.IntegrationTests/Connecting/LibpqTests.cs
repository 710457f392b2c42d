using System.Collections.Concurrent;
using System.Globalization;
using Loxo.Settings;

namespace Loxo.IntegrationTests.Connecting;

/// <summary>
/// URIs, service files, password files and environment variables lead where libpq leads: psql connects with the same input, and both report what they are connected to.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class LibpqTests(WaitMode mode)
{
    private const int Cases = 150;
    private const string OddUser = "libpq a@b:c/d?e#f%g", OddDatabase = "libpq ü&=+;'\"x";

    // libpq's name of each setting, and its variable.
    private static readonly (string Name, string Variable)[] _settings =
    [
        ("host", "PGHOST"), ("hostaddr", "PGHOSTADDR"), ("port", "PGPORT"), ("user", "PGUSER"), ("dbname", "PGDATABASE"), ("application_name", "PGAPPNAME"),
        ("options", "PGOPTIONS"), ("sslmode", "PGSSLMODE"), ("connect_timeout", "PGCONNECT_TIMEOUT"), ("client_encoding", "PGCLIENTENCODING"),
        ("keepalives", ""), ("keepalives_idle", ""), ("tcp_user_timeout", ""), ("target_session_attrs", "PGTARGETSESSIONATTRS"),
        ("gssencmode", "PGGSSENCMODE"), ("channel_binding", "PGCHANNELBINDING"), ("sslcompression", "PGSSLCOMPRESSION"),
    ];

    private static readonly ConcurrentDictionary<string, string?> _asked = new();
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("loxo-libpq-");

    [OneTimeSetUp]
    public async Task CreateOddNames()
    {
        if (Psql.Path is null)
            Assert.Ignore("psql is not installed, so that there is nothing to compare with.");
        await Run($"CREATE ROLE \"{OddUser}\" LOGIN");
        await Run($"CREATE DATABASE \"{OddDatabase.Replace("\"", "\"\"", StringComparison.Ordinal)}\"");
    }

    [OneTimeTearDown]
    public async Task DropOddNames()
    {
        _directory.Delete(recursive: true);
        if (Psql.Path is null)
            return;
        await Run($"DROP DATABASE \"{OddDatabase.Replace("\"", "\"\"", StringComparison.Ordinal)}\" WITH (FORCE)");
        await Run($"DROP ROLE \"{OddUser}\"");
    }

    // Each setting may stand in the URI, in the service and in the environment, with other values.
    [Test]
    public async Task Settings_from_everywhere_lead_to_the_same_connection([Range(0, 9)] int seed)
    {
        var connected = 0;
        for (var i = 0; i < Cases / 10; i++)
        {
            var random = new Random((seed * 1000) + i);
            var uri = random.Next(5) == 0 ? null : Uri(random);
            connected += await Compare(uri, Environment(random, random.Next(3) == 0), $"seed {seed}, case {i}") ? 1 : 0;
        }
        Assert.That(connected, Is.Not.Zero);
    }

    private static readonly string[] _uris =
    [
        "postgresql://", "postgres://{user}@{host}:{port}", "postgresql://{user}@{host}:{port}/", "postgresql://{user}@{host}:{port}/{db}",
        "postgresql://{user}@{host}:{port}/{db}?", "postgresql:///{db}?host={host}&port={port}&user={user}", "postgresql://?host={host}&port={port}&user={user}&dbname={db}",
        "postgresql://{socket}:{port}/{db}?user={user}", "postgresql:///{db}?host={socket}&port={port}&user={user}", "postgresql://{user}@:{port}/{db}?host={socket}",
        "postgresql://{user}@:{port}/{db}?hostaddr=127.0.0.1", "postgresql://{user}@nowhere.example:{port}/{db}?hostaddr=127.0.0.1",
        "postgresql://{user}@{host}:{port}/{db}?dbname=template1", "postgresql://{user}@{host}:1/{db}?port={port}", "postgresql://{user}@{host}:{port}/{db}?user=nobody_x",
        "postgresql://{user}:@{host}:{port}/{db}", "postgresql://{user}:pass@{host}:{port}/{db}", "postgresql://{user}@{host}:{port}/{db}?application_name=%C3%BC%20x",
        "postgresql://{user}@{host}:{port}/{db}?application_name=ü", "postgresql://{user}@{host}:{port}/{db}?application_name=a+b", "postgresql://{user}@{host}:{port}/{db}?application_name=a%2Bb",
        "postgresql://{user}@{host}:{port}/{db}?options=-c%20work_mem%3D123kB", "postgresql://{user}@{host}:{port}/{db}?options=-c work_mem%3D123kB",
        "postgresql://{user}@{host}:{port}/{db}?options=-c%20application_name%3Do&application_name=a", "postgresql://{user}@{host}:{port}/{db}?ssl=true",
        "postgresql://{user}@{host}:{port}/{db}?sslmode=require", "postgresql://{user}@{host}:{port}/{db}?sslmode=wrong", "postgresql://{user}@{host}:{port}/{db}?nonsense=1",
        "postgresql://{user}@{host}:{port}/{db}?application_name", "postgresql://{user}@{host}:{port}/{db}?application_name=%zz",
        "postgresql://{user}@{host}:{port}/{db}?application_name=%4", "postgresql://{user}@{host}:{port}/%00", "postgresql://{user}@[127.0.0.1:{port}/{db}", "postgresql://{user}@[]:{port}/{db}",
        "postgresql://{user}@[::1]:{port}/{db}", "postgresql://{user}@[::1]x:{port}/{db}", "postgresql://{user}@{host}:x/{db}", "postgresql://{user}@{host}:99999/{db}",
        "postgresql://{user}@{host}:{port}/{db}?connect_timeout=5", "postgresql://{user}@{host}:{port}/{db}?connect_timeout=x", "postgresql://{user}@{host}:{port}/nosuchdb",
        "postgresql://nosuchuser@{host}:{port}/{db}", "postgresql://{user}@{host}:{port}/{db}?keepalives=0&keepalives_idle=5", "postgresql://{user}@{host}:{port}/{db}?keepalives=x",
        "postgresql://{user}@{host}:{port}/{db}?target_session_attrs=any", "postgresql://{user}@{host}:{port}/{db}?target_session_attrs=nonsense",
        "postgresql://{user}@{host}:{port}/{db}?fallback_application_name=f", "postgresql://{user}@{host}:{port}/{db}?client_encoding=UTF8",
        "postgresql://{user}@{host}:{port}/{db}?replication=false", "postgresql://{user}@{host}:{port}/{db}?gssencmode=disable&sslcompression=0&sslsni=1",
    ];

    [Test]
    public async Task Each_form_of_a_URI_leads_to_the_same_connection([ValueSource(nameof(_uris))] string form, [Values] bool odd)
    {
        await Compare(Filled(form, odd), new(), form);
    }

    // The first one ends the name, so the value is clear.
    [TestCase("postgresql://{user}@{host}:{port}/{db}?options=-c%20work_mem=123kB")]
    [TestCase("postgresql://{user}@{host}:{port}/{db}?application_name=a=b")]
    public async Task An_equals_sign_in_a_value_is_read_although_libpq_refuses_it(string form)
    {
        var uri = Filled(form, odd: false);

        Assert.That(Psql.Connect(uri, new Dictionary<string, string>()), Is.Null);
        Assert.That(await Connect(uri, new()), Does.Contain("a=b").Or.Contain("123kB"));
    }

    [Test]
    public async Task Password_files_open_the_same_doors([Range(0, 7)] int seed)
    {
        var server = TestServer.Passwords;
        var connected = 0;
        for (var i = 0; i < 12; i++)
        {
            var random = new Random((seed * 1000) + i);
            var usesSocket = random.Next(3) == 0;
            var host = usesSocket ? server.SocketDirectory : server.Host;
            var port = server.Port.ToString(CultureInfo.InvariantCulture);
            var lines = Enumerable.Range(0, random.Next(1, 5)).Select(_ => random.Next(8) == 0 ? "# comment" : string.Join(':',
                Field(random, host), Field(random, port), Field(random, "postgres"), Field(random, TestServer.ScramUser), Secret(random)));
            var file = await Write("pass", string.Join('\n', lines) + "\n", random.Next(8) == 0 ? (UnixFileMode)0b110_100_000 : (UnixFileMode)0b110_000_000);
            var environment = new Dictionary<string, string>
            {
                ["PGHOST"] = host, ["PGPORT"] = port, ["PGUSER"] = TestServer.ScramUser, ["PGDATABASE"] = "postgres", ["PGPASSFILE"] = file,
            };
            connected += await Compare(null, environment, string.Join('\n', lines)) ? 1 : 0;
        }
        Assert.That(connected, Is.Not.Zero.And.LessThan(12));
    }

    private static string Filled(string form, bool odd)
    {
        var server = TestServer.Default;
        return form.Replace("{host}", server.Host, StringComparison.Ordinal)
            .Replace("{port}", server.Port.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal)
            .Replace("{socket}", Encode(server.SocketDirectory), StringComparison.Ordinal)
            .Replace("{user}", Encode(odd ? OddUser : "postgres"), StringComparison.Ordinal)
            .Replace("{db}", Encode(odd ? OddDatabase : "postgres"), StringComparison.Ordinal);
    }

    // Whether both have connected; to the same, or the test fails.
    private async Task<bool> Compare(string? uri, Dictionary<string, string> environment, string what)
    {
        var files = string.Concat(environment.Where(pair => pair.Key is "PGPASSFILE" or "PGSERVICEFILE").Select(pair => File.ReadAllText(pair.Value)));
        var key = $"{uri}\n{string.Join('\n', environment.Where(pair => !pair.Value.StartsWith(_directory.FullName, StringComparison.Ordinal)))}\n{files}";
        var theirs = _asked.GetOrAdd(key, _ => Psql.Connect(uri, environment));
        Exception? error = null;
        string? ours = null;
        try
        {
            ours = await Connect(uri, environment);
        }
        catch (Exception e) when (e is PgException or ArgumentException or NotSupportedException)
        {
            error = e;
        }
        Assert.That(ours, Is.EqualTo(theirs), $"{what}\n{key}\n{error}");
        return ours is not null;
    }

    private async Task<string?> Connect(string? uri, Dictionary<string, string> environment)
    {
        var builder = new PgConnectionStringBuilder(uri) { Pooling = false };
        // psql says so of itself.
        builder.FallbackApplicationName = "psql";
        var settings = builder.ToSettings(new SettingsEnvironment
        {
            Variable = environment.GetValueOrDefault,
            DefaultPassfile = null,
            DefaultRootCertificate = null,
            DefaultServiceFile = null,
            SystemDirectories = [],
            SocketDirectories = ["/var/run/postgresql"],
            UserName = System.Environment.UserName,
        });
        await using var source = new PgDataSource(settings);
        await using var connection = source.CreateConnection();
        await mode.Open(connection);
        await using var command = new PgCommand(Psql.Facts, connection);
        return (string?)await mode.ExecuteScalar(command);
    }

    private static string Uri(Random random)
    {
        var values = Values(random, "uri");
        var text = "postgresql://";
        if (values.Remove("user", out var user) && random.Next(2) == 0)
            text += Encode(user) + "@";
        else if (user is not null)
            values["user"] = user;
        if (values.Remove("host", out var host) && random.Next(2) == 0)
            text += Encode(host);
        else if (host is not null)
            values["host"] = host;
        if (values.Remove("port", out var port) && random.Next(2) == 0)
            text += ":" + port;
        else if (port is not null)
            values["port"] = port;
        if (values.Remove("dbname", out var database) && random.Next(2) == 0)
            text += "/" + Encode(database);
        else if (database is not null)
            values["dbname"] = database;
        return values.Count == 0 ? text : text + "?" + string.Join('&', values.OrderBy(_ => random.Next()).Select(pair => $"{pair.Key}={Encode(pair.Value)}"));
    }

    private Dictionary<string, string> Environment(Random random, bool hasService)
    {
        var environment = Values(random, "environment")
            .Select(pair => (_settings.First(setting => setting.Name == pair.Key).Variable, pair.Value))
            .Where(pair => pair.Variable.Length > 0)
            .ToDictionary(pair => pair.Variable, pair => pair.Value);
        // Something has to lead to the server.
        environment.TryAdd("PGHOST", TestServer.Default.Host);
        environment.TryAdd("PGPORT", TestServer.Default.Port.ToString(CultureInfo.InvariantCulture));
        environment.TryAdd("PGUSER", "postgres");
        environment.TryAdd("PGDATABASE", "postgres");
        if (random.Next(3) == 0)
            (environment["PGTZ"], environment["PGDATESTYLE"], environment["PGGEQO"]) = ("Asia/Kathmandu", "ISO, DMY", "off");
        if (!hasService)
            return environment;
        var service = Values(random, "service").Select(pair => $"{pair.Key}={pair.Value}");
        environment["PGSERVICE"] = random.Next(8) == 0 ? "absent" : "ours";
        environment["PGSERVICEFILE"] = Write("service", $"# services\n[other]\nhost=nowhere\n[ours]\n{string.Join('\n', service)}\n\n[more]\nport=1\n", default).Result;
        return environment;
    }

    private static Dictionary<string, string> Values(Random random, string place)
    {
        var server = TestServer.Default;
        var port = server.Port.ToString(CultureInfo.InvariantCulture);
        return _settings.Where(setting => random.Next(setting.Name is "host" or "port" or "user" or "dbname" ? 2 : 6) == 0).ToDictionary(
            setting => setting.Name,
            setting => setting.Name switch
            {
                "host" => Pick(server.Host, server.SocketDirectory, server.Host, "localhost"),
                "hostaddr" => "127.0.0.1",
                "port" => Pick(port, port, port, "1"),
                "user" => Pick("postgres", OddUser, "postgres", "nosuchuser"),
                "dbname" => Pick("postgres", OddDatabase, "template1"),
                "application_name" => Pick($"from {place}", "ü & = ? # %41 +", place),
                "options" => Pick("-c work_mem=123kB", "-c geqo=off -c work_mem=1MB"),
                "sslmode" => Pick("disable", "prefer", "allow", "disable", "require"),
                "connect_timeout" => Pick("10", "0"),
                "keepalives" => Pick("0", "1"),
                "client_encoding" => "UTF8",
                "target_session_attrs" => "any",
                "gssencmode" => Pick("disable", "prefer"),
                "channel_binding" => Pick("disable", "prefer"),
                "sslcompression" => "0",
                _ => "5",
            });

        string Pick(params string[] choices) => choices[random.Next(choices.Length)];
    }

    private static string Field(Random random, string right) => random.Next(6) switch
    {
        0 => "wrong",
        1 => "*",
        2 => "\\" + right,
        _ => right,
    };

    private static string Secret(Random random) => random.Next(4) switch
    {
        0 => "wrong",
        1 => "se\\cret",
        2 => TestServer.Password + ":more",
        _ => TestServer.Password,
    };

    private async Task<string> Write(string name, string text, UnixFileMode mode)
    {
        var path = Path.Combine(_directory.FullName, $"{name}-{Guid.NewGuid():N}");
        await File.WriteAllTextAsync(path, text);
        if (mode != default && !OperatingSystem.IsWindows())
            File.SetUnixFileMode(path, mode);
        return path;
    }

    private static string Encode(string text) => System.Uri.EscapeDataString(text);

    private static async Task Run(string sql)
    {
        await using var connection = new PgConnection(TestServer.Default.ConnectionString + ";Pooling=false");
        await connection.OpenAsync();
        await using var command = new PgCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }
}
