using System.Data;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Transactions;
using Dapper;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>Connections whose commands run in lanes behave as those that have a session.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class LaneConnectionTests(WaitMode mode) : LaneTest(mode)
{
    [Test]
    public async Task A_second_command_is_refused_while_a_reader_is_open([Values] bool multiplexes)
    {
        await using var connection = await OpenConnection(multiplexes);
        await Run(connection, "SELECT n FROM generate_series(1, 3) n");
        await using var command = new PgCommand("SELECT n FROM generate_series(1, 3) n", connection);
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        await Catch<PgOperationInProgressException>(() => Run(connection, "SELECT 1"));
        await Catch<PgOperationInProgressException>(() => Run(connection, "SELECT n FROM generate_series(1, 3) n"));
        await Catch<PgOperationInProgressException>(() => Run(connection, "SET application_name = 'x'"));
        await Catch<PgOperationInProgressException>(
            () => Mode.Run(() => connection.BeginTransaction(), async () => await connection.BeginTransactionAsync()));
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(2));
        await Mode.Close(reader);
        Assert.That(await Run(connection, "SELECT 1"), Is.EqualTo(1));
    }

    [Test]
    public async Task A_command_may_follow_a_reader_that_has_come_to_its_end([Values] bool multiplexes)
    {
        await using var connection = await OpenConnection(multiplexes);
        await Run(connection, "SELECT n FROM generate_series(1, 3) n");
        await using var command = new PgCommand("SELECT n FROM generate_series(1, 3) n", connection);
        var reader = await Mode.ExecuteReader(command);
        while (await Mode.Read(reader))
        {
        }
        Assert.That(await Mode.NextResult(reader), Is.False);
        Assert.That(await Run(connection, "SELECT 1"), Is.EqualTo(1));
        await Mode.Close(reader);
    }

    [Test]
    public async Task Closing_a_connection_whose_reader_has_ended_touches_no_other_caller()
    {
        await Run("SELECT n, pg_sleep(0.001) FROM generate_series(1, 2) n");
        await Run("SELECT $1::int", 1);
        using var ended = new CancellationTokenSource();
        var neighbours = Enumerable.Range(0, 8).Select(n => Call(async () =>
        {
            var calls = 0;
            for (; !ended.IsCancellationRequested; calls++)
                Assert.That(await Run("SELECT $1::int", n), Is.EqualTo(n));
            return calls;
        })).ToList();
        for (var i = 0; i < 2000 && neighbours.TrueForAll(static each => !each.IsFaulted); i++)
        {
            var connection = Source.CreateConnection();
            await Mode.Open(connection);
            await using var command = new PgCommand("SELECT $1::int", connection) { Parameters = { new PgParameter<int> { TypedValue = i } } };
            var reader = await Mode.ExecuteReader(command);
            while (await Mode.Read(reader))
            {
            }
            await Mode.NextResult(reader);
            await Task.Yield();
            await Mode.Close(connection);
        }
        await ended.CancelAsync();
        foreach (var neighbour in neighbours)
            Assert.That(await neighbour, Is.GreaterThan(0));
    }

    [Test]
    public async Task A_connection_may_be_closed_while_a_reader_is_open([Values(3, 100_000)] int rows)
    {
        const string Sql = "SELECT n, repeat('x', 20) FROM generate_series(1, $1::int) n";
        await Run(Sql, 1);
        for (var i = 0; i < 10; i++)
        {
            var connection = Source.CreateConnection();
            await Mode.Open(connection);
            // Each text runs in a lane, although the one before had a large result.
            await using var command = new PgCommand(Sql + new string(' ', rows == 3 ? 0 : i), connection);
            command.Parameters.Add(new PgParameter { Value = 1 });
            await Mode.ExecuteScalar(command);
            command.Parameters[0].Value = rows;
            var reader = await Mode.ExecuteReader(command);
            Assert.That(await Mode.Read(reader), Is.True);
            await Mode.Close(connection);
            Assert.That(reader.IsClosed, Is.True);
            Assert.That(async () => await Mode.Read(reader), Throws.InvalidOperationException);
            Assert.That(await Run("SELECT $1::int", i), Is.EqualTo(i));
        }
    }

    [Test]
    public async Task A_long_result_is_left_early_without_an_error([Values] bool multiplexes)
    {
        const string Sql = "SELECT n, repeat('x', 100) FROM generate_series(1, $1::int) n, generate_series(1, $1::int) m";
        await using var connection = await OpenConnection(multiplexes);
        await using var command = new PgCommand(Sql, connection) { CommandTimeout = 2, Parameters = { new PgParameter { Value = 1 } } };
        await Mode.ExecuteScalar(command);
        command.Parameters[0].Value = 30_000;
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        await Mode.Close(reader);
        Assert.That(await Run(connection, "SELECT 1"), Is.EqualTo(1));
        await AwaitNoneRunning(Sql);
    }

    [Test]
    public async Task A_long_result_that_is_being_read_can_be_cancelled([Values] bool multiplexes)
    {
        const string Sql = "SELECT n, repeat('y', 100) FROM generate_series(1, $1::int) n, generate_series(1, $1::int) m";
        await using var connection = await OpenConnection(multiplexes);
        await using var command = new PgCommand(Sql, connection) { Parameters = { new PgParameter { Value = 1 } } };
        await Mode.ExecuteScalar(command);
        command.Parameters[0].Value = 30_000;
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        command.Cancel();
        await Catch<OperationCanceledException>(async () =>
        {
            while (await Mode.Read(reader))
            {
            }
        });
        await Mode.Close(reader);
        Assert.That(await Run(connection, "SELECT 1"), Is.EqualTo(1));
        await AwaitNoneRunning(Sql);
    }

    [Test]
    public async Task A_reader_may_close_its_connection()
    {
        await Run("SELECT n FROM generate_series(1, 3) n");
        var connection = Source.CreateConnection();
        await Mode.Open(connection);
        await using var command = new PgCommand("SELECT n FROM generate_series(1, 3) n", connection);
        var reader = await Mode.ExecuteReader(command, CommandBehavior.CloseConnection);
        Assert.That(await Mode.Read(reader), Is.True);
        await Mode.Close(reader);
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_value_whose_encoding_runs_a_command_is_encoded()
    {
        var builder = new PgDataSourceBuilder(TestServer.Default.ConnectionString + ";Multiplexing=true;Session Reset=Auto;Maximum Pool Size=6");
        var asking = new AskingConverter();
        builder.ConfigureJsonOptions(new JsonSerializerOptions { Converters = { asking } });
        await using var source = builder.Build();
        await AwaitLane(source);
        asking.Source = source;
        await Run(source, "SELECT $1::int + 1", 1);
        for (var round = 0; round < 3; round++)
        {
            var calls = Enumerable.Range(0, 32).Select(n => Call(async () =>
            {
                await using var command = source.CreateCommand("SELECT $1 ->> 'n'");
                command.Parameters.Add(new PgParameter { Value = new Asked(n), DataTypeName = "jsonb" });
                return await Mode.ExecuteScalar(command);
            })).ToList();
            for (var n = 0; n < calls.Count; n++)
                Assert.That(await calls[n], Is.EqualTo($"{n + 1}"));
        }
        Assert.That(asking.Count, Is.GreaterThanOrEqualTo(96));
    }

    [Test]
    public async Task A_value_that_cannot_be_encoded_costs_only_its_command()
    {
        var builder = new PgDataSourceBuilder(TestServer.Default.ConnectionString + ";Multiplexing=true;Session Reset=Auto");
        builder.ConfigureJsonOptions(new JsonSerializerOptions { Converters = { new AskingConverter() } });
        await using var source = builder.Build();
        await AwaitLane(source);
        var calls = Enumerable.Range(0, 64).Select(n => Call(async () =>
        {
            await using var command = source.CreateCommand("SELECT coalesce($1 ->> 'n', $2::text)");
            command.Parameters.Add(new PgParameter { Value = n % 4 == 0 ? new Asked(n) : new { n }, DataTypeName = "jsonb" });
            command.Parameters.Add(new PgParameter { Value = "none" });
            try
            {
                return await Mode.ExecuteScalar(command);
            }
            catch (PgException e) when (e.Code == PgErrorCode.ParameterInvalid)
            {
                return "no source";
            }
        })).ToList();
        for (var n = 0; n < calls.Count; n++)
            Assert.That(await calls[n], Is.EqualTo(n % 4 == 0 ? "no source" : $"{n}"));
    }

    [Test]
    public async Task Commands_of_a_data_source_take_part_in_an_ambient_transaction([Values] bool multiplexes, [Values] bool completes)
    {
        await Execute("DROP TABLE IF EXISTS ambient; CREATE TABLE ambient (id int)");
        await Run("SELECT 1");
        await using var plain = PgDataSource.Create(TestServer.Default.ConnectionString);
        await using (var command = (multiplexes ? Source : plain).CreateCommand("INSERT INTO ambient VALUES (1)"))
        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            await Mode.ExecuteNonQuery(command);
            await Mode.ExecuteNonQuery(command);
            if (completes)
                scope.Complete();
        }
        Assert.That(await Scalar<long>("SELECT count(*) FROM ambient"), Is.EqualTo(completes ? 2 : 0));
        await Execute("DROP TABLE ambient");
    }

    [Test]
    public async Task Ordinary_code_has_the_same_results_as_without_lanes()
    {
        await Execute("DROP TABLE IF EXISTS ordinary");
        await Execute("CREATE TABLE ordinary (id int PRIMARY KEY, name text, price numeric(10, 2), seen timestamptz DEFAULT now())");
        await using var plain = PgDataSource.Create(TestServer.Default.ConnectionString);
        for (var round = 0; round < 3; round++)
        {
            var expected = await Ordinary(plain);
            Assert.That(await Ordinary(Source), Is.EqualTo(expected));
        }
        await Execute("DROP TABLE ordinary");
    }

    // Open, query, close, as applications do it, with Dapper and without.
    private async Task<List<object?>> Ordinary(PgDataSource source)
    {
        var seen = new List<object?>();
        await using (var connection = source.CreateConnection())
            seen.Add(await Mode.Run(() => connection.Execute("DELETE FROM ordinary"), () => connection.ExecuteAsync("DELETE FROM ordinary")));
        seen.Clear(); // as many as there were
        for (var i = 0; i < 20; i++)
        {
            await using var connection = source.CreateConnection();
            await Mode.Open(connection);
            var row = new { id = i, name = $"n{i}", price = i * 1.25m };
            const string Insert = "INSERT INTO ordinary (id, name, price) VALUES (@id, @name, @price)";
            seen.Add(await Mode.Run(() => connection.Execute(Insert, row), () => connection.ExecuteAsync(Insert, row)));
            seen.Add((await Catch<PostgresException>(() => Mode.Run(() => connection.Execute(Insert, row), () => connection.ExecuteAsync(Insert, row))))
                .SqlState);
        }
        for (var i = 0; i < 20; i++)
        {
            await using var connection = source.CreateConnection();
            const string Select = "SELECT id, name, price FROM ordinary WHERE id % 5 = @n ORDER BY id";
            var rows = await Mode.Run(
                () => connection.Query<(int Id, string Name, decimal Price)>(Select, new { n = i % 7 }),
                () => connection.QueryAsync<(int Id, string Name, decimal Price)>(Select, new { n = i % 7 }));
            seen.AddRange(rows.Select(static row => $"{row}"));
            await Mode.Open(connection);
            await using var command = new PgCommand("SELECT count(*), sum(price), max(name) FROM ordinary WHERE id < @id", connection);
            command.Parameters.Add(new PgParameter("id", i));
            await using var reader = await Mode.ExecuteReader(command, CommandBehavior.SingleRow);
            seen.Add(await Mode.Read(reader));
            for (var column = 0; column < 3; column++)
                seen.Add($"{reader.GetName(column)} {reader.GetDataTypeName(column)} {reader.GetValue(column)}");
            await Mode.Close(reader);
            await using var multiple = await connection.QueryMultipleAsync("SELECT 1; SELECT max(id) FROM ordinary");
            seen.Add(await multiple.ReadSingleAsync<int>() + await multiple.ReadSingleAsync<int>());
        }
        await using (var connection = source.CreateConnection())
        {
            await Mode.Open(connection);
            await using var transaction = connection.BeginTransaction();
            seen.Add(await connection.ExecuteAsync("UPDATE ordinary SET price = 0", transaction: transaction));
            seen.Add(await connection.ExecuteScalarAsync<decimal>("SELECT sum(price) FROM ordinary", transaction: transaction));
            await Mode.Rollback(transaction);
            seen.Add(await connection.ExecuteScalarAsync<decimal>("SELECT sum(price) FROM ordinary"));
            using var table = new DataTable();
            await using var command = new PgCommand("SELECT id, name FROM ordinary ORDER BY id", connection);
            table.Load(await Mode.ExecuteReader(command));
            seen.Add(table.Rows.Count);
        }
        return seen;
    }

    private async Task<PgConnection> OpenConnection(bool multiplexes)
    {
        var connection = multiplexes ? Source.CreateConnection() : new PgConnection(ConnectionString);
        await Mode.Open(connection);
        return connection;
    }

    // The lane is closed when nobody has wanted anything of it for a second.
    private async Task AwaitNoneRunning(string sql)
    {
        while (await Scalar<long>(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND application_name = 'lanes' AND query = $1", sql) > 0)
            await Task.Delay(20);
    }

    private async Task<object?> Run(PgConnection connection, string sql)
    {
        await using var command = new PgCommand(sql, connection);
        return await Mode.ExecuteScalar(command);
    }

    private sealed record Asked(int Number);

    /// <summary>Asks the database for what it writes.</summary>
    private sealed class AskingConverter : JsonConverter<Asked>
    {
        private int _count;

        public PgDataSource? Source { get; set; }

        public int Count => _count;

        public override Asked Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) => throw new NotSupportedException();

        public override void Write(Utf8JsonWriter writer, Asked value, JsonSerializerOptions options)
        {
            using var command = (Source ?? throw new NotSupportedException("no source")).CreateCommand("SELECT $1::int + 1");
            command.Parameters.Add(new PgParameter { Value = value.Number });
            Interlocked.Increment(ref _count);
            writer.WriteStartObject();
            writer.WriteNumber("n", (int)command.ExecuteScalar()!);
            writer.WriteEndObject();
        }
    }
}
