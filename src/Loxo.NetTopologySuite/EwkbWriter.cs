using System.Buffers.Binary;
using NetTopologySuite.Geometries;

namespace Loxo.NetTopologySuite;

/// <summary>Writes one geometry as PostGIS itself does on most machines: little-endian, with an SRID in front if there is one.</summary>
internal readonly ref struct EwkbWriter
{
    // PostGIS' own; .NET's has its sign set.
    private static readonly double NotANumber = BitConverter.Int64BitsToDouble(0x7FF8_0000_0000_0000);

    private readonly MessageWriter _writer;
    private readonly Ordinates _has;

    private EwkbWriter(MessageWriter writer, Ordinates has)
    {
        _writer = writer;
        _has = has;
    }

    /// <summary>Writes a geometry with those of its ordinates that the format has.</summary>
    /// <exception cref="InvalidCastException">It is of a class that EWKB has no kind for.</exception>
    public static void Write(EwkbFormat format, MessageWriter writer, Geometry geometry)
    {
        // PostGIS refuses a geometry whose parts have different ordinates.
        var present = new OrdinatesFilter(format.Ordinates);
        geometry.Apply(present);
        new EwkbWriter(writer, Ordinates.XY | present.Found).WriteGeometry(geometry, geometry.SRID > 0 ? geometry.SRID : 0);
    }

    private void WriteGeometry(Geometry geometry, int srid)
    {
        WriteHead(KindOf(geometry), srid);
        switch (geometry)
        {
            case Point point:
                WritePoint(point);
                break;
            case LineString line:
                WriteLine(line.CoordinateSequence);
                break;
            case Polygon polygon:
                WritePolygon(polygon);
                break;
            default:
                WriteMembers((GeometryCollection)geometry);
                break;
        }
    }

    private static EwkbKind KindOf(Geometry geometry) => geometry switch
    {
        Point => EwkbKind.Point,
        LineString => EwkbKind.LineString,
        Polygon => EwkbKind.Polygon,
        MultiPoint => EwkbKind.MultiPoint,
        MultiLineString => EwkbKind.MultiLineString,
        MultiPolygon => EwkbKind.MultiPolygon,
        GeometryCollection => EwkbKind.GeometryCollection,
        _ => throw new InvalidCastException(
            $"A {geometry.GetType()} has no form in PostGIS. Give one of NetTopologySuite's own geometries."),
    };

    private void WriteHead(EwkbKind kind, int srid)
    {
        var flags = ((_has & Ordinates.Z) != 0 ? Ewkb.Z : 0) | ((_has & Ordinates.M) != 0 ? Ewkb.M : 0) | (srid != 0 ? Ewkb.Srid : 0);
        _writer.WriteByte(Ewkb.LittleEndian);
        WriteInt32((int)((uint)kind | flags));
        if (srid != 0)
            WriteInt32(srid);
    }

    private void WritePoint(Point point)
    {
        if (!point.IsEmpty)
        {
            WriteCoordinate(point.CoordinateSequence, 0);
            return;
        }
        var count = 2 + ((_has & Ordinates.Z) != 0 ? 1 : 0) + ((_has & Ordinates.M) != 0 ? 1 : 0);
        for (var i = 0; i < count; i++)
            WriteDouble(NotANumber);
    }

    private void WritePolygon(Polygon polygon)
    {
        if (polygon.IsEmpty)
        {
            WriteInt32(0);
            return;
        }
        WriteInt32(1 + polygon.NumInteriorRings);
        WriteLine(polygon.ExteriorRing.CoordinateSequence);
        for (var i = 0; i < polygon.NumInteriorRings; i++)
            WriteLine(polygon.GetInteriorRingN(i).CoordinateSequence);
    }

    private void WriteMembers(GeometryCollection collection)
    {
        WriteInt32(collection.NumGeometries);
        for (var i = 0; i < collection.NumGeometries; i++)
            WriteGeometry(collection.GetGeometryN(i), 0);
    }

    private void WriteLine(CoordinateSequence sequence)
    {
        WriteInt32(sequence.Count);
        for (var i = 0; i < sequence.Count; i++)
            WriteCoordinate(sequence, i);
    }

    private void WriteCoordinate(CoordinateSequence sequence, int index)
    {
        WriteDouble(sequence.GetX(index));
        WriteDouble(sequence.GetY(index));
        if ((_has & Ordinates.Z) != 0)
            WriteDouble(sequence.GetZ(index));
        if ((_has & Ordinates.M) != 0)
            WriteDouble(sequence.GetM(index));
    }

    private void WriteInt32(int value) => BinaryPrimitives.WriteInt32LittleEndian(_writer.Reserve(sizeof(int)), value);

    private void WriteDouble(double value) => BinaryPrimitives.WriteDoubleLittleEndian(_writer.Reserve(sizeof(double)), value);

    // NetTopologySuite keeps NaN where a coordinate could have a Z or M but has none.
    private sealed class OrdinatesFilter(Ordinates wanted) : IEntireCoordinateSequenceFilter
    {
        public Ordinates Found { get; private set; }

        public bool Done => Found == (wanted & (Ordinates.Z | Ordinates.M));

        public bool GeometryChanged => false;

        public void Filter(CoordinateSequence sequence)
        {
            for (var i = 0; i < sequence.Count && !Done; i++)
            {
                if (!double.IsNaN(sequence.GetZ(i)))
                    Found |= wanted & Ordinates.Z;
                if (!double.IsNaN(sequence.GetM(i)))
                    Found |= wanted & Ordinates.M;
            }
        }
    }
}
