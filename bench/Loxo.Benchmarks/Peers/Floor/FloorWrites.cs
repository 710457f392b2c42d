using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using Loxo.Benchmarks.Canned;

namespace Loxo.Benchmarks.Peers.Floor;

/// <summary>The least that writing 100 rows of seven values can cost: the request is encoded beforehand, values are written where they are known to lie.</summary>
internal sealed class FloorWrites : IPeer
{
    private const string Statement = "statement";

    // Where the values are in a row; the lengths before them, and what does not change in numeric and int4[], stay.
    private const int Number = 4;
    private const int Truth = 12;
    private const int Name = 17;
    private const int Uid = 37;
    private const int At = 57;
    private const int Amount = 77;
    private const int Parts = 109;
    private const int RowLength = 129;

    private readonly FloorConnection _connection;
    private readonly byte[] _request;
    private readonly int _rows;

    public FloorWrites(Target target)
    {
        _connection = new FloorConnection(target);
        var parse = new MessageBytes().Begin('P').Text(Statement).Text(CannedData.Sql(CannedWork.WriteValues)).Int16(CannedData.RowsWritten * CannedData.Columns);
        for (var row = 0; row < CannedData.RowsWritten; row++)
        {
            foreach (var type in CannedData.Types)
                parse.Int32(type);
        }
        _connection.RoundTrip(parse.End().Empty('S').ToArray());

        // Binary both ways.
        var bind = new MessageBytes().Begin('B').Text("").Text(Statement).Int16(1).Int16(1).Int16(CannedData.RowsWritten * CannedData.Columns);
        _rows = bind.Length;
        for (var row = 0; row < CannedData.RowsWritten; row++)
            CannedValues.Write(bind, CannedData.Values[row]);
        _request = bind.Int16(1).Int16(1).End().Begin('E').Text("").Int32(0).End().Empty('S').ToArray();
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            for (var n = 0; n < CannedData.RowsWritten; n++)
                Write(_request.AsSpan(_rows + n * RowLength, RowLength), CannedData.Written(i, n));
            sum += Inserted(_connection.Buffer.AsSpan(0, _connection.RoundTrip(_request)));
        }
        return sum;
    }

    public Task<long> RunAsync(int times) => throw new NotSupportedException("Values are written blocking.");

    public void Dispose() => _connection.Dispose();

    private static void Write(Span<byte> row, CannedValue value)
    {
        BinaryPrimitives.WriteInt32BigEndian(row[Number..], value.Number);
        row[Truth] = value.Truth ? (byte)1 : (byte)0;
        Encoding.UTF8.GetBytes(value.Name, row[Name..]);
        value.Uid.TryWriteBytes(row[Uid..], bigEndian: true, out _);
        BinaryPrimitives.WriteInt64BigEndian(row[At..], (value.At - CannedData.Epoch).Ticks / TimeSpan.TicksPerMicrosecond);
        var whole = (int)value.Amount;
        BinaryPrimitives.WriteInt16BigEndian(row[Amount..], (short)whole);
        BinaryPrimitives.WriteInt16BigEndian(row[(Amount + 2)..], (short)((value.Amount - whole) * 10_000));
        for (var i = 0; i < value.Parts.Length; i++)
            BinaryPrimitives.WriteInt32BigEndian(row[(Parts + 8 * i)..], value.Parts[i]);
    }

    // BindComplete, then CommandComplete with "INSERT 0 n".
    private static long Inserted(ReadOnlySpan<byte> answer)
    {
        var tag = answer[(5 + 5)..];
        return long.Parse(tag["INSERT 0 ".Length..tag.IndexOf((byte)0)], CultureInfo.InvariantCulture);
    }
}
