namespace Loxo.Benchmarks;

/// <summary>Who is measured: a driver and how it is set, or a program that does the same work without a driver.</summary>
/// <param name="Name">Its name on the command line and in the results.</param>
/// <param name="Column">Its column in README's table.</param>
/// <param name="Note">How it differs from the column's first; empty for that one.</param>
internal sealed record PeerKind(string Name, string Column, string Note = "")
{
    public static readonly PeerKind Loxo = new("Loxo", "Loxo");
    public static readonly PeerKind LoxoAlways = new("Loxo-always", "Loxo", "Session Reset=Always");
    public static readonly PeerKind LoxoNever = new("Loxo-never", "Loxo", "Session Reset=Never");
    public static readonly PeerKind LoxoUnpooled = new("Loxo-unpooled", "Loxo", "Pooling=false");
    public static readonly PeerKind LoxoTyped = new("Loxo-typed", "Loxo", "by typed getters");
    public static readonly PeerKind LoxoTelemetry = new("Loxo-telemetry", "Loxo", "spans, metrics and logs");
    public static readonly PeerKind LoxoReused = new("Loxo-reused", "Loxo", "the same batch again");
    public static readonly PeerKind LoxoOneByOne = new("Loxo-one-by-one", "Loxo", "one by one");
    public static readonly PeerKind LoxoMultiplexing = new("Loxo-multiplexing", "Loxo", "Multiplexing=true");
    public static readonly PeerKind LoxoUngrouped = new("Loxo-ungrouped", "Loxo", "multiplexing, each query in a transaction of its own");
    public static readonly PeerKind LoxoGroupedChanges = new("Loxo-grouped-changes", "Loxo", "multiplexing, changes share transactions");
    public static readonly PeerKind LoxoSockets = new("Loxo-sockets", "Loxo", "Async Engine=Sockets");
    public static readonly PeerKind LoxoSleep = new("Loxo-sleep", "Loxo", "Receive Spin=0");
    public static readonly PeerKind LoxoReactor = new("Loxo-reactor", "Loxo", "Async Engine=Reactor");
    public static readonly PeerKind LoxoReactorPool = new("Loxo-reactor-pool", "Loxo", "Async Engine=Reactor;Reactor Continuations=ThreadPool");

    public static readonly PeerKind LoxoMultiplexingSockets =
        new("Loxo-multiplexing-sockets", "Loxo", "Multiplexing=true;Async Engine=Sockets");

    public static readonly PeerKind LoxoMultiplexingReactor =
        new("Loxo-multiplexing-reactor", "Loxo", "Multiplexing=true;Async Engine=Reactor");

    public static readonly PeerKind LoxoMultiplexingReactorPool =
        new("Loxo-multiplexing-reactor-pool", "Loxo", "Multiplexing=true;Async Engine=Reactor;Reactor Continuations=ThreadPool");

    public static readonly PeerKind Npgsql = new("Npgsql", "Npgsql");
    public static readonly PeerKind NpgsqlTuned = new("Npgsql-tuned", "Npgsql", "No Reset On Close=true;Max Auto Prepare=20");
    public static readonly PeerKind NpgsqlOneByOne = new("Npgsql-one-by-one", "Npgsql", "one by one");
    public static readonly PeerKind NpgsqlMultiplexing = new("Npgsql-multiplexing", "Npgsql", "Multiplexing=true;Max Auto Prepare=20");
    public static readonly PeerKind NpgsqlUnpooled = new("Npgsql-unpooled", "Npgsql", "Pooling=false");
    public static readonly PeerKind Libpq = new("libpq", "libpq");
    public static readonly PeerKind Floor = new("floor", "floor");
    public static readonly PeerKind ReactorHop = new("reactor-hop", "floor", "own epoll loop, one hop to the thread pool");
    public static readonly PeerKind ReactorInline = new("reactor-inline", "floor", "own epoll loop, continued on its thread");

    /// <summary>A web application that reads its rows from memory. It runs beside any choice of peers.</summary>
    public static readonly PeerKind NoDatabase = new("no-database", "none");

    /// <summary>All that this machine has, in the order of the table.</summary>
    public static readonly PeerKind[] All =
    [
        Loxo, LoxoAlways, LoxoNever, LoxoUnpooled, LoxoTyped, LoxoTelemetry, LoxoReused, LoxoOneByOne,
        .. IsAccepted(LoxoMultiplexing) ? new[] { LoxoMultiplexing, LoxoUngrouped, LoxoGroupedChanges } : [],
        .. OperatingSystem.IsLinux() && IsAccepted(LoxoSleep) ? new[] { LoxoSleep } : [],
        .. IsAccepted(LoxoSockets) ? new[] { LoxoSockets, LoxoMultiplexingSockets } : [],
        .. OperatingSystem.IsLinux() && IsAccepted(LoxoReactor)
            ? new[] { LoxoReactor, LoxoReactorPool, LoxoMultiplexingReactor, LoxoMultiplexingReactorPool }
            : [],
        Npgsql, NpgsqlTuned, NpgsqlOneByOne, NpgsqlMultiplexing, NpgsqlUnpooled,
        .. Peers.Native.Libpq.IsThere ? new[] { Libpq } : [],
        Floor,
        .. OperatingSystem.IsLinux() ? new[] { ReactorHop, ReactorInline } : [],
    ];

    /// <summary>What the connection string says besides where the server is.</summary>
    public string Settings => Column is "Loxo" or "Npgsql" && Note.Contains('=') ? Note : "";

    /// <summary>Whether it differs from another peer in its asynchronous calls alone.</summary>
    public bool IsAsyncOnly => this == LoxoReactor || this == LoxoReactorPool || this == ReactorHop || this == ReactorInline;

    /// <summary>Whether this build of Loxo knows a peer's settings.</summary>
    public static bool IsAccepted(PeerKind peer)
    {
        try
        {
            return new PgConnectionStringBuilder(peer.Settings).Count >= 0;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }

    /// <summary>The peers of those names, separated by commas; all when there are none.</summary>
    public static PeerKind[] Choose(string names) => names.Length == 0
        ? All
        : [.. names.Split(',').Select(name => Array.Find(All, peer => peer.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
            ?? throw new ArgumentException($"There is no peer '{name}' here. Peers: {string.Join(", ", All.Select(peer => peer.Name))}"))];
}
