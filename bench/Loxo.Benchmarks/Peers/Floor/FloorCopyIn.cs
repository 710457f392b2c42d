using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using Loxo.Benchmarks.Canned;

namespace Loxo.Benchmarks.Peers.Floor;

/// <summary>
/// The least that copying rows to the canned server can cost: one request encoded beforehand, in which values are written where they are
/// known to lie.
/// </summary>
internal sealed class FloorCopyIn : IPeer
{
    // Where the values are in a row; the lengths before them stay.
    private const int Number = 6;
    private const int Name = 18;
    private const int At = 38;
    private const int Price = 50;

    // As much as a driver sends at once.
    private const int RowsInMessage = 125;

    private readonly FloorConnection _connection;
    private readonly byte[] _request;
    private readonly int[] _rows = new int[CannedData.Rows];

    public FloorCopyIn(Target target)
    {
        _connection = new FloorConnection(target);
        var request = new MessageBytes().Begin('Q').Text(CannedData.Copy).End().Begin('d').Raw(CopyBytes.Header).End();
        for (var row = 0; row < CannedData.Rows; row++)
        {
            if (row % RowsInMessage == 0)
                request.Begin('d');
            _rows[row] = request.Length;
            request.Raw(CopyBytes.Canned[row]);
            if (row % RowsInMessage == RowsInMessage - 1)
                request.End();
        }
        _request = request.Begin('d').Raw(CopyBytes.End).End().Empty('c').ToArray();
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            for (var n = 0; n < CannedData.Rows; n++)
                Write(_request.AsSpan(_rows[n], CannedData.CopiedRow), CannedData.Values[n]);
            sum += Copied(_connection.Buffer.AsSpan(0, _connection.RoundTrip(_request)));
        }
        return sum;
    }

    public Task<long> RunAsync(int times) => throw new NotSupportedException("Rows are copied blocking.");

    public void Dispose() => _connection.Dispose();

    private static void Write(Span<byte> row, CannedValue value)
    {
        BinaryPrimitives.WriteInt64BigEndian(row[Number..], value.Number);
        Encoding.UTF8.GetBytes(value.Name, row[Name..]);
        BinaryPrimitives.WriteInt64BigEndian(row[At..], (value.At - CannedData.Epoch).Ticks / TimeSpan.TicksPerMicrosecond);
        BinaryPrimitives.WriteDoubleBigEndian(row[Price..], value.Number / 4.0);
    }

    // CopyInResponse, then CommandComplete with "COPY n".
    private static long Copied(ReadOnlySpan<byte> answer)
    {
        var tag = answer[(FloorAnswers.Length(answer) + 5)..];
        return long.Parse(tag["COPY ".Length..tag.IndexOf((byte)0)], CultureInfo.InvariantCulture);
    }
}
