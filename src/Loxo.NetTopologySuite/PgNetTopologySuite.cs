using Loxo.NetTopologySuite;
using NetTopologySuite;
using NetTopologySuite.Geometries;

namespace Loxo;

/// <summary>PostGIS with NetTopologySuite.</summary>
public static class PgNetTopologySuite
{
    /// <summary>
    /// Reads and writes PostGIS' <c>geometry</c> and <c>geography</c> as NetTopologySuite's geometries: <see cref="Geometry"/> when nothing
    /// is asked for, or the class of what is there. The SRID comes and goes with them; 0 and less stand for none.
    /// </summary>
    /// <param name="builder">What makes the data source.</param>
    /// <param name="coordinateSequenceFactory">What coordinates are kept in; null for that of
    /// <see cref="NtsGeometryServices.Instance"/>.</param>
    /// <param name="precisionModel">What X and Y are rounded to when they are read; null for that of
    /// <see cref="NtsGeometryServices.Instance"/>.</param>
    /// <param name="handleOrdinates">Which ordinates are read and written; <see cref="Ordinates.None"/>, the default, for all that the
    /// factory has room for. X and Y always are, and what a geometry does not have is not written.</param>
    /// <param name="geographyAsDefault">Whether a parameter that says nothing but its value is <c>geography</c> instead of
    /// <c>geometry</c>.</param>
    public static PgDataSourceBuilder UseNetTopologySuite(
        this PgDataSourceBuilder builder, CoordinateSequenceFactory? coordinateSequenceFactory = null,
        PrecisionModel? precisionModel = null,
        Ordinates handleOrdinates = Ordinates.None, bool geographyAsDefault = false)
    {
        ArgumentNullException.ThrowIfNull(builder);
        var services = NtsGeometryServices.Instance;
        var format = new EwkbFormat(
            coordinateSequenceFactory ?? services.DefaultCoordinateSequenceFactory,
            precisionModel ?? services.DefaultPrecisionModel, handleOrdinates);
        string[] names = geographyAsDefault ? ["geometry", "geography"] : ["geography", "geometry"];
        foreach (var name in names)
            builder.AddCodec(name, Codecs(format));
        return builder;
    }

    private static Codec[] Codecs(EwkbFormat format) =>
    [
        new GeometryCodec<Geometry>(format), new GeometryCodec<Point>(format), new GeometryCodec<LineString>(format),
        new GeometryCodec<LinearRing>(format),
        new GeometryCodec<Polygon>(format), new GeometryCodec<MultiPoint>(format), new GeometryCodec<MultiLineString>(format),
        new GeometryCodec<MultiPolygon>(format), new GeometryCodec<GeometryCollection>(format),
    ];
}
