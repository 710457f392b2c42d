using System.Data;
using System.Data.Common;
using Dapper;

namespace Loxo.Pooling.Data.Tests;

public sealed class WrapperTests(Provider provider, WaitMode mode) : DataTest(provider, mode)
{
    [Test]
    public async Task Commands_and_transactions_belong_to_the_connection_that_made_them()
    {
        await using var connection = await Open(Source());
        await using var transaction = await Begin(connection);
        await using var command = connection.CreateCommand();
        command.Transaction = transaction;

        Assert.That(command.Connection, Is.SameAs(connection));
        Assert.That(transaction.Connection, Is.SameAs(connection));
        Assert.That(command.Transaction, Is.SameAs(transaction));
    }

    [Test]
    public async Task State_changes_are_told_and_facts_are_the_providers()
    {
        var source = Source();
        var connection = source.CreateConnection();
        var changes = new List<(ConnectionState, ConnectionState)>();
        connection.StateChange += (_, change) => changes.Add((change.OriginalState, change.CurrentState));
        Assert.That((connection.State, connection.ConnectionTimeout), Is.EqualTo((ConnectionState.Closed, 15)));
        Assert.That(() => connection.ServerVersion, Throws.InvalidOperationException);
        await Open(connection);

        Assert.That(connection.ServerVersion, Is.EqualTo(connection.InnerConnection.ServerVersion));
        Assert.That(connection.Database, Is.EqualTo(Provider == Provider.Npgsql ? "postgres" : "main"));
        Assert.That(connection.DataSource, Is.EqualTo(connection.InnerConnection.DataSource));
        Assert.That(connection.GetSchema().Rows, Is.Not.Empty);
        Assert.That((await connection.GetSchemaAsync("ReservedWords")).Rows, Is.Not.Empty);
        Assert.That(() => connection.ConnectionString = "", Throws.TypeOf<NotSupportedException>());
        await Close(connection);
        Assert.That(changes, Is.EqualTo(new[] { (ConnectionState.Closed, ConnectionState.Open), (ConnectionState.Open, ConnectionState.Closed) }));
    }

    [Test]
    public async Task A_command_made_before_the_connection_opens_runs_on_each_that_it_rents()
    {
        var source = Source();
        var connection = source.CreateConnection();
        await using var command = Command(connection, "SELECT 40 + @more");
        var parameter = command.CreateParameter();
        (parameter.ParameterName, parameter.Value) = ("@more", 2);
        command.Parameters.Add(parameter);
        await Open(connection);
        Assert.That(await Scalar(command), Is.EqualTo(42));
        await Close(connection);
        await using var other = await Open(source);
        await Open(connection);
        await Do(command.Prepare, () => command.PrepareAsync());
        parameter.Value = 3;

        Assert.That(await Scalar(command), Is.EqualTo(43));
        Assert.That(connection.InnerConnection, Is.Not.SameAs(other.InnerConnection));
    }

    [Test]
    public async Task A_command_can_be_moved_to_another_connection()
    {
        var source = Source();
        await using var first = await Open(source);
        await using var second = await Open(source);
        await using var command = Command(first, "SELECT 1");
        Assert.That(await Scalar(command), Is.EqualTo(1));
        command.Connection = second;

        Assert.That(await Scalar(command), Is.EqualTo(1));
        Assert.That(((PooledCommand)command).InnerCommand.Connection, Is.SameAs(second.InnerConnection));
        Assert.That(() => command.Connection = first.InnerConnection, Throws.ArgumentException);
    }

    [Test]
    public async Task A_reader_with_CloseConnection_gives_the_connection_back()
    {
        var source = Source();
        var connection = await Open(source);
        var reader = await Reader(Command(connection, "SELECT 1"), CommandBehavior.CloseConnection);
        Assert.That(await Read(reader), Is.True);
        await Dispose(reader);

        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
        Assert.That(source.GetStatistics(), Has.Property(nameof(PoolStatistics.Idle)).EqualTo(1).And.Property(nameof(PoolStatistics.Busy)).EqualTo(0));
        await Open(connection);
        await Close(reader);
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Open), "a reader closes its own rent only");
    }

    [Test]
    public async Task A_command_of_the_data_source_rents_for_as_long_as_it_runs()
    {
        var source = Source();
        await using var command = source.CreateCommand("SELECT 3");
        Assert.That(await Scalar(command), Is.EqualTo(3));
        Assert.That(source.GetStatistics().Busy, Is.Zero);
        await using (var reader = await Reader(command))
        {
            Assert.That(await Read(reader), Is.True);
            Assert.That(source.GetStatistics().Busy, Is.EqualTo(1));
        }
        Assert.That(source.GetStatistics(), Has.Property(nameof(PoolStatistics.Busy)).EqualTo(0).And.Property(nameof(PoolStatistics.Opened)).EqualTo(1));
    }

    [Test]
    public async Task A_reader_passes_on_what_the_provider_reads()
    {
        await using var connection = await Open(Source());
        await using var reader = await Reader(Command(connection, "SELECT 1 AS a, 'x' AS b, NULL AS c UNION ALL SELECT 2, 'y', NULL ORDER BY 1"));

        Assert.That((reader.FieldCount, reader.HasRows, reader.GetName(1), reader.GetOrdinal("c")), Is.EqualTo((3, true, "b", 2)));
        Assert.That(reader.GetColumnSchema().Select(column => column.ColumnName), Is.EqualTo(new[] { "a", "b", "c" }));
        Assert.That(await Read(reader), Is.True);
        Assert.That((reader.GetInt32(0), reader.GetString(1), reader["b"], reader.IsDBNull(2)), Is.EqualTo((1, "x", (object)"x", true)));
        Assert.That(await Do(() => reader.GetFieldValue<string>(1), () => reader.GetFieldValueAsync<string>(1)), Is.EqualTo("x"));
        Assert.That(await Read(reader) && reader.GetInt64(0) == 2, Is.True);
        Assert.That(await Read(reader), Is.False);
        Assert.That(await Do(reader.NextResult, reader.NextResultAsync), Is.False);
    }

    [Test]
    public async Task The_rows_changed_are_known_after_the_reader_is_closed()
    {
        await using var connection = await Open(Source());
        var table = await Table(connection);
        var reader = await Reader(Command(connection, $"INSERT INTO {table} VALUES (1), (2)"));
        await Close(reader);

        Assert.That(reader.RecordsAffected, Is.EqualTo(2));
        Assert.That(reader.IsClosed, Is.True);
    }

    [Test]
    public async Task The_factory_of_a_connection_makes_what_goes_with_it()
    {
        await using var connection = await Open(Source());
        var factory = DbProviderFactories.GetFactory(connection)!;
        await using var command = factory.CreateCommand()!;
        await Assert.ThrowsAsync<InvalidOperationException>(() => Scalar(command));
        command.Connection = connection;
        command.CommandText = "SELECT @value + 0";
        var parameter = factory.CreateParameter()!;
        (parameter.ParameterName, parameter.Value) = ("@value", 8);
        command.Parameters.Add(parameter);

        Assert.That(await Scalar(command), Is.EqualTo(8));
        Assert.That(factory.CreateConnection(), Is.TypeOf<PooledConnection>());
    }

    [Test]
    public async Task Dapper_works_on_top()
    {
        var source = Source();
        await using var connection = source.CreateConnection();
        await connection.ExecuteAsync($"CREATE TABLE IF NOT EXISTS dapper_{Mode} (id integer, name text); DELETE FROM dapper_{Mode}");
        await Open(connection);
        await using (var transaction = await Begin(connection))
        {
            Execute($"INSERT INTO dapper_{Mode} VALUES (@id, @name)", new[] { new { id = 1, name = "a" }, new { id = 2, name = "b" } }, transaction);
            await Do(transaction.Commit, () => transaction.CommitAsync());
        }
        await Close(connection);
        var rows = await Do(
            () => connection.Query<(long Id, string Name)>($"SELECT id, name FROM dapper_{Mode} WHERE id > @least ORDER BY id", new { least = 0 }),
            () => connection.QueryAsync<(long Id, string Name)>($"SELECT id, name FROM dapper_{Mode} WHERE id > @least ORDER BY id", new { least = 0 }));

        Assert.That(rows, Is.EqualTo(new[] { (1L, "a"), (2L, "b") }));
        Assert.That(connection.Query<string>($"SELECT name FROM dapper_{Mode} ORDER BY id", buffered: false).ToList(), Is.EqualTo(new[] { "a", "b" }));
        Assert.That((connection.State, source.GetStatistics().Busy, source.GetStatistics().Opened), Is.EqualTo((ConnectionState.Closed, 0, 1L)));

        void Execute(string sql, object values, DbTransaction transaction) => Assert.That(connection.Execute(sql, values, transaction), Is.EqualTo(2));
    }
}
