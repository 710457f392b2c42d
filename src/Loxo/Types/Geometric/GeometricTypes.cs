namespace Loxo.Types;

internal static class GeometricTypes
{
    public static TypeEntry[] All() =>
    [
        Shape(600, 1017, "point", PgDbType.Point, new PointCodec()),
        Shape(628, 629, "line", PgDbType.Line, new LineCodec()),
        Shape(601, 1018, "lseg", PgDbType.LSeg, new LSegCodec()),
        Shape(603, 1020, "box", PgDbType.Box, new BoxCodec()),
        Shape(602, 1019, "path", PgDbType.Path, new PathCodec()),
        Shape(604, 1027, "polygon", PgDbType.Polygon, new PolygonCodec()),
        Shape(718, 719, "circle", PgDbType.Circle, new CircleCodec()),
    ];

    private static TypeEntry Shape<T>(uint oid, uint array, string name, PgDbType dbType, Codec<T> codec)
        where T : struct, ISpanParsable<T>
    {
        var format = new ParsableTextFormat<T>(name, codec);
        return TypeEntry.BuiltIn(oid, array, name, name, dbType, () => [codec, new FormattedTextCodec(name, format)], format);
    }
}
