using Loxo.Benchmarks.Canned;
using Loxo.Benchmarks.Peers.Drivers;

namespace Loxo.Benchmarks.Peers;

/// <summary>Rows encoded beforehand (manual, COPY, "Binary Format").</summary>
internal static class CopyBytes
{
    /// <summary>Signature, flags and the length of the extension.</summary>
    public static readonly byte[] Header = [.. "PGCOPY\n"u8, 0xFF, .. "\r\n\0"u8, .. new byte[8]];

    /// <summary>The file trailer.</summary>
    public static readonly byte[] End = new MessageBytes().Int16(-1).ToArray();

    /// <summary>The rows for the canned server.</summary>
    public static readonly byte[][] Canned = [.. CannedData.Values.Select(Row)];

    /// <summary>The rows for the table.</summary>
    public static readonly byte[][] Table = [.. CopiedItems.Rows.Select(Row)];

    private static byte[] Row(CannedValue value)
    {
        var row = new MessageBytes().Int16(4).Int32(sizeof(long)).Int64(value.Number);
        CannedValues.WriteText(row, value.Name);
        CannedValues.WriteTime(row, value.At);
        return WriteDouble(row, value.Number / 4.0).ToArray();
    }

    private static byte[] Row(CopiedItem item)
    {
        var row = new MessageBytes().Int16(5).Int32(sizeof(int)).Int32(item.Id);
        CannedValues.WriteText(row, item.Name);
        CannedValues.WriteText(row, item.Note);
        row.Int32(sizeof(long)).Int64(item.Amount);
        return WriteDouble(row, item.Price).ToArray();
    }

    private static MessageBytes WriteDouble(MessageBytes row, double value) => row.Int32(sizeof(double)).Int64(BitConverter.DoubleToInt64Bits(value));
}
