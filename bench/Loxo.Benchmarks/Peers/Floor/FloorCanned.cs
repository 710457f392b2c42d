using System.Buffers.Binary;
using System.Text;
using Loxo.Benchmarks.Canned;

namespace Loxo.Benchmarks.Peers.Floor;

/// <summary>The least that reading canned rows can cost: one send, whole answers, the bounds of rows and columns, the values.</summary>
internal sealed class FloorCanned : IPeer
{
    private const string Statement = "statement";
    private readonly FloorConnection _connection;
    private readonly byte[] _request = new FloorMessages().Bind(Statement, 0).Execute().Sync().ToArray();
    private readonly CannedWork _work;

    public FloorCanned(Target target, CannedWork work)
    {
        _work = work;
        _connection = new FloorConnection(target);
        _connection.RoundTrip(new FloorMessages().Parse(Statement, CannedData.Sql(work), 0).Sync().ToArray());
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
            sum += Sum(_connection.Buffer.AsSpan(0, _connection.RoundTrip(_request)));
        return sum;
    }

    public Task<long> RunAsync(int times) => throw new NotSupportedException("Canned rows are read blocking.");

    public void Dispose() => _connection.Dispose();

    private long Sum(ReadOnlySpan<byte> bytes)
    {
        long sum = 0;
        while (!bytes.IsEmpty)
        {
            var length = BinaryPrimitives.ReadInt32BigEndian(bytes[1..]) + 1;
            if (bytes[0] == 'D')
                sum += _work == CannedWork.ReadValues ? SumValues(bytes[7..length]) : SumRow(bytes[7..length]);
            bytes = bytes[length..];
        }
        return sum;
    }

    private long SumRow(ReadOnlySpan<byte> row)
    {
        var sum = BinaryPrimitives.ReadInt64BigEndian(Take(ref row));
        if (_work != CannedWork.RowsWithoutString)
            sum += Encoding.UTF8.GetString(Take(ref row)).Length;
        return sum + Time(Take(ref row)).Ticks + (long)BinaryPrimitives.ReadDoubleBigEndian(Take(ref row));
    }

    private static long SumValues(ReadOnlySpan<byte> row)
    {
        long sum = BinaryPrimitives.ReadInt32BigEndian(Take(ref row));
        sum += Take(ref row)[0] + Encoding.UTF8.GetString(Take(ref row)).Length;
        sum += new Guid(Take(ref row), bigEndian: true) == Guid.Empty ? 1 : 0;
        return sum + Time(Take(ref row)).Ticks + (long)Amount(Take(ref row)) + Parts(Take(ref row))[2];
    }

    private static ReadOnlySpan<byte> Take(ref ReadOnlySpan<byte> row)
    {
        var length = BinaryPrimitives.ReadInt32BigEndian(row);
        var value = row.Slice(4, length);
        row = row[(4 + length)..];
        return value;
    }

    private static DateTime Time(ReadOnlySpan<byte> value) =>
        new(CannedData.Epoch.Ticks + BinaryPrimitives.ReadInt64BigEndian(value) * TimeSpan.TicksPerMicrosecond, DateTimeKind.Utc);

    // One digit of base 10,000 before the point, one behind it, and a scale of 2.
    private static decimal Amount(ReadOnlySpan<byte> value) =>
        new(BinaryPrimitives.ReadInt16BigEndian(value[8..]) * 100 + BinaryPrimitives.ReadInt16BigEndian(value[10..]) / 100, 0, 0, false, 2);

    private static int[] Parts(ReadOnlySpan<byte> value)
    {
        var parts = new int[BinaryPrimitives.ReadInt32BigEndian(value[12..])];
        for (var i = 0; i < parts.Length; i++)
            parts[i] = BinaryPrimitives.ReadInt32BigEndian(value[(24 + 8 * i)..]);
        return parts;
    }
}
