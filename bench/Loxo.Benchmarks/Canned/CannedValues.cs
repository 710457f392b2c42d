using System.Text;

namespace Loxo.Benchmarks.Canned;

/// <summary>Values with their lengths before them, in binary format, as in DataRow and Bind (the server's *send functions).</summary>
internal static class CannedValues
{
    private const int Int4 = 23;

    /// <summary>The seven values of a row.</summary>
    public static void Write(MessageBytes bytes, CannedValue value)
    {
        bytes.Int32(sizeof(int)).Int32(value.Number);
        bytes.Int32(1).Byte(value.Truth ? (byte)1 : (byte)0);
        WriteText(bytes, value.Name);
        bytes.Int32(16).Raw(value.Uid.ToByteArray(bigEndian: true));
        WriteTime(bytes, value.At);
        WriteNumeric(bytes, value.Amount);
        WriteArray(bytes, value.Parts);
    }

    public static void WriteText(MessageBytes bytes, string text) => bytes.Int32(text.Length).Raw(Encoding.ASCII.GetBytes(text));

    public static void WriteTime(MessageBytes bytes, DateTime at) => bytes.Int32(sizeof(long)).Int64((at - CannedData.Epoch).Ticks / TimeSpan.TicksPerMicrosecond);

    // Number of digits, weight, sign, scale, digits: one before the point, one behind it.
    private static void WriteNumeric(MessageBytes bytes, decimal amount)
    {
        bytes.Int32(12).Int16(2).Int16(0).Int16(0).Int16(2);
        bytes.Int16((int)amount).Int16((int)(amount % 1 * 10_000));
    }

    // Dimensions, no nulls, type; length and lower bound; elements.
    private static void WriteArray(MessageBytes bytes, int[] parts)
    {
        bytes.Int32(20 + parts.Length * 8).Int32(1).Int32(0).Int32(Int4).Int32(parts.Length).Int32(1);
        foreach (var part in parts)
            bytes.Int32(sizeof(int)).Int32(part);
    }
}
