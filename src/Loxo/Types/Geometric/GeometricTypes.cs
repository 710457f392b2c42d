namespace Loxo.Types;

internal static class GeometricTypes
{
    public static TypeEntry[] All() =>
    [
        TypeEntry.Parsable<PgPoint>(600, 1017, "point", PgDbType.Point, new ShapeCodec<PgPoint>("point")),
        TypeEntry.Parsable<PgLine>(628, 629, "line", PgDbType.Line, new ShapeCodec<PgLine>("line")),
        TypeEntry.Parsable<PgLSeg>(601, 1018, "lseg", PgDbType.LSeg, new ShapeCodec<PgLSeg>("lseg")),
        TypeEntry.Parsable<PgBox>(603, 1020, "box", PgDbType.Box, new BoxCodec()),
        TypeEntry.Parsable<PgPath>(602, 1019, "path", PgDbType.Path, new PathCodec()),
        TypeEntry.Parsable<PgPolygon>(604, 1027, "polygon", PgDbType.Polygon, new PolygonCodec()),
        TypeEntry.Parsable<PgCircle>(718, 719, "circle", PgDbType.Circle, new ShapeCodec<PgCircle>("circle")),
    ];
}
