namespace Loxo.Types;

/// <summary>What the geometric types are made of on the wire: numbers of 8 bytes, points of two numbers (geo_ops.c).</summary>
internal static class ShapeFormat
{
    public const int PointSize = 16;

    public static PgPoint TakePoint(ref BinaryScanner scanner) => new(scanner.TakeDouble(), scanner.TakeDouble());

    /// <summary>Points behind their number, which is no larger than there are bytes for.</summary>
    public static PgPoint[] TakePoints(ref BinaryScanner scanner)
    {
        var points = new PgPoint[scanner.TakeCount(PointSize)];
        for (var i = 0; i < points.Length; i++)
            points[i] = TakePoint(ref scanner);
        return points;
    }

    public static void WritePoint(MessageWriter writer, PgPoint point)
    {
        writer.WriteDouble(point.X);
        writer.WriteDouble(point.Y);
    }

    public static void WritePoints(MessageWriter writer, ReadOnlySpan<PgPoint> points, string type)
    {
        if (points.IsEmpty)
            throw TypeErrors.NoForm($"A {type} without points", $"PostgreSQL type {type}, which has one at least", "Write NULL");
        writer.WriteInt32(points.Length);
        foreach (var point in points)
            WritePoint(writer, point);
    }
}

/// <summary>point: x and y (point_send).</summary>
internal sealed class PointCodec : ValueCodec<PgPoint>
{
    public override PgPoint Read(ReadOnlySpan<byte> value)
    {
        var scanner = new BinaryScanner(FixedBytes.Exactly(ShapeFormat.PointSize, value, "point"), "point");
        return ShapeFormat.TakePoint(ref scanner);
    }

    public override void Write(MessageWriter writer, PgPoint value) => ShapeFormat.WritePoint(writer, value);
}

/// <summary>line: A, B and C (line_send).</summary>
internal sealed class LineCodec : ValueCodec<PgLine>
{
    public override PgLine Read(ReadOnlySpan<byte> value)
    {
        var scanner = new BinaryScanner(FixedBytes.Exactly(3 * sizeof(double), value, "line"), "line");
        return new PgLine(scanner.TakeDouble(), scanner.TakeDouble(), scanner.TakeDouble());
    }

    public override void Write(MessageWriter writer, PgLine value)
    {
        writer.WriteDouble(value.A);
        writer.WriteDouble(value.B);
        writer.WriteDouble(value.C);
    }
}

/// <summary>lseg: two points (lseg_send).</summary>
internal sealed class LSegCodec : ValueCodec<PgLSeg>
{
    public override PgLSeg Read(ReadOnlySpan<byte> value)
    {
        var scanner = new BinaryScanner(FixedBytes.Exactly(2 * ShapeFormat.PointSize, value, "lseg"), "lseg");
        return new PgLSeg(ShapeFormat.TakePoint(ref scanner), ShapeFormat.TakePoint(ref scanner));
    }

    public override void Write(MessageWriter writer, PgLSeg value)
    {
        ShapeFormat.WritePoint(writer, value.Start);
        ShapeFormat.WritePoint(writer, value.End);
    }
}

/// <summary>box: the upper right corner, then the lower left one (box_send).</summary>
internal sealed class BoxCodec : ValueCodec<PgBox>
{
    public override PgBox Read(ReadOnlySpan<byte> value)
    {
        var scanner = new BinaryScanner(FixedBytes.Exactly(2 * ShapeFormat.PointSize, value, "box"), "box");
        return new PgBox(ShapeFormat.TakePoint(ref scanner), ShapeFormat.TakePoint(ref scanner));
    }

    public override void Write(MessageWriter writer, PgBox value)
    {
        ShapeFormat.WritePoint(writer, value.UpperRight);
        ShapeFormat.WritePoint(writer, value.LowerLeft);
    }
}

/// <summary>path: whether it is closed, the number of points, the points (path_send).</summary>
internal sealed class PathCodec : ValueCodec<PgPath>
{
    public override PgPath Read(ReadOnlySpan<byte> value)
    {
        var scanner = new BinaryScanner(value, "path");
        var isClosed = scanner.TakeByte() != 0;
        var points = ShapeFormat.TakePoints(ref scanner);
        scanner.End();
        return new PgPath(!isClosed, points);
    }

    public override void Write(MessageWriter writer, PgPath value)
    {
        writer.WriteByte(value.Open ? (byte)0 : (byte)1);
        ShapeFormat.WritePoints(writer, value.AsSpan(), "path");
    }
}

/// <summary>polygon: the number of points, the points (poly_send).</summary>
internal sealed class PolygonCodec : ValueCodec<PgPolygon>
{
    public override PgPolygon Read(ReadOnlySpan<byte> value)
    {
        var scanner = new BinaryScanner(value, "polygon");
        var points = ShapeFormat.TakePoints(ref scanner);
        scanner.End();
        return PgPolygon.Of(points);
    }

    public override void Write(MessageWriter writer, PgPolygon value) => ShapeFormat.WritePoints(writer, value.AsSpan(), "polygon");
}

/// <summary>circle: middle and radius (circle_send).</summary>
internal sealed class CircleCodec : ValueCodec<PgCircle>
{
    public override PgCircle Read(ReadOnlySpan<byte> value)
    {
        var scanner = new BinaryScanner(FixedBytes.Exactly(ShapeFormat.PointSize + sizeof(double), value, "circle"), "circle");
        return new PgCircle(ShapeFormat.TakePoint(ref scanner), scanner.TakeDouble());
    }

    public override void Write(MessageWriter writer, PgCircle value)
    {
        ShapeFormat.WritePoint(writer, value.Center);
        writer.WriteDouble(value.Radius);
    }
}
