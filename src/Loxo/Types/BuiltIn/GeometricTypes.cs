using Loxo.Types.TextFormat;

namespace Loxo.Types.BuiltIn;

/// <summary>The built-in types for geometric types.</summary>
internal static class GeometricTypes
{
    public static void Add(List<TypeEntry> types) => types.AddRange(
    [
        BuiltInTypes.TextOnly(600, 1017, "point", PgDbType.Point, GeometricRendering.Point),
        BuiltInTypes.TextOnly(628, 629, "line", PgDbType.Line, GeometricRendering.Line),
        BuiltInTypes.TextOnly(601, 1018, "lseg", PgDbType.LSeg, GeometricRendering.LineSegment),
        BuiltInTypes.TextOnly(603, 1020, "box", PgDbType.Box, GeometricRendering.Box),
        BuiltInTypes.TextOnly(602, 1019, "path", PgDbType.Path, GeometricRendering.Path),
        BuiltInTypes.TextOnly(604, 1027, "polygon", PgDbType.Polygon, GeometricRendering.Polygon),
        BuiltInTypes.TextOnly(718, 719, "circle", PgDbType.Circle, GeometricRendering.Circle),
    ]);
}
