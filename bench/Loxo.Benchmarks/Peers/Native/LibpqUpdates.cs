using System.Buffers.Binary;
using System.Text;

namespace Loxo.Benchmarks.Peers.Native;

/// <summary>Prepared updates in libpq's pipeline mode.</summary>
internal sealed unsafe class LibpqUpdates : IPeer
{
    private static readonly byte[] Begin = "begin\0"u8.ToArray();
    private static readonly byte[] Update = "update\0"u8.ToArray();
    private static readonly byte[] Commit = "commit\0"u8.ToArray();
    private readonly LibpqConnection _connection;
    private readonly UpdatesForm _form;
    private readonly int _updates;
    private long _commands;

    public LibpqUpdates(Target target, UpdatesForm form, int updates = TestData.Updates)
    {
        (_form, _updates) = (form, updates);
        _connection = new LibpqConnection(target);
        _connection.Prepare(Begin, "BEGIN\0"u8.ToArray(), 0);
        _connection.Prepare(Update, Encoding.UTF8.GetBytes(TestData.Update + "\0"), 1);
        _connection.Prepare(Commit, "COMMIT\0"u8.ToArray(), 0);
        if (Libpq.PQenterPipelineMode(_connection.Handle) == 0)
            throw _connection.Failed();
    }

    public long Run(int times)
    {
        _commands = 0;
        for (var i = 0; i < times; i++)
        {
            if (_form != UpdatesForm.Group)
                Add(Begin, null);
            for (var n = 0; n < _updates; n++)
            {
                var key = BinaryPrimitives.ReverseEndianness(TestData.Account(i, n));
                Add(Update, &key);
            }
            if (_form == UpdatesForm.Transaction)
                RoundTrip();
            if (_form != UpdatesForm.Group)
                Add(Commit, null);
            if (_form != UpdatesForm.OneByOne)
                RoundTrip();
        }
        return _form == UpdatesForm.Group ? _commands : _commands - 2 * times;
    }

    public Task<long> RunAsync(int times) => throw new NotSupportedException("libpq only blocks.");

    public void Dispose() => _connection.Dispose();

    private void Add(byte[] name, int* key)
    {
        var value = (byte*)key;
        int length = sizeof(int), format = 1;
        fixed (byte* text = name)
        {
            if (Libpq.PQsendQueryPrepared(_connection.Handle, text, key is null ? 0 : 1, &value, &length, &format, 1) == 0)
                throw _connection.Failed();
        }
        if (_form == UpdatesForm.OneByOne)
            RoundTrip();
    }

    // Each command's results end in a null; the synchronization point is a result without one.
    private void RoundTrip()
    {
        if (Libpq.PQpipelineSync(_connection.Handle) == 0)
            throw _connection.Failed();
        for (; ; _commands++)
        {
            var result = Libpq.PQgetResult(_connection.Handle);
            var status = Libpq.PQresultStatus(result);
            Libpq.PQclear(result);
            if (status == Libpq.PipelineSync)
                return;
            if (status != Libpq.CommandOk || Libpq.PQgetResult(_connection.Handle) != 0)
                throw _connection.Failed();
        }
    }
}
