using Loxo.Benchmarks.Peers.Drivers;
using Loxo.Benchmarks.Peers.Native;

namespace Loxo.Benchmarks;

/// <summary>The rows over TLS: what encryption adds to a lookup, and what a new connection costs.</summary>
internal static class TlsRows
{
    public const string Lookup = "lookup-tls";

    public static readonly Row[] All =
    [
        new Row(Lookup, "prepared lookup by key over TLS", IsAsync: false, 3_000, [.. Drivers, new(PeerKind.Libpq, target => new LibpqPeer(target.Tls, Workload.Lookup))]),
        new Row(Lookup + "-async", "prepared lookup by key over TLS, async", IsAsync: true, 3_000, Drivers),
        new Row("connect", "connect, TLS, SCRAM-SHA-256, close", IsAsync: false, 20, [.. Connecting, new(PeerKind.Libpq, target => new LibpqConnecting(target.Tls))]) { TracedExecutions = 20 },
        new Row("connect-async", "connect, TLS, SCRAM-SHA-256, close, async", IsAsync: true, 20, Connecting) { TracedExecutions = 20 },
        new Row("connect-elapsed", "the same, elapsed", IsAsync: false, 20, [.. Connecting, new(PeerKind.Libpq, target => new LibpqConnecting(target.Tls))])
        {
            Measure = Measure.Elapsed, TracedExecutions = 20,
        },
    ];

    private static Entrant[] Drivers =>
    [
        new(PeerKind.Loxo, target => new LoxoOpen(target.Tls.ConnectionString, Workload.Lookup)),
        new(PeerKind.Npgsql, target => new NpgsqlOpen(target.Tls.ConnectionString, Workload.Lookup)),
    ];

    private static Entrant[] Connecting =>
    [
        new(PeerKind.Loxo, target =>
        {
            var text = WithPassword(target);
            return new Connecting(() => new PgConnection(text));
        }),
        new(PeerKind.Npgsql, target =>
        {
            var text = WithPassword(target);
            return new Connecting(() => new global::Npgsql.NpgsqlConnection(text));
        }),
    ];

    private static string WithPassword(Target target) =>
        target.Tls.With("Pooling=false", $"Username={BenchServer.PasswordRole}", $"Password={BenchServer.Password}");
}
