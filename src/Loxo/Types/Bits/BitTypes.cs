namespace Loxo.Types;

internal static class BitTypes
{
    public static TypeEntry[] All() =>
    [
        Bits(1560, 1561, "bit", "bit", PgDbType.Bit),
        Bits(1562, 1563, "varbit", "bit varying", PgDbType.Varbit),
    ];

    private static TypeEntry Bits(uint oid, uint array, string name, string display, PgDbType dbType)
    {
        var format = new BitTextFormat(display);
        return TypeEntry.BuiltIn(oid, array, name, display, dbType, Codecs, format);

        IEnumerable<Codec> Codecs() =>
            [new BitArrayCodec(display), new SingleBitCodec(display), new BitVectorCodec(display), new FormattedTextCodec(display, format)];
    }
}
