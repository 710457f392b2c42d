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
        var corner = new double[dimensions];
        for (var i = 0; i < dimensions; i++)
            corner[i] = scanner.TakeDouble();
        return corner;
    }
}

/// <summary>The text of a cube (cubescan.l and cubeparse.y, contrib/cube): blanks may stand between all parts.</summary>
internal static class CubeParser
{
    // Since version 17 the server takes \v for a blank too.
    private const string Blanks = " \t\n\f\r";

    public static bool TryParse(ReadOnlySpan<char> text, out double[] corner, out double[] opposite)
    {
        var scanner = new ShapeScanner(text, Blanks);
        scanner.SkipBlanks();
        opposite = [];
        if (scanner.TryTakeEnd('['))
        {
            return TryTakeCorner(ref scanner, out corner) && scanner.TryTakeEnd(',') && TryTakeCorner(ref scanner, out opposite)
                && scanner.TryTakeEnd(']') && scanner.IsAtEnd;
        }
        var isCorner = scanner.Next == '(' ? TryTakeCorner(ref scanner, out corner) : TryTakeNumbers(ref scanner, out corner);
        opposite = corner;
        if (!isCorner || scanner.IsAtEnd)
            return isCorner;
        return scanner.TryTakeEnd(',') && TryTakeCorner(ref scanner, out opposite) && scanner.IsAtEnd;
    }

    /// <summary>(1, 2), or nothing in parentheses.</summary>
    private static bool TryTakeCorner(ref ShapeScanner scanner, out double[] corner)
    {
        corner = [];
        return scanner.TryTakeEnd('(')
            && (scanner.TryTakeEnd(')') || (TryTakeNumbers(ref scanner, out corner) && scanner.TryTakeEnd(')')));
    }

    /// <summary>Numbers with commas between them, one at least.</summary>
    private static bool TryTakeNumbers(ref ShapeScanner scanner, out double[] numbers)
    {
        var found = new List<double>();
        numbers = [];
        do
        {
            // To the scanner of the server NaN has no sign.
            var isSigned = scanner.Next is '-' or '+';
            if (!scanner.TryTakeNumber(out var number) || (isSigned && double.IsNaN(number)))
                return false;
            found.Add(number);
        }
        while (scanner.TryTakeEnd(','));
        numbers = [.. found];
        return true;
    }
}
