namespace Loxo.Docs.Tests;

/// <summary>Which pages run, on which database, and which are only compiled, with the reason.</summary>
internal static class PageList
{
    /// <summary>A file that docs/large-objects.md copies.</summary>
    public const string Film = "film.mp4";

    private const string Accounts = "CREATE TABLE accounts AS SELECT id, 100::numeric AS balance FROM generate_series(1, 2) id;";

    private const string Orders = """
        CREATE TABLE orders
            (id int PRIMARY KEY, product int, total numeric, placed timestamptz DEFAULT now(), due date DEFAULT current_date + 3);
        INSERT INTO orders VALUES (1, 42, 12.50);
        """;

    private const string Places = """
        CREATE EXTENSION postgis;
        CREATE TABLE places (place geometry(Point, 4326));
        INSERT INTO places VALUES (ST_SetSRID(ST_MakePoint(13.4, 52.5), 4326)), (ST_SetSRID(ST_MakePoint(11.6, 48.1), 4326));
        """;

    private const string Products = """
        CREATE TABLE products (id int PRIMARY KEY, name text, seen int DEFAULT 0);
        INSERT INTO products VALUES (1, 'chair'), (3, 'rope'), (42, 'lamp');
        """;

    // pgvector's type in the binary format that the page describes, without its functions.
    private const string Vectors = """
        CREATE TYPE vector;
        CREATE FUNCTION vector_in(cstring) RETURNS vector LANGUAGE internal IMMUTABLE STRICT AS 'byteain';
        CREATE FUNCTION vector_out(vector) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'byteaout';
        CREATE FUNCTION vector_recv(internal) RETURNS vector LANGUAGE internal IMMUTABLE STRICT AS 'bytearecv';
        CREATE FUNCTION vector_send(vector) RETURNS bytea LANGUAGE internal IMMUTABLE STRICT AS 'byteasend';
        CREATE TYPE vector (INPUT = vector_in, OUTPUT = vector_out, RECEIVE = vector_recv, SEND = vector_send);
        CREATE FUNCTION differences(a vector, b vector) RETURNS bigint LANGUAGE sql AS
            'SELECT count(*) FROM generate_series(0, 15) i WHERE get_byte(vector_send(a), i) <> get_byte(vector_send(b), i)';
        CREATE OPERATOR <-> (FUNCTION = differences, LEFTARG = vector, RIGHTARG = vector);
        CREATE TABLE item (v vector);
        INSERT INTO item VALUES ('\x000300003f8000004000000040400000'), ('\x000300003f8000004000000000000000');
        """;

    /// <summary>The pages that run, each with what its database holds before the page's own SQL.</summary>
    public static Dictionary<string, string> Databases { get; } = new()
    {
        ["README.md"] = Accounts,
        ["docs/clusters.md"] = "",
        ["docs/codecs.md"] = Vectors,
        ["docs/commands.md"] = "",
        ["docs/connection-strings.md"] = "",
        ["docs/connections.md"] = "",
        ["docs/copy.md"] = "",
        ["docs/dapper.md"] = "",
        ["docs/dashboard.md"] = "",
        ["docs/dependency-injection.md"] = "",
        ["docs/errors.md"] = "",
        ["docs/getting-started.md"] = "",
        ["docs/hosts.md"] = Orders + Products,
        ["docs/large-objects.md"] = "CREATE TABLE archive AS SELECT id::bigint, 'x' AS document FROM generate_series(999000, 1005000) id",
        ["docs/metadata.md"] = "",
        ["docs/migration.md"] = "",
        ["docs/multiplexing.md"] = Products + "CREATE TABLE visits (visitor int)",
        ["docs/nettopologysuite.md"] = Places,
        ["docs/nodatime.md"] = Orders,
        ["docs/notifications.md"] = "",
        ["docs/pipelines.md"] = Accounts + Orders + Products + "CREATE TABLE measurements (sensor int, value float8)",
        ["docs/poolers.md"] = "",
        ["docs/pooling.md"] = Products,
        ["docs/replication.md"] = Orders + "CREATE TABLE customers (id int PRIMARY KEY)",
        ["docs/session-reset.md"] = "",
        ["docs/telemetry.md"] = "",
        ["docs/types.md"] = "",
        ["src/Loxo.AspNetCore/README.md"] = "",
        ["src/Loxo.Dapper/README.md"] = Products,
        ["src/Loxo.DependencyInjection/README.md"] = "",
        ["src/Loxo.NetTopologySuite/README.md"] = Places,
        ["src/Loxo.NodaTime/README.md"] = "",
        ["src/Loxo.OpenTelemetry/README.md"] = "",
        ["src/Loxo.Pooling.Data/README.md"] = Products,
    };

    public static IEnumerable<string> Running => Databases.Keys;

    /// <summary>What other sessions do while the blocks of a page run.</summary>
    public static Dictionary<string, string> Meanwhile { get; } = new()
    {
        ["docs/notifications.md"] = "NOTIFY orders, '17'",
        ["docs/replication.md"] = "DELETE FROM orders WHERE id = 17; INSERT INTO orders (id) VALUES (17)",
    };

    /// <summary>The pages that are compiled and do not run, and why.</summary>
    public static Dictionary<string, string> OnlyCompiled { get; } = new()
    {
        ["CONTRIBUTING.md"] = "Its code is written into the driver.",
        ["docs/authentication.md"] = "It needs a Kerberos realm, an issuer of OAuth tokens and a cloud. The integration tests have them.",
        ["docs/tls.md"] = "It needs a server's certificate for a host that is not this machine, and a client's key.",
        ["src/Loxo.Embedded/README.md"] = "It starts a server of version 18, which a machine need not have.",
        ["src/Loxo.Pooling/README.md"] = "It needs a server at port 5432 of this machine.",
    };
}
