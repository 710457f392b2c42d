using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Loxo.Benchmarks.Peers.Floor;

/// <summary>
/// The least that renting can cost: a connection object that knows nothing but what ADO.NET prescribes, and a semaphore of .NET in the
/// place of a pool. There is no session to look at, reset or hand over.
/// </summary>
internal sealed class FloorRenting(int connections, bool yields) : IPeer
{
    private readonly SemaphoreSlim _free = new(connections);

    public long Run(int times)
    {
        for (var i = 0; i < times; i++)
        {
            using var connection = new BareConnection(_free);
            connection.Open();
        }
        return times;
    }

    public async Task<long> RunAsync(int times)
    {
        for (var i = 0; i < times; i++)
        {
            await using var connection = new BareConnection(_free);
            await connection.OpenAsync();
            if (yields)
                await Task.Yield();
        }
        return times;
    }

    public void Dispose() => _free.Dispose();

    private sealed class BareConnection(SemaphoreSlim free) : DbConnection
    {
        private ConnectionState _state;

        [AllowNull]
        public override string ConnectionString { get => ""; set { } }

        public override string Database => "";

        public override string DataSource => "";

        public override string ServerVersion => "";

        public override ConnectionState State => _state;

        public override void Open()
        {
            free.Wait();
            _state = ConnectionState.Open;
        }

        public override Task OpenAsync(CancellationToken cancellationToken)
        {
            _state = ConnectionState.Open;
            return free.WaitAsync(cancellationToken);
        }

        public override void Close()
        {
            if (_state == ConnectionState.Closed)
                return;
            _state = ConnectionState.Closed;
            free.Release();
        }

        public override void ChangeDatabase(string databaseName) => throw new NotSupportedException();

        public override ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }

        protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel) => throw new NotSupportedException();

        protected override DbCommand CreateDbCommand() => throw new NotSupportedException();

        protected override void Dispose(bool disposing)
        {
            Close();
            base.Dispose(disposing);
        }
    }
}
