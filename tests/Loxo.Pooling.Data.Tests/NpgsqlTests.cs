using System.Data;
using System.Data.Common;
using System.Transactions;
using Npgsql;

namespace Loxo.Pooling.Data.Tests;

/// <summary>What only one of the two providers can do.</summary>
[TestFixture(Provider.Npgsql, WaitMode.Blocking)]
[TestFixture(Provider.Npgsql, WaitMode.Async)]
public sealed class NpgsqlTests(Provider provider, WaitMode mode) : DataTest(provider, mode)
{
    [Test]
    public async Task Connections_come_from_a_data_source_of_the_provider_as_well()
    {
        await using var inner = NpgsqlDataSource.Create(Databases.ConnectionStringOf(Provider));
        var source = Kept(PooledDataSource.Create((DbDataSource)inner));
        var closed = source.CreateConnection();
        await using var command = Command(closed, "SELECT 5");
        await Open(closed);

        Assert.That(await Scalar(command), Is.EqualTo(5));
        Assert.That(closed.InnerConnection, Is.TypeOf<NpgsqlConnection>());
    }

    [Test]
    public async Task A_session_that_the_server_ended_while_it_was_idle_is_replaced_by_validation()
    {
        var source = Source(policy: new PooledConnectionPolicy { ValidationSql = "SELECT 1", ValidateAfter = TimeSpan.Zero });
        var former = await Next(source);
        await using var other = new NpgsqlConnection(Databases.ConnectionStringOf(Provider));
        await other.OpenAsync();
        await Scalar(other, $"SELECT pg_terminate_backend({((NpgsqlConnection)former).ProcessID}, 10000)::int");
        await using var connection = await Open(source);

        Assert.That(connection.InnerConnection, Is.Not.SameAs(former));
        Assert.That(await Scalar(connection, "SELECT 1"), Is.EqualTo(1));
    }

    [Test]
    public async Task A_session_that_the_server_ended_in_use_breaks_only_itself()
    {
        var source = Source();
        await using var neighbour = await Open(source);
        var connection = await Open(source);
        await Scalar(neighbour, $"SELECT pg_terminate_backend({((NpgsqlConnection)connection.InnerConnection).ProcessID}, 10000)::int");
        await Assert.CatchAsync<NpgsqlException>(() => Scalar(connection, "SELECT 1"));
        await Close(connection);
        await Open(connection);

        Assert.That(await Scalar(connection, "SELECT 1"), Is.EqualTo(1));
        Assert.That(await Scalar(neighbour, "SELECT 1"), Is.EqualTo(1));
        Assert.That(source.GetStatistics().Closed[CloseReason.Broken], Is.EqualTo(1));
    }

    [Test]
    public async Task The_reset_statement_undoes_what_the_renter_set()
    {
        var source = Source(policy: new PooledConnectionPolicy { ResetSql = "DISCARD ALL" });
        var connection = await Open(source);
        var inner = connection.InnerConnection;
        await Execute(connection, "SET work_mem = '77kB'; CREATE TEMP TABLE left_over (id int)");
        await Close(connection);
        await Open(connection);

        Assert.That(connection.InnerConnection, Is.SameAs(inner));
        Assert.That(await Scalar(connection, "SELECT count(*) FROM pg_settings WHERE name = 'work_mem' AND setting = '77'"), Is.Zero);
        Assert.That(await Scalar(connection, "SELECT (to_regclass('left_over') IS NULL)::int"), Is.EqualTo(1));
    }

    [Test]
    public async Task A_batch_runs_through_its_connection()
    {
        await using var connection = await Open(Source());
        Assert.That(connection.CanCreateBatch, Is.True);
        await using var batch = connection.CreateBatch();
        foreach (var sql in new[] { "SELECT 1", "SELECT 2" })
        {
            var command = batch.CreateBatchCommand();
            command.CommandText = sql;
            batch.BatchCommands.Add(command);
        }

        Assert.That(batch.Connection, Is.SameAs(connection));
        await using (var reader = await Do(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync()))
        {
            Assert.That(await Read(reader) && reader.GetInt32(0) == 1, Is.True);
            Assert.That(await Do(reader.NextResult, reader.NextResultAsync), Is.True);
            Assert.That(await Read(reader) && reader.GetInt32(0) == 2, Is.True);
        }
        await Close(connection);
        await Assert.ThrowsAsync<InvalidOperationException>(() => Do(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync()));
        Assert.That(((PooledBatch)batch).InnerBatch.Connection, Is.Null);
    }

    [Test]
    public async Task A_connection_whose_database_was_changed_is_not_handed_on()
    {
        var source = Source();
        var connection = await Open(source);
        var inner = connection.InnerConnection;
        await Do(() => connection.ChangeDatabase("template1"), () => connection.ChangeDatabaseAsync("template1"));
        Assert.That(connection.Database, Is.EqualTo("template1"));
        await Close(connection);

        Assert.That(connection.Database, Is.EqualTo("postgres"));
        Assert.That(await Next(source), Is.Not.SameAs(inner));
    }

    [Test]
    public async Task Cancel_ends_what_runs()
    {
        await using var connection = await Open(Source());
        await using var watcher = await Open(Source());
        await using var command = Command(connection, "SELECT pg_sleep(60)");
        var pid = ((NpgsqlConnection)connection.InnerConnection).ProcessID;
        var running = Task.Run(() => Do(command.ExecuteNonQuery, command.ExecuteNonQueryAsync));
        await UntilItSleeps(watcher, pid);
        command.Cancel();

        await Failure<OperationCanceledException>(running);
        Assert.That(await Scalar(connection, "SELECT 1"), Is.EqualTo(1));
    }

    [Test]
    public async Task A_connection_closed_while_a_command_runs_is_not_handed_on()
    {
        var source = Source();
        var connection = await Open(source);
        await using var watcher = await Open(Source());
        var inner = (NpgsqlConnection)connection.InnerConnection;
        var pid = inner.ProcessID;
        var running = Task.Run(() => Execute(connection, "SELECT pg_sleep(60)"));
        await UntilItSleeps(watcher, pid);
        await Soon(Task.Run(() => Close(connection)));

        Assert.That(await Next(source), Is.Not.SameAs(inner));
        Assert.That(source.GetStatistics(), Has.Property(nameof(PoolStatistics.Busy)).EqualTo(1), "while the command runs");
        await Scalar(watcher, $"SELECT pg_cancel_backend({pid})::int");
        await Failure<DbException>(running);
        await Until(() => source.GetStatistics().Closed.GetValueOrDefault(CloseReason.Broken) == 1);
        Assert.That(inner.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task An_open_in_a_transaction_scope_takes_part_and_the_next_in_it_gets_the_same_connection()
    {
        var source = Source(maximum: 2);
        await using var outside = await Open(source);
        var table = await Table(outside);
        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            DbConnection first;
            await using (var connection = await Open(source))
            {
                first = connection.InnerConnection;
                await Execute(connection, $"INSERT INTO {table} VALUES (1)");
            }
            await using (var connection = await Open(source))
            {
                Assert.That(connection.InnerConnection, Is.SameAs(first));
                await Execute(connection, $"INSERT INTO {table} VALUES (2)");
            }
            Assert.That(await Scalar(outside, $"SELECT count(*) FROM {table}"), Is.Zero);
            scope.Complete();
        }

        Assert.That(await Scalar(outside, $"SELECT count(*) FROM {table}"), Is.EqualTo(2));
        await Until(() => source.GetStatistics().Total == 1);
    }

    [Test]
    public async Task A_transaction_scope_that_is_not_completed_rolls_back_and_nobody_gets_its_connection()
    {
        var source = Source(maximum: 2);
        await using var outside = await Open(source);
        var table = await Table(outside);
        DbConnection inner;
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            await using var connection = await Open(source);
            inner = connection.InnerConnection;
            await Execute(connection, $"INSERT INTO {table} VALUES (1)");
        }

        Assert.That(await Scalar(outside, $"SELECT count(*) FROM {table}"), Is.Zero);
        await Until(() => source.GetStatistics().Total == 1);
        Assert.That(await Next(source), Is.Not.SameAs(inner));
    }

    private static Task UntilItSleeps(PooledConnection watcher, int pid) => Until(() =>
    {
        using var command = Command(watcher, $"SELECT count(*) FROM pg_stat_activity WHERE pid = {pid} AND wait_event = 'PgSleep'");
        return Convert.ToInt64(command.ExecuteScalar()) == 1;
    });
}
