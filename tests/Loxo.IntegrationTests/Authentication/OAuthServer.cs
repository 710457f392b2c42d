using Loxo.Embedded;
using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Authentication;

/// <summary>
/// A PostgreSQL 18 whose method oauth asks a validator of the tests: the token <c>good-NAME</c> (with any number behind it) is that of the
/// role NAME.
/// </summary>
internal sealed class OAuthServer : IDisposable
{
    public const string User = "oauth_user", Issuer = "https://id.example/tenant", Scope = "openid loxo";

    // The ABI of modules and validators of PostgreSQL 18 (manual, "OAuth Validator Modules"; fmgr.h), so that no headers are needed.
    private const string Validator = """
        #include <stdbool.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <string.h>
        typedef struct { int version, max_args, max_keys, name_length, float8_by_value; char extra[32]; } Abi;
        typedef struct { int length; Abi abi; const char *name, *version; } Magic;
        const Magic *Pg_magic_func(void)
        {
            static const Magic magic = { sizeof(Magic), { 1800, 100, 32, 64, 1, "PostgreSQL" }, "loxo_validator", "1" };
            return &magic;
        }
        extern char *pstrdup(const char *text);
        typedef struct { bool authorized; char *identity; } Result;
        static bool validate(const void *state, const char *token, const char *role, Result *result)
        {
            char expected[200];
            int length = snprintf(expected, sizeof expected, "good-%s", role);
            result->authorized = strncmp(token, expected, length) == 0;
            result->identity = pstrdup(role);
            return true;
        }
        typedef struct { uint32_t magic; void *startup, *shutdown; bool (*validate)(const void *, const char *, const char *, Result *); } Callbacks;
        const Callbacks *_PG_oauth_validator_module_init(void)
        {
            static const Callbacks callbacks = { 0x20250220, 0, 0, validate };
            return &callbacks;
        }
        """;

    private static readonly Lazy<OAuthServer> Instance = new(() => new OAuthServer());

    private readonly string _directory = Directory.CreateTempSubdirectory("loxo-oauth-").FullName;
    private readonly PgEmbeddedServer _server;

    private OAuthServer()
    {
        var (source, library) = (Path.Combine(_directory, "validator.c"), Path.Combine(_directory, "validator.so"));
        File.WriteAllText(source, Validator);
        var (succeeded, output) = DebianPackage.Run(DebianPackage.Program("gcc", "gcc"), null, "-shared", "-fPIC", "-o", library, source);
        Assert.That(succeeded, Is.True, output);
        DebianPackage.OpenToAll(_directory);
        var options = TestServer.Options();
        options.Version = 18;
        options.Tls = new PgEmbeddedTlsOptions();
        options.Settings["oauth_validator_libraries"] = library;
        options.InitialStatements.Add($"CREATE ROLE {User} LOGIN");
        foreach (var type in new[] { "hostssl", "local" })
            options.HbaLines.Add($"{type} all {User} {(type == "local" ? "" : "all")} oauth issuer=\"{Issuer}\" scope=\"{Scope}\"");
        _server = PgEmbeddedServer.Start(options);
    }

    /// <summary>The one that all tests share. Where it cannot be made, the test is ignored.</summary>
    public static OAuthServer Shared
    {
        get
        {
            if (TestServer.Version < 18)
                Assert.Ignore("The method oauth exists from PostgreSQL 18 on.");
            return Instance.Value;
        }
    }

    /// <summary>As the role that logs in with a token, over TLS with the server's certificate checked.</summary>
    public string ConnectionString => $"Host=localhost;Port={_server.Port};Username={User};Database=postgres;Timeout=60;"
        + $"SSL Mode=VerifyFull;Root Certificate={_server.AuthorityCertificatePath}";

    /// <summary>The same over the Unix socket.</summary>
    public string SocketConnectionString => $"Host={_server.SocketDirectory};Port={_server.Port};Username={User};Database=postgres;Timeout=60";

    public static void RemoveShared()
    {
        if (Instance.IsValueCreated)
            Instance.Value.Dispose();
    }

    public void Dispose()
    {
        _server.Dispose();
        Directory.Delete(_directory, recursive: true);
    }
}
