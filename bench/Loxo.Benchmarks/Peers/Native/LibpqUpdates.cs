using System.Buffers.Binary;
using System.Text;

namespace Loxo.Benchmarks.Peers.Native;

/// <summary>
/// Twenty prepared updates in a transaction in libpq's pipeline mode: BEGIN and the updates are one round trip, COMMIT, which the caller
/// decides on when he has seen the answers, another.
/// </summary>
internal sealed unsafe class LibpqUpdates : IPeer
{
    private static readonly byte[] Begin = "begin\0"u8.ToArray();
    private static readonly byte[] Update = "update\0"u8.ToArray();
    private static readonly byte[] Commit = "commit\0"u8.ToArray();
    private readonly LibpqConnection _connection;

    public LibpqUpdates(Target target)
    {
        _connection = new LibpqConnection(target);
        _connection.Prepare(Begin, "BEGIN\0"u8.ToArray(), 0);
        _connection.Prepare(Update, Encoding.UTF8.GetBytes(TestData.Update + "\0"), 1);
        _connection.Prepare(Commit, "COMMIT\0"u8.ToArray(), 0);
        if (Libpq.PQenterPipelineMode(_connection.Handle) == 0)
            throw _connection.Failed();
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            Send(Begin, null);
            for (var n = 0; n < TestData.Updates; n++)
            {
                var key = BinaryPrimitives.ReverseEndianness(TestData.Account(i, n));
                Send(Update, &key);
            }
            Sync();
            sum += Receive() - 1;
            Send(Commit, null);
            Sync();
            Receive();
        }
        return sum;
    }

    public Task<long> RunAsync(int times) => throw new NotSupportedException("libpq only blocks.");

    public void Dispose() => _connection.Dispose();

    private void Send(byte[] name, int* key)
    {
        var value = (byte*)key;
        int length = sizeof(int), format = 1;
        fixed (byte* text = name)
        {
            if (Libpq.PQsendQueryPrepared(_connection.Handle, text, key is null ? 0 : 1, &value, &length, &format, 1) == 0)
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
