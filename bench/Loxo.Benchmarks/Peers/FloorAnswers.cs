using System.Buffers.Binary;
using System.Text;

namespace Loxo.Benchmarks.Peers;

/// <summary>Reads whole answers, with no regard for anything that could go wrong.</summary>
internal static class FloorAnswers
{
    /// <summary>Whether the bytes end in ReadyForQuery. Numbers and texts of the test data never look like one.</summary>
    public static bool AreWhole(ReadOnlySpan<byte> bytes) => bytes.Length >= 6 && bytes[^6] == 'Z' && bytes[^2] == 5 && bytes[^5..^2].IndexOfAnyExcept((byte)0) < 0;

    public static long Sum(ReadOnlySpan<byte> bytes, Workload workload)
    {
        long sum = 0;
        while (!bytes.IsEmpty)
        {
            var length = BinaryPrimitives.ReadInt32BigEndian(bytes[1..]) + 1;
            if (bytes[0] == 'D')
                sum += SumRow(bytes[7..length], workload);
            else if (bytes[0] == 'E')
                throw new InvalidOperationException(Encoding.UTF8.GetString(bytes[5..length]));
            bytes = bytes[length..];
        }
        return sum;
    }

    private static long SumRow(ReadOnlySpan<byte> row, Workload workload)
    {
        long sum = BinaryPrimitives.ReadInt32BigEndian(row[4..]);
        row = row[8..];
        if (workload == Workload.SelectOne)
            return sum;
        if (workload != Workload.ReadRows)
            return sum + BinaryPrimitives.ReadInt64BigEndian(row[4..]);
        for (var i = 0; i < 2; i++)
        {
            var length = BinaryPrimitives.ReadInt32BigEndian(row);
            sum += Encoding.UTF8.GetString(row.Slice(4, length)).Length;
            row = row[(4 + length)..];
        }
        return sum + BinaryPrimitives.ReadInt64BigEndian(row[4..]) + (long)BinaryPrimitives.ReadDoubleBigEndian(row[16..]);
    }
}
