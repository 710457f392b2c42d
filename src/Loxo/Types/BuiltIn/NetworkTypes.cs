using Loxo.Types.TextFormat;

namespace Loxo.Types.BuiltIn;

/// <summary>The built-in types for addresses of networks.</summary>
internal static class NetworkTypes
{
    public static void Add(List<TypeEntry> types) => types.AddRange(
    [
        BuiltInTypes.TextOnly(869, 1041, "inet", PgDbType.Inet, new NetworkRendering("inet")),
        BuiltInTypes.TextOnly(650, 651, "cidr", PgDbType.Cidr, new NetworkRendering("cidr")),
        BuiltInTypes.TextOnly(829, 1040, "macaddr", PgDbType.MacAddr, new MacAddressRendering("macaddr", 6)),
        BuiltInTypes.TextOnly(774, 775, "macaddr8", PgDbType.MacAddr8, new MacAddressRendering("macaddr8", 8)),
    ]);
}
