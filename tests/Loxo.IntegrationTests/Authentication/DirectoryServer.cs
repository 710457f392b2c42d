using System.Diagnostics;
using Loxo.Embedded;
using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Authentication;

/// <summary>An LDAP directory (slapd), and a PostgreSQL 15 that lets it check passwords: Debian's build knows LDAP.</summary>
internal sealed class DirectoryServer : IDisposable
{
    public const string User = "ldap_user", Password = "pass word, with ; and =";

    private static readonly Lazy<DirectoryServer> Instance = new(() => new DirectoryServer());

    private readonly string _directory = Directory.CreateTempSubdirectory("loxo-ldap-").FullName;
    private readonly Process _slapd;
    private readonly PgEmbeddedServer _server;

    private DirectoryServer()
    {
        var slapd = DebianPackage.Program("slapd", "slapd");
        var port = FreePort.Next();
        var (configuration, entries) = (Path.Combine(_directory, "slapd.conf"), Path.Combine(_directory, "entries.ldif"));
        Directory.CreateDirectory(Path.Combine(_directory, "data"));
        File.WriteAllText(configuration, $"""
            include /etc/ldap/schema/core.schema
            modulepath /usr/lib/ldap
            moduleload back_mdb
            database mdb
            suffix "dc=loxo,dc=test"
            directory {_directory}/data

            """);
        File.WriteAllText(entries, $"""
            dn: dc=loxo,dc=test
            objectClass: dcObject
            objectClass: organization
            o: Loxo
            dc: loxo

            dn: cn={User},dc=loxo,dc=test
            objectClass: person
            cn: {User}
            sn: User
            userPassword: {Password}

            """);
        var (succeeded, output) = DebianPackage.Run(DebianPackage.Program("slapadd", "slapd"), null, "-f", configuration, "-l", entries);
        Assert.That(succeeded, Is.True, output);
        _slapd = Process.Start(new ProcessStartInfo(slapd, ["-d", "0", "-f", configuration, "-h", $"ldap://127.0.0.1:{port}/"]) { RedirectStandardError = true })!;
        AppDomain.CurrentDomain.ProcessExit += (_, _) => End();
        while (!FreePort.HasListener(port))
            Assert.That(_slapd.WaitForExit(10), Is.False, "slapd did not start");
        var options = TestServer.Options();
        options.Version = 15;
        options.InitialStatements.Add($"CREATE ROLE {User} LOGIN");
        options.HbaLines.Add($"host all {User} all ldap ldapserver=127.0.0.1 ldapport={port} ldapprefix=\"cn=\" ldapsuffix=\",dc=loxo,dc=test\"");
        _server = PgEmbeddedServer.Start(options);
    }

    /// <summary>The one that all tests share. Where it cannot be made, the test is ignored.</summary>
    public static DirectoryServer Shared
    {
        get
        {
            if (TestServer.Version != 15)
                Assert.Ignore("The build of PostgreSQL 18 that npm has knows no LDAP; these tests run with Debian's 15.");
            return Instance.Value;
        }
    }

    /// <summary>As the directory's user, without the password.</summary>
    public PgConnectionStringBuilder Settings() =>
        new() { Host = "127.0.0.1", Port = _server.Port, Username = User, Database = "postgres", Timeout = 60, Pooling = false };

    public static void RemoveShared()
    {
        if (Instance.IsValueCreated)
            Instance.Value.Dispose();
    }

    public void Dispose()
    {
        _server.Dispose();
        End();
        _slapd.Dispose();
        Directory.Delete(_directory, recursive: true);
    }

    private void End()
    {
        try
        {
            _slapd.Kill();
            _slapd.WaitForExit();
        }
        catch (InvalidOperationException)
        {
            // It has ended.
        }
    }
}
