using System.Globalization;
using Loxo.Embedded;

namespace Loxo.IntegrationTests.Server;

/// <summary>
/// The servers that the tests share: one for each configuration, started by the first test that asks for it and removed when the last test
/// has ended. <c>LOXO_TEST_POSTGRES</c> chooses the major version (18 when it is not set).
/// </summary>
/// <remarks>Every test sees the same server: what a test creates it names for itself, and global settings it leaves alone.</remarks>
public static class TestServer
{
    /// <summary>The password of every role of <see cref="Passwords"/>, and of no other server.</summary>
    public const string Password = "secret";

    /// <summary>Roles of <see cref="Passwords"/>, named after the method that pg_hba.conf demands of them. All log in with <see cref="Password"/>.</summary>
    public const string ScramUser = "scram_user", Md5User = "md5_user", ClearUser = "clear_user";

    /// <summary>The role of <see cref="Tls"/> that logs in with <see cref="PgEmbeddedServer.ClientCertificatePath"/>, over TLS only.</summary>
    public const string CertificateUser = "cert_user";

    private static readonly Lazy<PgEmbeddedServer> DefaultServer = new(() => PgEmbeddedServer.Start(Options()));
    private static readonly Lazy<PgEmbeddedServer> TlsServer = new(() => PgEmbeddedServer.Start(TlsOptions()));
    private static readonly Lazy<PgEmbeddedServer> PasswordServer = new(() => PgEmbeddedServer.Start(PasswordOptions()));

    /// <summary>Everyone is trusted; logical replication and two-phase commit are on; no TLS.</summary>
    public static SharedServer Default => new(DefaultServer.Value);

    /// <summary>
    /// TLS with a certificate for localhost, 127.0.0.1 and ::1. The superuser is trusted with and without TLS; <see cref="ScramUser"/> wants
    /// <see cref="Password"/> and <see cref="CertificateUser"/> a certificate.
    /// </summary>
    public static SharedServer Tls => new(TlsServer.Value);

    /// <summary>Roles that log in with a password, one for each method; the superuser is trusted. No TLS.</summary>
    public static SharedServer Passwords => new(PasswordServer.Value);

    /// <summary>The major version that the tests run on.</summary>
    public static int Version { get; } =
        Environment.GetEnvironmentVariable("LOXO_TEST_POSTGRES") is { Length: > 0 } version ? int.Parse(version, CultureInfo.InvariantCulture) : 18;

    /// <summary>What all test servers have in common, for a test that needs a server of its own.</summary>
    public static PgEmbeddedServerOptions Options() => new()
    {
        Version = Version,
        Acquire = PgAcquire.All,
        WalLevel = PgWalLevel.Logical,
        MaxPreparedTransactions = 20,
        // Compiling plans costs processor time and changes no answer.
        Settings = { ["max_connections"] = "200", ["lc_messages"] = "C", ["jit"] = "off" },
    };

    internal static void RemoveAll()
    {
        foreach (var server in new[] { DefaultServer, TlsServer, PasswordServer })
        {
            if (server.IsValueCreated)
                server.Value.Dispose();
        }
    }

    private static PgEmbeddedServerOptions TlsOptions()
    {
        var options = Options();
        options.Tls = new PgEmbeddedTlsOptions { ClientName = CertificateUser };
        options.InitialStatements.Add($"CREATE ROLE {CertificateUser} LOGIN");
        options.InitialStatements.Add(CreateRole(ScramUser, "scram-sha-256"));
        options.HbaLines.Add($"hostssl all {CertificateUser} all cert");
        options.HbaLines.Add($"host all {CertificateUser} all reject");
        options.HbaLines.Add($"host all {ScramUser} all scram-sha-256");
        return options;
    }

    private static PgEmbeddedServerOptions PasswordOptions()
    {
        var options = Options();
        foreach (var (role, method) in new[] { (ScramUser, "scram-sha-256"), (Md5User, "md5"), (ClearUser, "password") })
        {
            options.InitialStatements.Add(CreateRole(role, method));
            options.HbaLines.Add($"host all {role} all {method}");
            options.HbaLines.Add($"local all {role} {method}");
        }
        return options;
    }

    // The method md5 only runs with a password that was stored as md5; a verifier for SCRAM would silently turn it into SCRAM.
    private static string CreateRole(string role, string method)
    {
        var storage = method == "md5" ? "md5" : "scram-sha-256";
        return $"SET password_encryption = '{storage}'; CREATE ROLE {role} LOGIN PASSWORD '{Password}'";
    }
}
