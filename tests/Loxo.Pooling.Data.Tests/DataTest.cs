using System.Data;
using System.Data.Common;

namespace Loxo.Pooling.Data.Tests;

/// <summary>A data source that pools one provider's connections, used in one form or the other, on a clock that the test moves.</summary>
[TestFixture(Provider.Npgsql, WaitMode.Blocking)]
[TestFixture(Provider.Npgsql, WaitMode.Async)]
[TestFixture(Provider.Sqlite, WaitMode.Blocking)]
[TestFixture(Provider.Sqlite, WaitMode.Async)]
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
public abstract class DataTest(Provider provider, WaitMode mode)
{
    private readonly List<PooledDataSource> _sources = [];
    private readonly string _table = $"t{Guid.NewGuid():N}";

    internal Provider Provider { get; } = provider;

    internal WaitMode Mode { get; } = mode;

    internal ManualTime Time { get; } = new();

    [TearDown]
    public void DisposeSources() => _sources.ForEach(source => source.Dispose());

    internal PooledDataSource Source(int maximum = 2, PooledConnectionPolicy? policy = null)
    {
        var options = new ResourcePoolOptions { MaximumSize = maximum, Time = Time, LifetimeJitter = 0, IdleLifetime = TimeSpan.Zero, Lifetime = TimeSpan.Zero };
        return Kept(PooledDataSource.Create(Databases.FactoryOf(Provider), Databases.ConnectionStringOf(Provider), options, policy));
    }

    internal PooledDataSource Kept(PooledDataSource source)
    {
        _sources.Add(source);
        return source;
    }

    internal async Task<PooledConnection> Open(PooledDataSource source)
    {
        var connection = source.CreateConnection();
        await Open(connection);
        return connection;
    }

    internal Task Open(DbConnection connection) => Do(connection.Open, () => connection.OpenAsync());

    internal Task Close(DbConnection connection) => Do(connection.Close, connection.CloseAsync);

    internal Task Close(DbDataReader reader) => Do(reader.Close, reader.CloseAsync);

    internal Task Dispose<T>(T disposable)
        where T : IDisposable, IAsyncDisposable =>
        Do(disposable.Dispose, () => disposable.DisposeAsync().AsTask());

    /// <summary>The provider's connection that the next open gets.</summary>
    internal async Task<DbConnection> Next(PooledDataSource source)
    {
        var connection = await Open(source);
        var inner = connection.InnerConnection;
        await Close(connection);
        return inner;
    }

    internal async Task<int> Execute(DbConnection connection, string sql)
    {
        await using var command = Command(connection, sql);
        return await Do(command.ExecuteNonQuery, command.ExecuteNonQueryAsync);
    }

    internal Task<long> Scalar(DbConnection connection, string sql) => Scalar(Command(connection, sql));

    internal async Task<long> Scalar(DbCommand command) => Convert.ToInt64(await Do(command.ExecuteScalar, command.ExecuteScalarAsync));

    internal Task<DbDataReader> Reader(DbCommand command, CommandBehavior behavior = CommandBehavior.Default) =>
        Do(() => command.ExecuteReader(behavior), () => command.ExecuteReaderAsync(behavior));

    internal Task<bool> Read(DbDataReader reader) => Do(reader.Read, reader.ReadAsync);

    internal Task<DbTransaction> Begin(DbConnection connection) => Do(connection.BeginTransaction, () => connection.BeginTransactionAsync().AsTask());

    /// <summary>A table of the test's own, with a column id.</summary>
    internal async Task<string> Table(DbConnection connection)
    {
        await Execute(connection, $"CREATE TABLE {_table} (id integer)");
        return _table;
    }

    internal static DbCommand Command(DbConnection connection, string sql)
    {
        var command = connection.CreateCommand();
        command.CommandText = sql;
        return command;
    }

    internal Task Do(Action blocking, Func<Task> async) => Do(
        () =>
        {
            blocking();
            return true;
        },
        async () =>
        {
            await async();
            return true;
        });

    /// <summary>Runs one form or the other.</summary>
    internal Task<T> Do<T>(Func<T> blocking, Func<Task<T>> async)
    {
        if (Mode == WaitMode.Async)
            return async();
        try
        {
            return Task.FromResult(blocking());
        }
        catch (Exception error)
        {
            return Task.FromException<T>(error);
        }
    }
}
