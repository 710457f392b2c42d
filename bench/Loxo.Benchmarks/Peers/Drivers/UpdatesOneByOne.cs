using System.Data.Common;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>Twenty updates in a round trip each, by a prepared command that is used again on a connection that stays open.</summary>
internal sealed class UpdatesOneByOne : IPeer
{
    private readonly DbConnection _connection;
    private readonly DbCommand _update;
    private readonly Action<int> _setKey;

    private UpdatesOneByOne(DbConnection connection, DbParameter parameter, Action<int> setKey)
    {
        _connection = connection;
        _setKey = setKey;
        _connection.Open();
        _update = connection.CreateCommand();
        _update.CommandText = TestData.Update;
        _update.Parameters.Add(parameter);
        setKey(1);
        _update.Prepare();
    }

    public static UpdatesOneByOne OnLoxo(Target target)
    {
        var key = new PgParameter<int>();
        return new UpdatesOneByOne(new PgConnection(target.With("Pooling=false")), key, value => key.TypedValue = value);
    }

    public static UpdatesOneByOne OnNpgsql(Target target)
    {
        var key = new global::Npgsql.NpgsqlParameter<int>();
        return new UpdatesOneByOne(new global::Npgsql.NpgsqlConnection(target.With("Pooling=false")), key, value => key.TypedValue = value);
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var n = 0; n < times * TestData.Updates; n++)
        {
            _setKey(TestData.Account(0, n));
            sum += _update.ExecuteNonQuery();
        }
        return sum;
    }

    public async Task<long> RunAsync(int times)
    {
        long sum = 0;
        for (var n = 0; n < times * TestData.Updates; n++)
        {
            _setKey(TestData.Account(0, n));
            sum += await _update.ExecuteNonQueryAsync();
        }
        return sum;
    }

    public void Dispose()
    {
        _update.Dispose();
        _connection.Dispose();
    }
}
