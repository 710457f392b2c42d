using System.Globalization;
using System.Security.Cryptography.X509Certificates;
using Npgsql;

namespace Loxo.IntegrationTests.Tls;

/// <summary>
/// libpq, Npgsql and Loxo with the same settings against the same server: each connects encrypted, connects in clear, or is refused. Every difference is
/// one of those that docs/tls.md lists, and each of these shows.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class TlsOracleTests(WaitMode mode) : TlsTest(mode)
{
    private static readonly Dictionary<string, string> _others = [];

    private static readonly string?[] _modes = [null, "disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

    /// <summary>One login.</summary>
    /// <param name="Server">The server's certificate; "off" without TLS.</param>
    /// <param name="Role">Who logs in.</param>
    /// <param name="Ssl">sslmode; null if it is not set.</param>
    /// <param name="Root">The root certificate: "none", "right", "other", "missing".</param>
    /// <param name="Client">The client's certificate: "none", "own", "stranger", "expired", "missing".</param>
    /// <param name="CertMode">sslcertmode.</param>
    /// <param name="IsDirect">Whether TLS is begun directly.</param>
    private sealed record Login(
        string Server, string Role, string? Ssl, string Root, string Client = "none", string CertMode = "allow", bool IsDirect = false)
    {
        public bool IsRootNamed => Root != "none";
    }

    private static readonly (string Name, Func<Login, bool> Applies, Func<Login, string> Expected)[] _fromLibpq =
    [
        ("A root certificate makes verify-full the default", login => login.Ssl is null && login.IsRootNamed,
            login => Ideal(login with { Ssl = "verify-full" })),
        ("allow and prefer check no certificate", login => login.Ssl is "allow" or "prefer" && login.IsRootNamed,
            login => Ideal(login with { Root = "none" })),
        ("A file that is named must be there", login => login.Root == "missing" && login.Ssl == "require", _ => "refused"),
        ("A client certificate that is named must be there", login => login.Client == "missing" && login.CertMode != "disable", _ => "refused"),
        ("sslcertmode=require asks for TLS", login => login.CertMode == "require" && login.Ssl is "allow", login => Ideal(login with { Ssl = "require" })),
    ];

    private static readonly (string Name, Func<Login, bool> Applies)[] _fromNpgsql =
    [
        ("A root certificate makes VerifyFull the default", login => login.Ssl is null && login.IsRootNamed),
        ("Require checks against a root certificate that is named", login => login.Ssl == "require" && login.IsRootNamed),
        ("A client certificate that is refused leads to no connection in clear", login => login.Client is "stranger" or "expired" or "missing"),
        ("sslcertmode", login => login.CertMode != "allow"),
    ];

    [Test]
    public async Task Loxo_connects_as_libpq_and_Npgsql_do()
    {
        var libpq = LibpqLibrary.Load(Server.BinaryDirectory);
        var files = new Files(this);
        var failures = new List<string>();
        var seen = new HashSet<string>();
        var (connected, refused, compared) = (0, 0, 0);
        foreach (var logins in Logins(libpq).GroupBy(static login => login.Server))
        {
            Prepare(logins.Key);
            foreach (var login in logins)
            {
                var ours = await Ours(login, files);
                var theirs = libpq is null ? null : Remembered("libpq", login, () => libpq.Try(files.ForLibpq(login)).Outcome);
                var npgsql = login.IsDirect && TestServer.Version < 17 ? null : Remembered("Npgsql", login, () => Npgsql(login, files));
                (connected, refused) = ours == "refused" ? (connected, refused + 1) : (connected + 1, refused);
                compared += theirs is null ? 0 : 1;
                if (theirs is not null && theirs != ours)
                {
                    var rule = _fromLibpq.FirstOrDefault(rule => rule.Applies(login) && rule.Expected(login) == ours);
                    if (rule.Name is null)
                        failures.Add($"{login}: libpq {theirs}, Loxo {ours}");
                    else
                        seen.Add($"libpq: {rule.Name}");
                }
                if (npgsql is not null && npgsql != ours)
                {
                    var rule = _fromNpgsql.FirstOrDefault(rule => rule.Applies(login));
                    if (rule.Name is null)
                        failures.Add($"{login}: Npgsql {npgsql}, Loxo {ours}");
                    else
                        seen.Add($"Npgsql: {rule.Name}");
                }
            }
        }
        await TestContext.Out.WriteLineAsync($"{compared} logins beside libpq {libpq?.Version}: {connected} connected, {refused} refused; differences: "
            + string.Join("; ", seen.Order(StringComparer.Ordinal)));
        Assert.That(failures, Is.Empty);
        // libpq has sslcertmode since version 16.
        Assert.That(seen, Is.EquivalentTo(_fromNpgsql.Select(static rule => $"Npgsql: {rule.Name}")
            .Concat(libpq is null ? [] : _fromLibpq.Select(static rule => $"libpq: {rule.Name}"))
            .Where(rule => libpq is not { Version: < 160000 } || !rule.Contains("sslcertmode", StringComparison.Ordinal))),
            "a rule that nothing shows is not needed");
        Assert.That(connected, Is.GreaterThan(100));
        Assert.That(refused, Is.GreaterThan(100));
    }

    private static IEnumerable<Login> Logins(LibpqLibrary? libpq)
    {
        string[] roots = ["none", "right", "other", "missing"];
        string[] roles = ["postgres", CertificateServer.TlsOnly, CertificateServer.ClearOnly];
        foreach (var (server, role) in roles.Select(static role => ("good", role)).Append(("off", "postgres")).Append(("off", CertificateServer.TlsOnly))
            .Concat(new[] { "wrong host", "expired", "other root", "self-signed" }.Select(static server => (server, "postgres"))))
        {
            foreach (var ssl in _modes)
            {
                foreach (var root in roots)
                    yield return new(server, role, ssl, root);
            }
        }
        var certModes = libpq is { Version: < 160000 } ? new[] { "allow" } : ["disable", "allow", "require"];
        foreach (var role in new[] { CertificateServer.ByCertificate, "postgres" })
        {
            foreach (var client in new[] { "none", "own", "stranger", "expired", "missing" })
            {
                foreach (var certMode in certModes)
                {
                    foreach (var ssl in new[] { null, "allow", "require", "verify-full" })
                        yield return new("good", role, ssl, ssl == "verify-full" ? "right" : "none", client, certMode);
                }
            }
        }
        if (libpq is { Version: < 170000 })
            yield break;
        foreach (var ssl in _modes)
        {
            foreach (var root in new[] { "none", "right", "other" })
                yield return new("good", "postgres", ssl, root, IsDirect: true);
        }
    }

    // What follows from the words of the modes, for the rules above: whether it connects, and how.
    private static string Ideal(Login login)
    {
        var trusted = (login.Server, login.Root) is ("good" or "wrong host", "right") or ("other root", "other");
        var hasTls = login.Server != "off" && login.Role != CertificateServer.ClearOnly;
        var clear = login.Role is "postgres" or CertificateServer.ClearOnly ? "clear" : "refused";
        var encrypted = login.Role == CertificateServer.ByCertificate && (login.Client != "own" || login.CertMode == "disable") ? "refused" : "encrypted";
        var asked = login.CertMode != "require" || login.Client == "own";
        return login.Ssl switch
        {
            "disable" => clear,
            "allow" => clear == "clear" ? clear : hasTls ? encrypted : "refused",
            null or "prefer" => login.IsDirect ? "refused" : hasTls ? encrypted : clear,
            "require" => hasTls && asked && login.Root != "missing" ? encrypted : "refused",
            "verify-full" => hasTls && trusted && asked && login.Server != "wrong host" ? encrypted : "refused",
            _ => hasTls && trusted ? encrypted : "refused",
        };
    }

    private void Prepare(string server)
    {
        Server.Switch(server != "off");
        var other = Files.Other;
        if (server == "wrong host")
            Show(Authority.Server("db.example"), Authority);
        else if (server == "expired")
            Show(Authority.Issue("server", ["localhost"], until: DateTimeOffset.UtcNow.AddDays(-1)), Authority);
        else if (server == "other root")
            Show(other.Server("localhost"), other);
        else if (server == "self-signed")
            Show(TestAuthority.SelfSigned("localhost"));
        else if (server == "good")
            Show(CertificateServer.Good, Authority);
    }

    private async Task<string> Ours(Login login, Files files)
    {
        try
        {
            await using var source = new PgDataSourceBuilder(files.ForLoxo(login)).Build();
            return await Encrypts(source) ? "encrypted" : "clear";
        }
        catch (Exception e) when (e is PgException or ArgumentException)
        {
            return "refused";
        }
    }

    private static string Npgsql(Login login, Files files)
    {
        if (login.IsDirect && login.Ssl is null or "disable" or "allow" or "prefer")
            return "refused"; // by its documentation; some throw when the string is set
        try
        {
            using var connection = new NpgsqlConnection(files.ForNpgsql(login));
            connection.Open();
            using var command = new NpgsqlCommand("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", connection);
            return (bool)command.ExecuteScalar()! ? "encrypted" : "clear";
        }
        catch (Exception e) when (e is NpgsqlException or ArgumentException or System.Security.Cryptography.CryptographicException or IOException or InvalidOperationException)
        {
            return "refused";
        }
    }

    private static string Remembered(string driver, Login login, Func<string> ask)
    {
        var key = $"{driver} {login}";
        return _others.TryGetValue(key, out var outcome) ? outcome : _others[key] = ask();
    }

    private sealed class Files(TlsOracleTests test)
    {
        private readonly Dictionary<string, (string Certificate, string Key)> _clients = new()
        {
            ["own"] = Pair(test, Authority.Client(CertificateServer.ByCertificate)),
            ["stranger"] = Pair(test, TestAuthority.Root("authority of strangers").Client(CertificateServer.ByCertificate)),
            ["expired"] = Pair(test, Authority.Client(CertificateServer.ByCertificate, until: DateTimeOffset.UtcNow.AddDays(-1))),
            ["missing"] = ("/nonexistent/client.crt", "/nonexistent/client.key"),
        };

        private readonly Dictionary<string, string> _roots = new()
        {
            ["right"] = test.Write(Authority.Pem), ["other"] = test.Write(Other.Pem), ["missing"] = "/nonexistent/root.crt",
        };

        public static TestAuthority Other { get; } = TestAuthority.Root("another authority");

        public string ForLoxo(Login login) => string.Join(';', ForLibpq(login).Select(static pair => $"{Keyword(pair.Key)}={pair.Value}")
            .Append("Pooling=false;Timeout=120"));

        public string ForNpgsql(Login login) => string.Join(';', ForLibpq(login)
            .Where(static pair => pair.Key is not "sslcertmode")
            .Select(static pair => $"{Keyword(pair.Key)}={(pair.Key == "sslmode" ? pair.Value.Replace("-", "", StringComparison.Ordinal) : pair.Value)}")
            .Append("Pooling=false;Timeout=120"));

        public Dictionary<string, string> ForLibpq(Login login)
        {
            var settings = new Dictionary<string, string>
            {
                ["host"] = "localhost", ["port"] = Server.Port.ToString(CultureInfo.InvariantCulture), ["user"] = login.Role, ["dbname"] = "postgres",
                ["gssencmode"] = "disable",
            };
            if (login.Ssl is not null)
                settings["sslmode"] = login.Ssl;
            if (login.IsRootNamed)
                settings["sslrootcert"] = _roots[login.Root];
            if (login.Client != "none")
                (settings["sslcert"], settings["sslkey"]) = _clients[login.Client];
            if (login.CertMode != "allow")
                settings["sslcertmode"] = login.CertMode;
            if (login.IsDirect)
                settings["sslnegotiation"] = "direct";
            return settings;
        }

        private static string Keyword(string name) => Settings.Keywords.FindLibpq(name)!.Name;

        private static (string, string) Pair(TlsOracleTests test, X509Certificate2 certificate) =>
            (test.Write(certificate.ExportCertificatePem()), test.Write(TestAuthority.KeyPem(certificate)));
    }
}
