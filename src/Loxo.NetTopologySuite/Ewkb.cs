namespace Loxo.NetTopologySuite;

/// <summary>
/// What EWKB has in front of each geometry, PostGIS' extension of the OGC's well-known binary (doc/ZMSGeoms.txt of PostGIS): byte order,
/// kind with flags, SRID if its flag is set.
/// </summary>
internal static class Ewkb
{
    public const uint Z = 0x80000000, M = 0x40000000, Srid = 0x20000000;

    public const byte BigEndian = 0, LittleEndian = 1;

    /// <summary>How deep collections may stand in collections; PostGIS parses 200 levels at most (LW_PARSER_MAX_DEPTH).</summary>
    public const int MaxDepth = 200;

    /// <summary>The smallest size of a geometry within another: byte order, kind and a count of 0.</summary>
    public const int LeastSize = 9;
}

/// <summary>The numbers of the kinds of geometry that NetTopologySuite has.</summary>
internal enum EwkbKind
{
    Point = 1,
    LineString = 2,
    Polygon = 3,
    MultiPoint = 4,
    MultiLineString = 5,
    MultiPolygon = 6,
    GeometryCollection = 7,
}
