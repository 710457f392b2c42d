namespace Loxo.Types;

/// <summary>The built-in types for bit strings.</summary>
internal static class BitTypes
{
    public static void Add(List<TypeEntry> types) => types.AddRange(
    [
        Bits(1560, 1561, "bit", "bit", PgDbType.Bit),
        Bits(1562, 1563, "varbit", "bit varying", PgDbType.Varbit),
    ]);

    private static TypeEntry Bits(uint oid, uint array, string name, string display, PgDbType dbType)
    {
        var form = new BitTextFormat(display);
        return BuiltInTypes.Type(oid, array, name, display, dbType, Codecs, form);

        IEnumerable<Codec> Codecs() =>
            [new BitArrayCodec(display), new SingleBitCodec(display), new BitVectorCodec(display), new FormattedTextCodec(display, form)];
    }
}
