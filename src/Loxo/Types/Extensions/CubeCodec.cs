namespace Loxo.Types;

/// <summary>cube: number of dimensions in 4 bytes, highest bit set for a point; a corner; unless a point, another (cube_send).</summary>
internal sealed class CubeCodec : ValueCodec<PgCube>
{
    private const int PointFlag = int.MinValue;

    public override PgCube Read(ReadOnlySpan<byte> value)
    {
        var scanner = new BinaryScanner(value, "cube");
        var header = scanner.TakeInt32();
        var dimensions = header & ~PointFlag;
        if (dimensions > PgCube.MostDimensions)
            throw scanner.Malformed(string.Create(CultureInfo.InvariantCulture, $"it claims {dimensions} dimensions"));
        var corner = TakeCorner(ref scanner, dimensions);
        var opposite = (header & PointFlag) != 0 ? corner : TakeCorner(ref scanner, dimensions);
        scanner.End();
        return PgCube.Of(corner, opposite);
    }

    public override void Write(MessageWriter writer, PgCube value)
    {
        writer.WriteInt32(value.IsPoint ? value.Dimensions | PointFlag : value.Dimensions);
        foreach (var coordinate in value.Corner)
            writer.WriteDouble(coordinate);
        if (value.IsPoint)
            return;
        foreach (var coordinate in value.Opposite)
            writer.WriteDouble(coordinate);
    }

    private static double[] TakeCorner(ref BinaryScanner scanner, int dimensions)
    {
        if (scanner.Left < dimensions * sizeof(double))
            throw scanner.Malformed("it ends too early");
        var corner = new double[dimensions];
        for (var i = 0; i < dimensions; i++)
            corner[i] = scanner.TakeDouble();
        return corner;
    }
}
