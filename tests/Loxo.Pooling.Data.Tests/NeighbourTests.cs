using System.Data;
using System.Data.Common;

namespace Loxo.Pooling.Data.Tests;

/// <summary>
/// What is left over from a rent that has ended touches nothing of the next one, which has the provider's connection now.
/// </summary>
public sealed class NeighbourTests(Provider provider, WaitMode mode) : DataTest(provider, mode)
{
    [Test]
    public async Task A_command_of_a_closed_connection_does_not_run()
    {
        var (connection, neighbour, table) = await Two();
        await using var command = Command(connection, $"DELETE FROM {table}");
        Assert.That(await Do(command.ExecuteNonQuery, command.ExecuteNonQueryAsync), Is.EqualTo(1));
        await HandOver(connection, neighbour);
        await Execute(neighbour, $"INSERT INTO {table} VALUES (1)");

        await Assert.ThrowsAsync<InvalidOperationException>(() => Do(command.ExecuteNonQuery, command.ExecuteNonQueryAsync));
        await Assert.ThrowsAsync<InvalidOperationException>(() => Reader(command));
        await Assert.ThrowsAsync<InvalidOperationException>(() => Do(command.Prepare, () => command.PrepareAsync()));
        Assert.That(((PooledCommand)command).InnerCommand.Connection, Is.Null);
        Assert.That(await Scalar(neighbour, $"SELECT count(*) FROM {table}"), Is.EqualTo(1));
    }

    [Test]
    public async Task A_command_of_a_closed_connection_cancels_and_disposes_nothing()
    {
        var (connection, neighbour, _) = await Two();
        var command = Command(connection, "SELECT 1");
        await Scalar(command);
        await HandOver(connection, neighbour);
        await using var reader = await Reader(Command(neighbour, "SELECT 1 UNION ALL SELECT 2"));
        command.Cancel();
        await Dispose(command);

        Assert.That(await Read(reader) && await Read(reader), Is.True);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Scalar(command));
    }

    [Test]
    public async Task A_disposed_command_is_not_the_next_one_that_the_provider_makes()
    {
        await using var connection = await Open(Source());
        var former = Command(connection, "SELECT 1");
        await Scalar(former);
        await Dispose(former);
        await using var next = Command(connection, "SELECT 2");

        Assert.That(() => former.CommandText = "SELECT 3", Throws.TypeOf<ObjectDisposedException>());
        await Dispose(former);
        Assert.That(await Scalar(next), Is.EqualTo(2));
    }

    [Test]
    public async Task A_reader_left_open_is_closed_with_its_connection()
    {
        var (connection, neighbour, _) = await Two();
        var former = await Reader(Command(connection, "SELECT 1 UNION ALL SELECT 2"));
        Assert.That(await Read(former), Is.True);
        var inner = await HandOver(connection, neighbour);
        Assert.That(neighbour.InnerConnection, Is.SameAs(inner));
        await using var reader = await Reader(Command(neighbour, "SELECT 3 UNION ALL SELECT 4"));

        Assert.That(former.IsClosed, Is.True);
        await Assert.ThrowsAsync<InvalidOperationException>(() => Read(former));
        Assert.That(() => former.GetInt32(0), Throws.InvalidOperationException);
        await Dispose(former);
        Assert.That(await Read(reader) && reader.GetInt64(0) == 3 && await Read(reader), Is.True);
    }

    [Test]
    public async Task A_reader_that_nobody_has_any_more_is_closed_with_its_connection_too()
    {
        var (connection, neighbour, _) = await Two();
        await LoseReader(connection);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        var inner = await HandOver(connection, neighbour);

        Assert.That(neighbour.InnerConnection, Is.SameAs(inner));
        Assert.That(await Scalar(neighbour, "SELECT 5"), Is.EqualTo(5));
    }

    [Test]
    public async Task A_transaction_left_open_is_rolled_back()
    {
        var (connection, neighbour, table) = await Two();
        var former = await Begin(connection);
        await Execute(connection, $"INSERT INTO {table} VALUES (2)");
        var inner = await HandOver(connection, neighbour);
        Assert.That(neighbour.InnerConnection, Is.SameAs(inner));
        Assert.That(await Scalar(neighbour, $"SELECT count(*) FROM {table}"), Is.EqualTo(1));
        await using var transaction = await Begin(neighbour);
        await Execute(neighbour, $"INSERT INTO {table} VALUES (3)");

        Assert.That(former.Connection, Is.Null);
        await Assert.ThrowsAsync<InvalidOperationException>(() => Do(former.Commit, () => former.CommitAsync()));
        await Assert.ThrowsAsync<InvalidOperationException>(() => Do(former.Rollback, () => former.RollbackAsync()));
        await Dispose(former);
        await Do(transaction.Commit, () => transaction.CommitAsync());
        Assert.That(await Scalar(neighbour, $"SELECT count(*) FROM {table}"), Is.EqualTo(2));
    }

    [Test]
    public async Task A_transaction_that_failed_is_rolled_back()
    {
        var (connection, neighbour, table) = await Two();
        await Begin(connection);
        await Assert.CatchAsync<DbException>(() => Execute(connection, "SELECT nonsense FROM nowhere"));
        var inner = await HandOver(connection, neighbour);

        Assert.That(neighbour.InnerConnection, Is.SameAs(inner));
        Assert.That(await Scalar(neighbour, $"SELECT count(*) FROM {table}"), Is.EqualTo(1));
    }

    [Test]
    public async Task A_transaction_that_is_over_is_refused()
    {
        var (connection, neighbour, table) = await Two();
        await Open(neighbour);
        var transaction = await Begin(connection);
        await using var command = Command(connection, $"INSERT INTO {table} VALUES (2)");
        await using var other = Command(neighbour, $"INSERT INTO {table} VALUES (2)");
        command.Transaction = other.Transaction = transaction;
        await Assert.ThrowsAsync<InvalidOperationException>(() => Do(other.ExecuteNonQuery, other.ExecuteNonQueryAsync));
        await Do(command.ExecuteNonQuery, command.ExecuteNonQueryAsync);
        await Do(transaction.Rollback, () => transaction.RollbackAsync());

        await Assert.ThrowsAsync<InvalidOperationException>(() => Do(command.ExecuteNonQuery, command.ExecuteNonQueryAsync));
        command.Transaction = null;
        Assert.That(await Do(command.ExecuteNonQuery, command.ExecuteNonQueryAsync), Is.EqualTo(1));
    }

    [Test]
    public async Task Savepoints_are_the_providers()
    {
        var (connection, _, table) = await Two();
        await using var transaction = await Begin(connection);
        Assert.That(transaction.SupportsSavepoints, Is.True);
        await Do(() => transaction.Save("one"), () => transaction.SaveAsync("one"));
        await Execute(connection, $"INSERT INTO {table} VALUES (2)");
        await Do(() => transaction.Rollback("one"), () => transaction.RollbackAsync("one"));
        await Do(() => transaction.Release("one"), () => transaction.ReleaseAsync("one"));
        await Do(transaction.Commit, () => transaction.CommitAsync());

        Assert.That(await Scalar(connection, $"SELECT count(*) FROM {table}"), Is.EqualTo(1));
    }

    [Test]
    public async Task Commands_that_nobody_disposes_do_not_pile_up()
    {
        await using var connection = await Open(Source());
        var lost = new List<WeakReference>();
        for (var i = 0; i < 200; i++)
            lost.Add(await LoseCommand(connection));
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();

        Assert.That(lost.Count(command => command.IsAlive), Is.LessThan(20));
    }

    private async Task<(PooledConnection Connection, PooledConnection Neighbour, string Table)> Two()
    {
        var source = Source();
        var connection = await Open(source);
        var table = await Table(connection);
        await Execute(connection, $"INSERT INTO {table} VALUES (1)");
        return (connection, source.CreateConnection(), table);
    }

    // Closes one and opens the other, which gets the same connection of the provider if it can be used again.
    private async Task<DbConnection> HandOver(PooledConnection from, PooledConnection to)
    {
        var inner = from.InnerConnection;
        await Close(from);
        await Open(to);
        return inner;
    }

    private async Task LoseReader(PooledConnection connection) => await Read(await Reader(Command(connection, "SELECT 1 UNION ALL SELECT 2")));

    private async Task<WeakReference> LoseCommand(PooledConnection connection)
    {
        var command = Command(connection, "SELECT 1");
        await Scalar(command);
        return new WeakReference(command);
    }
}
