namespace Loxo.Types;

internal static class BitTypes
{
    public static TypeEntry[] All() =>
    [
        Bits(1560, 1561, "bit", "bit", PgDbType.Bit),
        Bits(1562, 1563, "varbit", "bit varying", PgDbType.Varbit),
    ];

    private static TypeEntry Bits(uint oid, uint array, string name, string display, PgDbType dbType) => TypeEntry.WithText(
        oid, array, name, display, dbType, new BitTextFormat(display),
        () => [new BitArrayCodec(display), new SingleBitCodec(display), new BitVectorCodec(display)]);
}
