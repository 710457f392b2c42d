namespace Loxo.Types;

internal static class NetworkTypes
{
    private static readonly TextFormat Inet = new ParsableTextFormat<PgInet>("inet", new InetCodec());
    private static readonly TextFormat Cidr = new ParsableTextFormat<PgCidr>("cidr", new CidrCodec());

    public static TypeEntry[] All() =>
    [
        TypeEntry.BuiltIn(869, 1041, "inet", "inet", PgDbType.Inet,
            static () => [new InetAddressCodec(), new InetCodec(), new FormattedTextCodec("inet", Inet)], Inet),
        TypeEntry.BuiltIn(650, 651, "cidr", "cidr", PgDbType.Cidr,
            static () => [new CidrNetworkCodec(), new CidrCodec(), new FormattedTextCodec("cidr", Cidr)], Cidr),
        Mac(829, 1040, "macaddr", PgDbType.MacAddr, 6),
        Mac(774, 775, "macaddr8", PgDbType.MacAddr8, 8),
    ];

    private static TypeEntry Mac(uint oid, uint array, string name, PgDbType dbType, int length)
    {
        var format = new MacAddressTextFormat(name, length);
        return TypeEntry.BuiltIn(oid, array, name, name, dbType,
            () => [new MacAddressCodec(name, length), new FormattedTextCodec(name, format)], format);
    }
}
