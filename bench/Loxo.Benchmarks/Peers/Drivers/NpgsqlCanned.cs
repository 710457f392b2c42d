using Loxo.Benchmarks.Canned;
using Npgsql;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>Npgsql reads canned rows: a prepared statement on a connection that stays open, by the same command.</summary>
internal sealed class NpgsqlCanned : IPeer
{
    private readonly NpgsqlConnection _connection;
    private readonly NpgsqlCommand _command;
    private readonly CannedWork _work;

    public NpgsqlCanned(Target target, CannedWork work)
    {
        _work = work;
        _connection = new NpgsqlConnection(target.With("Server Compatibility Mode=NoTypeLoading"));
        _connection.Open();
        _command = new NpgsqlCommand(CannedData.Sql(work), _connection);
        _command.Prepare();
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            using var reader = _command.ExecuteReader();
            sum += _work switch
            {
                CannedWork.Rows => Typed(reader),
                CannedWork.RowsWithoutString => WithoutString(reader),
                CannedWork.RowsGeneric => Generic(reader),
                _ => Values(reader),
            };
        }
        return sum;
    }

    public Task<long> RunAsync(int times) => throw new NotSupportedException("Canned rows are read blocking.");

    public void Dispose()
    {
        _connection.Dispose();
        NpgsqlConnection.ClearPool(_connection);
    }

    private static long Typed(NpgsqlDataReader reader)
    {
        long sum = 0;
        while (reader.Read())
            sum += reader.GetInt64(0) + reader.GetString(1).Length + reader.GetDateTime(2).Ticks + (long)reader.GetDouble(3);
        return sum;
    }

    private static long WithoutString(NpgsqlDataReader reader)
    {
        long sum = 0;
        while (reader.Read())
            sum += reader.GetInt64(0) + reader.GetDateTime(1).Ticks + (long)reader.GetDouble(2);
        return sum;
    }

    private static long Generic(NpgsqlDataReader reader)
    {
        long sum = 0;
        while (reader.Read())
        {
            sum += reader.GetFieldValue<long>(0) + reader.GetFieldValue<string>(1).Length
                + reader.GetFieldValue<DateTime>(2).Ticks + (long)reader.GetFieldValue<double>(3);
        }
        return sum;
    }

    private static long Values(NpgsqlDataReader reader)
    {
        long sum = 0;
        while (reader.Read())
        {
            sum += reader.GetFieldValue<int>(0) + (reader.GetFieldValue<bool>(1) ? 1 : 0) + reader.GetFieldValue<string>(2).Length
                + (reader.GetFieldValue<Guid>(3) == Guid.Empty ? 1 : 0) + reader.GetFieldValue<DateTime>(4).Ticks
                + (long)reader.GetFieldValue<decimal>(5) + reader.GetFieldValue<int[]>(6)[2];
        }
        return sum;
    }
}
