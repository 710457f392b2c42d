using Loxo.Benchmarks.Canned;
using Npgsql;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>Npgsql sends 100 rows of seven values in one statement, prepared, by the same command; each parameter gets a new value each time.</summary>
internal sealed class NpgsqlWrites : IPeer
{
    private readonly NpgsqlConnection _connection;
    private readonly NpgsqlCommand _command;
    private readonly Row[] _rows = [.. Enumerable.Range(0, CannedData.RowsWritten).Select(_ => new Row())];

    public NpgsqlWrites(Target target)
    {
        _connection = new NpgsqlConnection(target.With("Server Compatibility Mode=NoTypeLoading"));
        _connection.Open();
        _command = new NpgsqlCommand(CannedData.Sql(CannedWork.WriteValues), _connection);
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

    public void Dispose()
    {
        _connection.Dispose();
        NpgsqlConnection.ClearPool(_connection);
    }

    private void Fill(int execution)
    {
        for (var n = 0; n < _rows.Length; n++)
            _rows[n].Set(CannedData.Written(execution, n));
    }

    private sealed class Row
    {
        private readonly NpgsqlParameter<int> _number = new();
        private readonly NpgsqlParameter<bool> _truth = new();
        private readonly NpgsqlParameter<string> _name = new();
        private readonly NpgsqlParameter<Guid> _uid = new();
        private readonly NpgsqlParameter<DateTime> _at = new();
        private readonly NpgsqlParameter<decimal> _amount = new();
        private readonly NpgsqlParameter<int[]> _parts = new();

        public void AddTo(NpgsqlParameterCollection parameters)
        {
            foreach (var parameter in new NpgsqlParameter[] { _number, _truth, _name, _uid, _at, _amount, _parts })
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
