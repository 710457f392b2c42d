using System.Buffers.Binary;
using System.Text;

namespace Loxo.Benchmarks.Peers.Native;

/// <summary>libpq on an open connection, as a C program would use it: binary both ways, texts encoded beforehand. It has no awaitable form.</summary>
internal sealed unsafe class LibpqPeer : IPeer
{
    private const int MostParameters = 2;
    private static readonly byte[] Statement = "statement\0"u8.ToArray();
    private readonly LibpqConnection _connection;
    private readonly Workload _workload;
    private readonly byte[] _sql;
    private readonly int _parameters;
    private readonly bool _isPrepared;

    public LibpqPeer(Target target, Workload workload)
    {
        _connection = new LibpqConnection(target);
        _workload = workload;
        _sql = Encoding.UTF8.GetBytes(TestData.Sql(workload) + "\0");
        _parameters = TestData.Parameters(workload);
        _isPrepared = workload is not (Workload.SelectOne or Workload.NewCommand);
        if (_isPrepared)
            _connection.Prepare(Statement, _sql, _parameters);
    }

    public long Run(int times)
    {
        long sum = 0;
        var values = stackalloc int[MostParameters];
        var pointers = stackalloc byte*[MostParameters] { (byte*)values, (byte*)(values + 1) };
        var lengths = stackalloc int[MostParameters] { sizeof(int), sizeof(int) };
        var formats = stackalloc int[MostParameters] { 1, 1 };
        var types = stackalloc uint[MostParameters] { Libpq.Int4, Libpq.Int4 };
        values[1] = BinaryPrimitives.ReverseEndianness(TestData.LeastQuantity);
        fixed (byte* text = _isPrepared ? Statement : _sql)
        {
            for (var i = 0; i < times; i++)
            {
                values[0] = BinaryPrimitives.ReverseEndianness(TestData.Key(i, _workload));
                var result = _isPrepared
                    ? Libpq.PQexecPrepared(_connection.Handle, text, _parameters, pointers, lengths, formats, 1)
                    : Libpq.PQexecParams(_connection.Handle, text, _parameters, types, pointers, lengths, formats, 1);
                _connection.Check(result, Libpq.TuplesOk);
                sum += Values(result);
                Libpq.PQclear(result);
            }
        }
        return sum;
    }

    public Task<long> RunAsync(int times) => throw new NotSupportedException("libpq only blocks.");

    public void Dispose() => _connection.Dispose();

    private long Values(nint result)
    {
        long sum = 0;
        var rows = Libpq.PQntuples(result);
        for (var row = 0; row < rows; row++)
        {
            sum += Int32(result, row, 0) + _workload switch
            {
                Workload.SelectOne => 0,
                Workload.TwelveRows => Text(result, row, 1).Length,
                Workload.ReadRows => Text(result, row, 1).Length + Text(result, row, 2).Length + Int64(result, row, 3)
                    + (long)BitConverter.Int64BitsToDouble(Int64(result, row, 4)),
                Workload.Join => Int64(result, row, 1) + Text(result, row, 2).Length + Text(result, row, 3).Length,
                _ => Int64(result, row, 1),
            };
        }
        return sum;
    }

    private static int Int32(nint result, int row, int column) =>
        BinaryPrimitives.ReverseEndianness(*(int*)Libpq.PQgetvalue(result, row, column));

    private static long Int64(nint result, int row, int column) =>
        BinaryPrimitives.ReverseEndianness(*(long*)Libpq.PQgetvalue(result, row, column));

    private static string Text(nint result, int row, int column) =>
        Encoding.UTF8.GetString(Libpq.PQgetvalue(result, row, column), Libpq.PQgetlength(result, row, column));
}
