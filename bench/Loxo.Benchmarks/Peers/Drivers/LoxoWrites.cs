using Loxo.Benchmarks.Canned;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>Loxo sends 100 rows of seven values in one statement, prepared, by the same command; each parameter gets a new value each time.</summary>
internal sealed class LoxoWrites : IPeer
{
    private readonly PgConnection _connection;
    private readonly PgCommand _command;
    private readonly Row[] _rows = [.. Enumerable.Range(0, CannedData.RowsWritten).Select(_ => new Row())];

    public LoxoWrites(Target target)
    {
        _connection = new PgConnection(target.With("Pooling=false"));
        _connection.Open();
        _command = new PgCommand(CannedData.Sql(CannedWork.WriteValues), _connection);
        foreach (var row in _rows)
            row.AddTo(_command.Parameters);
        Fill(0);
        _command.Prepare();
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            Fill(i);
            sum += _command.ExecuteNonQuery();
        }
        return sum;
    }

    public Task<long> RunAsync(int times) => throw new NotSupportedException("Values are written blocking.");

    public void Dispose() => _connection.Dispose();

    private void Fill(int execution)
    {
        for (var n = 0; n < _rows.Length; n++)
            _rows[n].Set(CannedData.Written(execution, n));
    }

    private sealed class Row
    {
        private readonly PgParameter<int> _number = new();
        private readonly PgParameter<bool> _truth = new();
        private readonly PgParameter<string> _name = new();
        private readonly PgParameter<Guid> _uid = new();
        private readonly PgParameter<DateTime> _at = new();
        private readonly PgParameter<decimal> _amount = new();
        private readonly PgParameter<int[]> _parts = new();

        public void AddTo(PgParameterCollection parameters)
        {
            foreach (var parameter in new PgParameter[] { _number, _truth, _name, _uid, _at, _amount, _parts })
                parameters.Add(parameter);
        }

        public void Set(CannedValue value)
        {
            _number.TypedValue = value.Number;
            _truth.TypedValue = value.Truth;
            _name.TypedValue = value.Name;
            _uid.TypedValue = value.Uid;
            _at.TypedValue = value.At;
            _amount.TypedValue = value.Amount;
            _parts.TypedValue = value.Parts;
        }
    }
}
