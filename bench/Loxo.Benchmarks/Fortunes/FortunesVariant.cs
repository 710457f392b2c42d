namespace Loxo.Benchmarks.Fortunes;

/// <summary>A variant of the application, with the variants that it is compared with.</summary>
/// <param name="Kind">The driver with its settings, or a floor.</param>
/// <param name="Floor">The floor on the same engine; null for a floor and for a driver that multiplexes.</param>
/// <param name="Sockets">The same on the sockets of .NET; null if the variant uses these.</param>
/// <param name="Loxo">Loxo in the way of another driver, pooled or multiplexed; null for Loxo and for a floor.</param>
internal sealed record FortunesVariant(PeerKind Kind, PeerKind? Floor = null, PeerKind? Sockets = null, PeerKind? Loxo = null)
{
    private static readonly FortunesVariant[] Known =
    [
        new(PeerKind.NoDatabase),
        new(PeerKind.Floor),
        new(PeerKind.ReactorHop, Sockets: PeerKind.Floor),
        new(PeerKind.ReactorInline, Sockets: PeerKind.Floor),
        new(PeerKind.LoxoSockets, PeerKind.Floor),
        new(PeerKind.LoxoReactorPool, PeerKind.ReactorHop, PeerKind.LoxoSockets),
        new(PeerKind.LoxoReactor, PeerKind.ReactorInline, PeerKind.LoxoSockets),
        new(PeerKind.LoxoMultiplexingSockets),
        new(PeerKind.LoxoUngrouped),
        new(PeerKind.LoxoMultiplexingReactorPool, Sockets: PeerKind.LoxoMultiplexingSockets),
        new(PeerKind.LoxoMultiplexingReactor, Sockets: PeerKind.LoxoMultiplexingSockets),
        new(PeerKind.Npgsql, PeerKind.Floor, Loxo: PeerKind.LoxoSockets),
        new(PeerKind.NpgsqlTuned, PeerKind.Floor, Loxo: PeerKind.LoxoSockets),
        new(PeerKind.NpgsqlMultiplexing, Loxo: PeerKind.LoxoMultiplexingSockets),
    ];

    /// <summary>All that this machine and this build of Loxo have, in the order of the table.</summary>
    public static readonly FortunesVariant[] All =
        [.. Known.Where(variant => variant.Kind == PeerKind.NoDatabase || PeerKind.All.Contains(variant.Kind))];

    public string Name => Kind.Name;

    /// <summary>The variants of those names, separated by commas, and the one without a database; all when there are no names.</summary>
    public static FortunesVariant[] Choose(string names)
    {
        if (names.Length == 0)
            return All;
        var chosen = names.Split(',');
        if (Array.Find(chosen, name => !Array.Exists(All, variant => variant.Is(name))) is { } unknown)
        {
            var known = string.Join(", ", All.Select(variant => variant.Name));
            throw new ArgumentException($"There is no variant '{unknown}' of Fortunes here. Variants: {known}");
        }
        return [.. All.Where(variant => variant.Kind == PeerKind.NoDatabase || Array.Exists(chosen, variant.Is))];
    }

    private bool Is(string name) => Name.Equals(name, StringComparison.OrdinalIgnoreCase);
}
