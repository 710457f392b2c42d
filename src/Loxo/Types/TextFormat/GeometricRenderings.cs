using System.Globalization;
using System.Text;

namespace Loxo.Types.TextFormat;

/// <summary>The geometric types: numbers of 8 bytes, with counts where the number of points varies (geo_ops.c).</summary>
/// <param name="type">The name for errors.</param>
/// <param name="parts">Reads the rest of a value and shows it.</param>
internal sealed class GeometricRendering(string type, GeometricRendering.Parts parts) : TextRendering
{
    private const int PointSize = 16;

    internal delegate string Parts(ref BinaryScanner scanner);

    public static readonly TextRendering Point = new GeometricRendering("point", TakePoint);
    public static readonly TextRendering Line = new GeometricRendering("line",
        static (ref scanner) => $"{{{TakeNumber(ref scanner)},{TakeNumber(ref scanner)},{TakeNumber(ref scanner)}}}");
    public static readonly TextRendering LineSegment = new GeometricRendering("lseg",
        static (ref scanner) => $"[{TakePoints(ref scanner, 2)}]");
    public static readonly TextRendering Box = new GeometricRendering("box", static (ref scanner) => TakePoints(ref scanner, 2));
    public static readonly TextRendering Polygon = new GeometricRendering("polygon",
        static (ref scanner) => $"({TakePoints(ref scanner, scanner.TakeCount(PointSize))})");
    public static readonly TextRendering Circle = new GeometricRendering("circle",
        static (ref scanner) => $"<{TakePoint(ref scanner)},{TakeNumber(ref scanner)}>");
    public static readonly TextRendering Path = new GeometricRendering("path", static (ref scanner) =>
    {
        var isClosed = scanner.TakeByte() != 0;
        var points = TakePoints(ref scanner, scanner.TakeCount(PointSize));
        return isClosed ? $"({points})" : $"[{points}]";
    });

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var scanner = new BinaryScanner(binary, type);
        var text = parts(ref scanner);
        scanner.End();
        return text;
    }

    private static string TakePoint(ref BinaryScanner scanner) => $"({TakeNumber(ref scanner)},{TakeNumber(ref scanner)})";

    private static string TakePoints(ref BinaryScanner scanner, int count)
    {
        var text = new StringBuilder();
        for (var i = 0; i < count; i++)
            text.Append(i == 0 ? "" : ",").Append(TakePoint(ref scanner));
        return text.ToString();
    }

    // The shortest digits that read back the same, as the server has them, but with a small e.
    private static string TakeNumber(ref BinaryScanner scanner) =>
        scanner.TakeDouble().ToString("R", CultureInfo.InvariantCulture).Replace("E", "e", StringComparison.Ordinal);
}
