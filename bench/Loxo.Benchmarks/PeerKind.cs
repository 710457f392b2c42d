using Loxo.Benchmarks.Peers;

namespace Loxo.Benchmarks;

/// <summary>A peer that can be opened.</summary>
internal sealed record PeerKind(string Name, Func<Target, IPeer> Open)
{
    public const string Loxo = "Loxo", Npgsql = "Npgsql", Libpq = "libpq", Floor = "floor";

    /// <summary>Those that this machine has, in the order of the table.</summary>
    public static readonly PeerKind[] All =
    [
        new(Loxo, target => new LoxoPeer(target)),
        new(Npgsql, target => new NpgsqlPeer(target)),
        .. Peers.Libpq.IsThere ? new PeerKind[] { new(Libpq, target => new LibpqPeer(target)) } : [],
        new(Floor, target => new FloorPeer(target)),
    ];

    /// <summary>The peers of those names, separated by commas; all when there are none.</summary>
    public static PeerKind[] Choose(string names) => names.Length == 0
        ? All
        : [.. names.Split(',').Select(name => Array.Find(All, peer => peer.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
            ?? throw new ArgumentException($"There is no peer '{name}' here. Peers: {string.Join(", ", All.Select(peer => peer.Name))}"))];
}
