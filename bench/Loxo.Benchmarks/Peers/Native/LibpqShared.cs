using System.Buffers.Binary;
using System.Text;

namespace Loxo.Benchmarks.Peers.Native;

/// <summary>
/// Lookups of many callers on a few connections in libpq's pipeline mode, each with its own Sync. libpq only blocks, so a thread serves the
/// callers of a connection: it keeps as many queries unanswered as the connection has callers.
/// </summary>
internal sealed class LibpqShared : IPeer
{
    private static readonly byte[] Statement = "statement\0"u8.ToArray();
    private readonly LibpqConnection[] _connections;
    private readonly int _callers;

    public LibpqShared(Target target, int callers, int connections)
    {
        _callers = callers;
        _connections = [.. Enumerable.Range(0, connections).Select(_ => Open(target))];
    }

    public long Run(int times) => throw new NotSupportedException("Callers that share connections are awaited.");

    /// <summary>The queries of all callers.</summary>
    public async Task<long> RunAsync(int times)
    {
        var share = times / _callers;
        var callers = _callers / _connections.Length;
        var threads = _connections.Select(connection => Task.Factory.StartNew(
            () => Serve(connection, callers, share), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default));
        return (await Task.WhenAll(threads)).Sum();
    }

    public void Dispose()
    {
        foreach (var connection in _connections)
            connection.Dispose();
    }

    private static LibpqConnection Open(Target target)
    {
        var connection = new LibpqConnection(target);
        connection.Prepare(Statement, Encoding.UTF8.GetBytes(TestData.Sql(Workload.Lookup) + "\0"), 1);
        return Libpq.PQenterPipelineMode(connection.Handle) != 0 ? connection : throw connection.Failed();
    }

    // The n-th answer belongs to the caller that sends the query n + callers next.
    private static long Serve(LibpqConnection connection, int callers, int share)
    {
        long sum = 0;
        var sent = 0;
        for (var received = 0; received < callers * share; received++)
        {
            for (; sent < callers * share && sent < received + callers; sent++)
                Send(connection, TestData.Key(sent / callers, Workload.Lookup));
            sum += Receive(connection);
        }
        return sum;
    }

    private static unsafe void Send(LibpqConnection connection, int key)
    {
        key = BinaryPrimitives.ReverseEndianness(key);
        var value = (byte*)&key;
        int length = sizeof(int), format = 1;
        fixed (byte* name = Statement)
        {
            if (Libpq.PQsendQueryPrepared(connection.Handle, name, 1, &value, &length, &format, 1) == 0
                || Libpq.PQpipelineSync(connection.Handle) == 0)
                throw connection.Failed();
        }
    }

    // The row, the null behind the command's results, and the synchronization point.
    private static unsafe long Receive(LibpqConnection connection)
    {
        var row = Libpq.PQgetResult(connection.Handle);
        connection.Check(row, Libpq.TuplesOk);
        var sum = BinaryPrimitives.ReverseEndianness(*(int*)Libpq.PQgetvalue(row, 0, 0))
            + BinaryPrimitives.ReverseEndianness(*(long*)Libpq.PQgetvalue(row, 0, 1));
        Libpq.PQclear(row);
        if (Libpq.PQgetResult(connection.Handle) != 0)
            throw connection.Failed();
        var sync = Libpq.PQgetResult(connection.Handle);
        connection.Check(sync, Libpq.PipelineSync);
        Libpq.PQclear(sync);
        return sum;
    }
}
