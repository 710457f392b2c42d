using System.Buffers.Binary;
using NetTopologySuite.Geometries;

namespace Loxo.NetTopologySuite;

/// <summary>Reads one geometry. Every count is held against the bytes that are there before anything is made of it.</summary>
internal ref struct EwkbReader(EwkbFormat format, ReadOnlySpan<byte> bytes)
{
    private ReadOnlySpan<byte> _rest = bytes;
    private bool _littleEndian;
    private GeometryFactory? _factory;

    /// <summary>The geometry that all the bytes make up.</summary>
    /// <exception cref="FormatException">They make up none.</exception>
    /// <exception cref="InvalidCastException">They make up one that NetTopologySuite has no class for.</exception>
    public Geometry Read()
    {
        try
        {
            var geometry = ReadGeometry(0);
            return _rest.IsEmpty ? geometry : throw Malformed("bytes are left after it");
        }
        catch (ArgumentException e)
        {
            throw new FormatException($"The geometry is none that NetTopologySuite allows: {e.Message}", e);
        }
    }

    private Geometry ReadGeometry(int depth)
    {
        if (depth > Ewkb.MaxDepth)
            throw Malformed($"its collections are nested more than {Ewkb.MaxDepth} levels deep");
        var (kind, has) = ReadHead();
        return kind switch
        {
            EwkbKind.Point => ReadPoint(has),
            EwkbKind.LineString => _factory!.CreateLineString(ReadSequence(has)),
            EwkbKind.Polygon => ReadPolygon(has),
            EwkbKind.MultiPoint => _factory!.CreateMultiPoint(ReadMembers<Point>(depth)),
            EwkbKind.MultiLineString => _factory!.CreateMultiLineString(ReadMembers<LineString>(depth)),
            EwkbKind.MultiPolygon => _factory!.CreateMultiPolygon(ReadMembers<Polygon>(depth)),
            EwkbKind.GeometryCollection => _factory!.CreateGeometryCollection(ReadMembers<Geometry>(depth)),
            _ => throw NoClass((int)kind),
        };
    }

    private (EwkbKind Kind, Ordinates Has) ReadHead()
    {
        _littleEndian = Take(1)[0] switch
        {
            Ewkb.BigEndian => false,
            Ewkb.LittleEndian => true,
            var other => throw Malformed($"its byte order is {other}"),
        };
        var type = ReadUInt32();
        var srid = (type & Ewkb.Srid) != 0 ? (int)ReadUInt32() : 0;
        // The members of a geometry have its reference system.
        _factory ??= format.FactoryOf(srid);
        var has = Ordinates.XY | ((type & Ewkb.Z) != 0 ? Ordinates.Z : 0) | ((type & Ewkb.M) != 0 ? Ordinates.M : 0);
        return ((EwkbKind)(type & ~(Ewkb.Z | Ewkb.M | Ewkb.Srid)), has);
    }

    // A point that is empty has NaN for its coordinates.
    private Point ReadPoint(Ordinates has)
    {
        var sequence = ReadSequence(has, 1);
        return double.IsNaN(sequence.GetX(0)) && double.IsNaN(sequence.GetY(0))
            ? _factory!.CreatePoint(format.Sequences.Create(0, has & format.Ordinates))
            : _factory!.CreatePoint(sequence);
    }

    private Polygon ReadPolygon(Ordinates has)
    {
        var count = ReadCount(sizeof(int));
        if (count == 0)
            return _factory!.CreatePolygon(format.Sequences.Create(0, has & format.Ordinates));
        var shell = _factory!.CreateLinearRing(ReadSequence(has));
        var holes = new LinearRing[count - 1];
        for (var i = 0; i < holes.Length; i++)
            holes[i] = _factory.CreateLinearRing(ReadSequence(has));
        return _factory.CreatePolygon(shell, holes);
    }

    private T[] ReadMembers<T>(int depth)
        where T : Geometry
    {
        var members = new T[ReadCount(Ewkb.LeastSize)];
        for (var i = 0; i < members.Length; i++)
            members[i] = ReadGeometry(depth + 1) as T ?? throw Malformed($"one of its members is not a {typeof(T).Name}");
        return members;
    }

    private CoordinateSequence ReadSequence(Ordinates has) => ReadSequence(has, ReadCount(SizeOf(has)));

    private CoordinateSequence ReadSequence(Ordinates has, int count)
    {
        var size = SizeOf(has);
        var values = Take((long)count * size);
        var sequence = format.Sequences.Create(count, has & format.Ordinates);
        var mOffset = (has & Ordinates.Z) != 0 ? 3 : 2;
        for (var i = 0; i < count; i++)
        {
            var value = values.Slice(i * size, size);
            sequence.SetX(i, format.Precision.MakePrecise(Double(value, 0)));
            sequence.SetY(i, format.Precision.MakePrecise(Double(value, 1)));
            if ((has & Ordinates.Z) != 0 && sequence.HasZ)
                sequence.SetZ(i, Double(value, 2));
            if ((has & Ordinates.M) != 0 && sequence.HasM)
                sequence.SetM(i, Double(value, mOffset));
        }
        return sequence;
    }

    private int ReadCount(int leastSize)
    {
        var count = ReadUInt32();
        return count <= _rest.Length / leastSize ? (int)count : throw Malformed($"it claims {count} parts in {_rest.Length} bytes");
    }

    private uint ReadUInt32()
    {
        var value = Take(sizeof(uint));
        return _littleEndian ? BinaryPrimitives.ReadUInt32LittleEndian(value) : BinaryPrimitives.ReadUInt32BigEndian(value);
    }

    private readonly double Double(ReadOnlySpan<byte> point, int index)
    {
        var value = point[(index * sizeof(double))..];
        return _littleEndian ? BinaryPrimitives.ReadDoubleLittleEndian(value) : BinaryPrimitives.ReadDoubleBigEndian(value);
    }

    private ReadOnlySpan<byte> Take(long count)
    {
        if (count > _rest.Length)
            throw Malformed("it ends too early");
        var taken = _rest[..(int)count];
        _rest = _rest[(int)count..];
        return taken;
    }

    private static int SizeOf(Ordinates has) =>
        sizeof(double) * (2 + ((has & Ordinates.Z) != 0 ? 1 : 0) + ((has & Ordinates.M) != 0 ? 1 : 0));

    private static FormatException Malformed(string why) => new($"The server sent bytes that are not a geometry: {why}.");

    private static Exception NoClass(int kind) => kind switch
    {
        8 or 9 or 10 or 11 or 12 => new InvalidCastException(
            "A geometry with curves has no class in NetTopologySuite. Use ST_CurveToLine in SQL, or read ST_AsText of it."),
        15 or 16 or 17 => new InvalidCastException(
            "A surface or triangle has no class in NetTopologySuite. Use ST_GeometryN in SQL, or read ST_AsText of it."),
        _ => Malformed($"its kind is {kind}"),
    };
}
