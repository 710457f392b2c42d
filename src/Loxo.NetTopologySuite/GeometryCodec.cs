using NetTopologySuite.Geometries;

namespace Loxo.NetTopologySuite;

/// <summary>Geometries of one class, or of any.</summary>
internal sealed class GeometryCodec<T>(EwkbFormat format) : ReferenceCodec<T>
    where T : Geometry
{
    public override T Read(ReadOnlySpan<byte> value) => new EwkbReader(format, value).Read() switch
    {
        T geometry => geometry,
        LineString line when typeof(T) == typeof(LinearRing) => Ring(line),
        var other => throw new InvalidCastException($"A {other.GeometryType} cannot become a {typeof(T).Name}. Read it as Geometry."),
    };

    public override void Write(MessageWriter writer, T value) => EwkbWriter.Write(format, writer, value);

    // To PostGIS a ring is a line that is closed.
    private static T Ring(LineString line) => line.IsEmpty || line.IsClosed
        ? (T)(Geometry)line.Factory.CreateLinearRing(line.CoordinateSequence)
        : throw new InvalidCastException("A LineString that is not closed cannot become a LinearRing. Read it as LineString.");
}
