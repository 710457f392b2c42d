namespace Loxo.Types;

/// <summary>point, line, lseg and circle: their numbers, 8 bytes each, in the order in which T declares them (geo_ops.c).</summary>
internal sealed class ShapeCodec<T>(string type) : ValueCodec<T>
    where T : unmanaged
{
    public override T Read(ReadOnlySpan<byte> value)
    {
        Unsafe.SkipInit(out T shape);
        Copy(FixedBytes.Exactly(Unsafe.SizeOf<T>(), value, type), MemoryMarshal.AsBytes(new Span<T>(ref shape)));
        return shape;
    }

    public override void Write(MessageWriter writer, T value) =>
        Copy(MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in value)), writer.Reserve(Unsafe.SizeOf<T>()));

    // Between network byte order and this machine's.
    private static void Copy(ReadOnlySpan<byte> from, Span<byte> to)
    {
        if (BitConverter.IsLittleEndian)
            BinaryPrimitives.ReverseEndianness(MemoryMarshal.Cast<byte, long>(from), MemoryMarshal.Cast<byte, long>(to));
        else
            from.CopyTo(to);
    }
}

/// <summary>box: the upper right corner, then the lower left one (box_send).</summary>
internal sealed class BoxCodec : ValueCodec<PgBox>
{
    private static readonly ShapeCodec<PgLSeg> Corners = new("box");

    public override PgBox Read(ReadOnlySpan<byte> value)
    {
        var (corner, opposite) = Corners.Read(value);
        return new PgBox(corner, opposite);
    }

    public override void Write(MessageWriter writer, PgBox value) => Corners.Write(writer, new PgLSeg(value.UpperRight, value.LowerLeft));
}

/// <summary>path: whether it is closed, the number of points, the points (path_send).</summary>
internal sealed class PathCodec : ValueCodec<PgPath>
{
    public override PgPath Read(ReadOnlySpan<byte> value)
    {
        var scanner = new BinaryScanner(value, "path");
        var isClosed = scanner.TakeByte() != 0;
        return new PgPath(!isClosed, PointsFormat.Read(scanner));
    }

    public override void Write(MessageWriter writer, PgPath value)
    {
        writer.WriteByte(value.Open ? (byte)0 : (byte)1);
        PointsFormat.Write(writer, value.AsSpan(), "path");
    }
}

/// <summary>polygon: the number of points, the points (poly_send).</summary>
internal sealed class PolygonCodec : ValueCodec<PgPolygon>
{
    public override PgPolygon Read(ReadOnlySpan<byte> value) => PgPolygon.Of(PointsFormat.Read(new BinaryScanner(value, "polygon")));

    public override void Write(MessageWriter writer, PgPolygon value) => PointsFormat.Write(writer, value.AsSpan(), "polygon");
}

/// <summary>Points behind their number, at the end of a value.</summary>
internal static class PointsFormat
{
    private const int PointSize = 16;

    private static readonly ShapeCodec<PgPoint> Point = new("point");

    public static PgPoint[] Read(BinaryScanner scanner)
    {
        var points = new PgPoint[scanner.TakeCount(PointSize)];
        foreach (ref var point in points.AsSpan())
            point = Point.Read(scanner.Take(PointSize));
        scanner.End();
        return points;
    }

    public static void Write(MessageWriter writer, ReadOnlySpan<PgPoint> points, string type)
    {
        if (points.IsEmpty)
            throw TypeErrors.NoForm($"A {type} without points", $"PostgreSQL type {type}, which has one at least", "Write NULL");
        writer.WriteInt32(points.Length);
        foreach (var point in points)
            Point.Write(writer, point);
    }
}
