using System.Buffers.Binary;
using System.Text;

namespace Loxo.Benchmarks.Peers.Floor;

/// <summary>Reads whole answers, with no regard for anything that could go wrong.</summary>
internal static class FloorAnswers
{
    private const int HeadLength = 5;

    /// <summary>Whether the bytes end in ReadyForQuery. Numbers and texts of the test data never look like one.</summary>
    public static bool AreWhole(ReadOnlySpan<byte> bytes) => bytes.Length >= 6 && bytes[^6] == 'Z' && bytes[^2] == 5 && bytes[^5..^2].IndexOfAnyExcept((byte)0) < 0;

    /// <summary>The sum over all rows.</summary>
    public static long Sum(ReadOnlySpan<byte> bytes, Workload workload)
    {
        long sum = 0;
        while (!bytes.IsEmpty)
        {
            var length = Length(bytes);
            if (bytes[0] == 'D')
                sum += SumRow(bytes[7..length], workload);
            bytes = bytes[length..];
        }
        return sum;
    }

    /// <summary>Takes the first answer, up to its ReadyForQuery, with the sum over its rows; false when it is not whole.</summary>
    public static bool TryTake(ref ReadOnlySpan<byte> bytes, Workload workload, out long sum)
    {
        sum = 0;
        var rest = bytes;
        while (rest.Length >= HeadLength && Length(rest) is var length && length <= rest.Length)
        {
            var type = rest[0];
            if (type == 'D')
                sum += SumRow(rest[7..length], workload);
            rest = rest[length..];
            if (type != 'Z')
                continue;
            bytes = rest;
            return true;
        }
        return false;
    }

    /// <summary>How many updates are confirmed, each of one row.</summary>
    public static long CountUpdates(ReadOnlySpan<byte> bytes)
    {
        long count = 0;
        while (!bytes.IsEmpty)
        {
            var length = Length(bytes);
            if (bytes[0] == 'C' && bytes[5] == 'U')
                count++;
            bytes = bytes[length..];
        }
        return count;
    }

    /// <summary>The length of the first message with its head; the text of an error is thrown.</summary>
    public static int Length(ReadOnlySpan<byte> bytes)
    {
        var length = BinaryPrimitives.ReadInt32BigEndian(bytes[1..]) + 1;
        return bytes[0] != 'E' ? length : throw new InvalidOperationException(Encoding.UTF8.GetString(bytes[5..length]));
    }

    /// <summary>Takes a row's next column, an int4.</summary>
    public static int TakeInt32(ref ReadOnlySpan<byte> row)
    {
        var value = BinaryPrimitives.ReadInt32BigEndian(row[4..]);
        row = row[8..];
        return value;
    }

    /// <summary>Takes a row's next column, a text.</summary>
    public static string TakeText(ref ReadOnlySpan<byte> row)
    {
        var length = BinaryPrimitives.ReadInt32BigEndian(row);
        var text = Encoding.UTF8.GetString(row.Slice(4, length));
        row = row[(4 + length)..];
        return text;
    }

    private static long SumRow(ReadOnlySpan<byte> row, Workload workload)
    {
        long sum = TakeInt32(ref row);
        return workload switch
        {
            Workload.SelectOne => sum,
            Workload.TwelveRows => sum + TakeText(ref row).Length,
            Workload.ReadRows => sum + TakeText(ref row).Length + TakeText(ref row).Length + TakeInt64(ref row)
                + (long)BitConverter.Int64BitsToDouble(TakeInt64(ref row)),
            Workload.Join => sum + TakeInt64(ref row) + TakeText(ref row).Length + TakeText(ref row).Length,
            _ => sum + TakeInt64(ref row),
        };
    }

    private static long TakeInt64(ref ReadOnlySpan<byte> row)
    {
        var value = BinaryPrimitives.ReadInt64BigEndian(row[4..]);
        row = row[12..];
        return value;
    }

}
