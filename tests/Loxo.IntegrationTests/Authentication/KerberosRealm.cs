using System.Diagnostics;
using System.Runtime.InteropServices;
using Loxo.Embedded;
using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Authentication;

/// <summary>
/// A Kerberos realm with a ticket server (KDC) of its own, and a PostgreSQL 15 that is a member of it: Debian's build has GSSAPI. The tests
/// of this folder share it.
/// </summary>
internal sealed partial class KerberosRealm : IDisposable
{
    public const string Name = "LOXO.TEST", User = "gss_user", Password = "secret";

    private static readonly Lazy<KerberosRealm> Instance = new(() => new KerberosRealm());

    private readonly string _directory = Directory.CreateTempSubdirectory("loxo-kerberos-").FullName;
    private readonly Dictionary<string, string> _environment;
    private readonly Process _tickets;
    private readonly PgEmbeddedServer _server;

    private KerberosRealm()
    {
        var port = FreePort.Next();
        _environment = new()
        {
            ["KRB5_CONFIG"] = PathOf("krb5.conf"),
            ["KRB5_KDC_PROFILE"] = PathOf("kdc.conf"),
            ["KRB5CCNAME"] = "FILE:" + PathOf("tickets"),
        };
        File.WriteAllText(PathOf("krb5.conf"), Configuration(port));
        File.WriteAllText(PathOf("kdc.conf"), $$"""
            [logging]
                kdc = FILE:{{PathOf("log")}}
            [kdcdefaults]
                kdc_listen = ""
                kdc_tcp_listen = 127.0.0.1:{{port}}
            [realms]
                {{Name}} = {
                    database_name = {{PathOf("principals")}}
                    key_stash_file = {{PathOf("stash")}}
                }
            """);
        var kadmin = DebianPackage.Program("kadmin.local", "krb5-admin-server");
        Run(DebianPackage.Program("kdb5_util", "krb5-kdc"), "create", "-s", "-r", Name, "-P", "master");
        Run(kadmin, "-q", $"addprinc -pw {Password} {User}");
        Run(kadmin, "-q", "addprinc -randkey postgres/localhost");
        Run(kadmin, "-q", $"ktadd -k {PathOf("keytab")} postgres/localhost");
        DebianPackage.OpenToAll(_directory);
        DebianPackage.OpenToAll(PathOf("keytab"));
        _tickets = StartTickets(port);
        GetTicket();
        UseInThisProcess();
        _server = PgEmbeddedServer.Start(Options());
    }

    /// <summary>The one that all tests share. Where it cannot be made, the test is ignored.</summary>
    public static KerberosRealm Shared
    {
        get
        {
            if (TestServer.Version != 15)
                Assert.Ignore("The build of PostgreSQL 18 that npm has knows no GSSAPI; these tests run with Debian's 15.");
            return Instance.Value;
        }
    }

    /// <summary>As the realm's user, whose ticket this process has, without a password.</summary>
    public string ConnectionString =>
        $"Host=localhost;Port={_server.Port};Username={User};Database=postgres;Timeout=60;Command Timeout=60;SSL Mode=Disable";

    /// <summary>How often somebody has asked the ticket server for a ticket to pass on, by its log.</summary>
    public int TicketsToPassOn
    {
        get
        {
            using var log = new StreamReader(new FileStream(PathOf("log"), FileMode.Open, FileAccess.Read, FileShare.ReadWrite));
            return log.ReadToEnd().Split('\n').Count(static line =>
                line.Contains("TGS_REQ", StringComparison.Ordinal) && line.Contains($"for krbtgt/{Name}@{Name}", StringComparison.Ordinal));
        }
    }

    /// <summary>A configuration of Kerberos for this realm with another ticket server.</summary>
    public static string Configuration(int port) => $$"""
        [libdefaults]
            default_realm = {{Name}}
            dns_lookup_realm = false
            dns_lookup_kdc = false
            dns_canonicalize_hostname = false
            rdns = false
            udp_preference_limit = 1
        [realms]
            {{Name}} = {
                kdc = 127.0.0.1:{{port}}
            }
        """;

    public static void RemoveShared()
    {
        if (Instance.IsValueCreated)
            Instance.Value.Dispose();
    }

    /// <summary>Runs an action while variables of this process have other values, as the library of Kerberos sees them.</summary>
    public static async Task With(string variable, string value, Func<Task> action)
    {
        var former = Environment.GetEnvironmentVariable(variable)!;
        Set(variable, value);
        try
        {
            await action();
        }
        finally
        {
            Set(variable, former);
        }
    }

    public void Dispose()
    {
        _server.Dispose();
        _tickets.Kill();
        _tickets.WaitForExit();
        _tickets.Dispose();
        Directory.Delete(_directory, recursive: true);
    }

    private string PathOf(string file) => Path.Combine(_directory, file);

    private PgEmbeddedServerOptions Options()
    {
        var options = TestServer.Options();
        options.Version = 15;
        options.Settings["krb_server_keyfile"] = PathOf("keytab");
        options.InitialStatements.Add($"CREATE ROLE {User} LOGIN");
        options.HbaLines.Add($"hostnogssenc postgres {User} all gss include_realm=0 krb_realm={Name}");
        options.HbaLines.Add($"hostgssenc postgres {User} all gss include_realm=0 krb_realm={Name}");
        options.HbaLines.Add($"hostgssenc template1 {User} all gss include_realm=0 krb_realm={Name}");
        options.HbaLines.Add($"host template1 {User} all reject");
        return options;
    }

    private Process StartTickets(int port)
    {
        var start = new ProcessStartInfo(DebianPackage.Program("krb5kdc", "krb5-kdc"), ["-n", "-r", Name]);
        foreach (var (name, value) in _environment)
            start.Environment[name] = value;
        var process = Process.Start(start)!;
        AppDomain.CurrentDomain.ProcessExit += (_, _) =>
        {
            if (!process.HasExited)
                process.Kill();
        };
        while (!FreePort.HasListener(port))
            Assert.That(process.WaitForExit(10), Is.False, "krb5kdc did not start");
        return process;
    }

    private void GetTicket()
    {
        var start = new ProcessStartInfo(DebianPackage.Program("kinit", "krb5-user"), ["-f", User]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        foreach (var (name, value) in _environment)
            start.Environment[name] = value;
        using var process = Process.Start(start)!;
        process.StandardInput.WriteLine(Password);
        process.StandardInput.Close();
        process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        Assert.That(process.ExitCode, Is.Zero, "kinit failed");
    }

    private void Run(string program, params string[] arguments)
    {
        var (succeeded, output) = DebianPackage.Run(program, _environment, arguments);
        Assert.That(succeeded, Is.True, $"{program}: {output}");
    }

    private void UseInThisProcess()
    {
        foreach (var (name, value) in _environment)
            Set(name, value);
    }

    // The runtime has a copy of the environment, and libraries of the system do not see what changes in it.
    private static void Set(string name, string value)
    {
        Environment.SetEnvironmentVariable(name, value);
        Assert.That(SetEnvironment(name, value, 1), Is.Zero);
    }

    [LibraryImport("libc", EntryPoint = "setenv", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int SetEnvironment(string name, string value, int overwrite);
}
