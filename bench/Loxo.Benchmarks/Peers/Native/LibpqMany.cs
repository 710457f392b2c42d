using System.Buffers.Binary;
using System.Text;

namespace Loxo.Benchmarks.Peers.Native;

/// <summary>Many prepared inserts in libpq's pipeline mode, with one synchronization point behind them.</summary>
internal sealed unsafe class LibpqMany : IPeer
{
    private static readonly byte[] Empty = "empty\0"u8.ToArray();
    private static readonly byte[] Insert = "insert\0"u8.ToArray();
    private readonly int[] _rows;
    private readonly LibpqConnection _connection;

    public LibpqMany(Target target, int rows)
    {
        _rows = TestData.ManyRows(rows);
        _connection = new LibpqConnection(target);
        _connection.Execute(Encoding.UTF8.GetBytes(TestData.CreateMany + "\0"));
        _connection.Prepare(Empty, Encoding.UTF8.GetBytes(TestData.EmptyMany + "\0"), 0);
        _connection.Prepare(Insert, Encoding.UTF8.GetBytes(TestData.InsertMany + "\0"), 2);
        if (Libpq.PQenterPipelineMode(_connection.Handle) == 0)
            throw _connection.Failed();
    }

    public long Run(int times)
    {
        long sum = 0;
        var values = stackalloc int[2];
        for (var i = 0; i < times; i++)
        {
            Send(Empty, null, 0);
            Sync();
            Receive();
            foreach (var row in _rows)
            {
                values[0] = BinaryPrimitives.ReverseEndianness(row);
                values[1] = BinaryPrimitives.ReverseEndianness(row * 3);
                Send(Insert, values, 2);
            }
            Sync();
            sum += Receive();
        }
        return sum;
    }

    public Task<long> RunAsync(int times) => throw new NotSupportedException("libpq only blocks.");

    public void Dispose() => _connection.Dispose();

    private void Send(byte[] name, int* numbers, int count)
    {
        var values = stackalloc byte*[] { (byte*)numbers, (byte*)(numbers + 1) };
        var lengths = stackalloc int[] { sizeof(int), sizeof(int) };
        var formats = stackalloc int[] { 1, 1 };
        fixed (byte* text = name)
        {
            if (Libpq.PQsendQueryPrepared(_connection.Handle, text, count, values, lengths, formats, 1) == 0)
                throw _connection.Failed();
        }
    }

    private void Sync()
    {
        if (Libpq.PQpipelineSync(_connection.Handle) == 0)
            throw _connection.Failed();
    }

    // Each command's results end in a null; the synchronization point is a result without one.
    private int Receive()
    {
        for (var commands = 0; ; commands++)
        {
            var result = Libpq.PQgetResult(_connection.Handle);
            var status = Libpq.PQresultStatus(result);
            Libpq.PQclear(result);
            if (status == Libpq.PipelineSync)
                return commands;
            if (status != Libpq.CommandOk || Libpq.PQgetResult(_connection.Handle) != 0)
                throw _connection.Failed();
        }
    }
}
