namespace Loxo.Types;

internal static class NetworkTypes
{
    public static TypeEntry[] All(bool dropsNetmasks) =>
    [
        TypeEntry.Parsable<PgInet>(869, 1041, "inet", PgDbType.Inet, new InetAddressCodec(dropsNetmasks), new InetCodec()),
        TypeEntry.Parsable<PgCidr>(650, 651, "cidr", PgDbType.Cidr, new CidrNetworkCodec(), new CidrCodec()),
        Mac(829, 1040, "macaddr", PgDbType.MacAddr, 6),
        Mac(774, 775, "macaddr8", PgDbType.MacAddr8, 8),
    ];

    private static TypeEntry Mac(uint oid, uint array, string name, PgDbType dbType, int length) => TypeEntry.WithText(
        oid, array, name, name, dbType, new MacAddressTextFormat(name, length), () => [new MacAddressCodec(name, length)]);
}
