using Dapper;

namespace Loxo.IntegrationTests.Dapper;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class QueryTests(WaitMode mode) : DapperTest(mode)
{
    [Test]
    public async Task Rows_become_records_by_constructor()
    {
        var customers = await Query<Customer>("SELECT id, name, email FROM customer ORDER BY id");

        Assert.That(customers, Is.EqualTo(new[] { new Customer(1, "Ada", "ada@example.org"), new Customer(2, "Bob", null), new Customer(3, "Cy", "cy@example.org") }));
    }

    [Test]
    public async Task Rows_become_objects_by_property()
    {
        var order = (await Query<Order>("SELECT id, total, placed FROM orders WHERE id = @id", new { id = 10 })).Single();

        Assert.That(order.Total, Is.EqualTo(12.50m));
        Assert.That(order.Placed, Is.EqualTo(new DateTime(2024, 1, 2, 3, 4, 5, DateTimeKind.Utc)));
        Assert.That(order.Placed.Kind, Is.EqualTo(DateTimeKind.Utc));
    }

    [Test]
    public async Task Rows_become_scalars_tuples_and_dynamics()
    {
        Assert.That(await Query<string?>("SELECT email FROM customer ORDER BY id"), Is.EqualTo(new[] { "ada@example.org", null, "cy@example.org" }));
        Assert.That(await Query<(int, string)>("SELECT id, name FROM customer WHERE id < 3 ORDER BY id"), Is.EqualTo(new[] { (1, "Ada"), (2, "Bob") }));
        var row = (await Query<dynamic>("SELECT id, name, email FROM customer WHERE id = 2")).Single();
        Assert.That((int)row.id, Is.EqualTo(2));
        Assert.That((string)row.name, Is.EqualTo("Bob"));
        Assert.That((object?)row.email, Is.Null);
    }

    [Test]
    public async Task The_First_Single_and_OrDefault_family_works()
    {
        var firstEmail = await Mode.Run(
            () => Connection.QueryFirst<string>("SELECT name FROM customer ORDER BY id"), () => Connection.QueryFirstAsync<string>("SELECT name FROM customer ORDER BY id"));
        var none = await Mode.Run<Customer?>(
            () => Connection.QueryFirstOrDefault<Customer>("SELECT * FROM customer WHERE id = -1"),
            () => Connection.QueryFirstOrDefaultAsync<Customer>("SELECT * FROM customer WHERE id = -1"));
        var alsoNone = await Mode.Run<Customer?>(
            () => Connection.QuerySingleOrDefault<Customer>("SELECT * FROM customer WHERE id = -1"),
            () => Connection.QuerySingleOrDefaultAsync<Customer>("SELECT * FROM customer WHERE id = -1"));

        Assert.That(firstEmail, Is.EqualTo("Ada"));
        Assert.That(none, Is.Null);
        Assert.That(alsoNone, Is.Null);
        await Catch<InvalidOperationException>(() => QuerySingle<Customer>("SELECT * FROM customer"));
        await AssertUsable();
    }

    [Test]
    public async Task Scalars_are_converted()
    {
        Assert.That(await Mode.Run(() => Connection.ExecuteScalar<int>("SELECT count(*) FROM customer"), () => Connection.ExecuteScalarAsync<int>("SELECT count(*) FROM customer")), Is.EqualTo(3));
        Assert.That(await Mode.Run(() => Connection.ExecuteScalar<string>("SELECT name FROM customer WHERE id = 1"), () => Connection.ExecuteScalarAsync<string>("SELECT name FROM customer WHERE id = 1")), Is.EqualTo("Ada"));
        Assert.That(await Mode.Run(() => Connection.ExecuteScalar<int?>("SELECT NULL::int"), () => Connection.ExecuteScalarAsync<int?>("SELECT NULL::int")), Is.Null);
    }

    [Test]
    public async Task Joins_are_mapped_to_several_objects()
    {
        const string Sql = "SELECT o.id, o.total, o.placed, c.id, c.name, c.email FROM orders o JOIN customer c ON c.id = o.customer_id ORDER BY o.id";
        Order Map(Order order, Customer customer)
        {
            order.Customer = customer;
            return order;
        }

        var orders = (await Mode.Run(
            () => Connection.Query<Order, Customer, Order>(Sql, Map), () => Connection.QueryAsync<Order, Customer, Order>(Sql, Map))).ToList();

        Assert.That(orders.Select(order => (order.Id, order.Customer!.Name)), Is.EqualTo(new[] { (10, "Ada"), (11, "Ada"), (12, "Bob") }));
    }

    [Test]
    public async Task A_left_join_without_a_match_maps_to_null()
    {
        const string Sql = "SELECT c.id, c.name, c.email, o.id, o.total FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.id = 3";
        Func<Customer, Order?, bool> isAlone = (_, order) => order is null;

        var alone = await Mode.Run(() => Connection.Query(Sql, isAlone, splitOn: "id"), () => Connection.QueryAsync(Sql, isAlone, splitOn: "id"));

        Assert.That(alone, Is.EqualTo(new[] { true }));
    }

    [Test]
    public async Task QueryMultiple_reads_result_after_result()
    {
        const string Sql = "SELECT * FROM customer WHERE id = @id; SELECT count(*) FROM orders WHERE customer_id = @id; SELECT id, total, placed FROM orders ORDER BY id";
        using var grid = await Mode.Run(() => Connection.QueryMultiple(Sql, new { id = 1 }), () => Connection.QueryMultipleAsync(Sql, new { id = 1 }));

        var customer = await Mode.Run(() => grid.ReadSingle<Customer>(), () => grid.ReadSingleAsync<Customer>());
        var count = await Mode.Run(() => grid.ReadFirst<long>(), () => grid.ReadFirstAsync<long>());
        var orders = await Mode.Run(() => grid.Read<Order>(), () => grid.ReadAsync<Order>());

        Assert.That(customer.Name, Is.EqualTo("Ada"));
        Assert.That(count, Is.EqualTo(2));
        Assert.That(orders.Count(), Is.EqualTo(3));
        Assert.That(grid.IsConsumed, Is.True);
        await AssertUsable();
    }

    [Test]
    public async Task A_QueryMultiple_given_up_early_leaves_the_connection_usable()
    {
        var grid = await Mode.Run(() => Connection.QueryMultiple("SELECT 1; SELECT 2; SELECT 3"), () => Connection.QueryMultipleAsync("SELECT 1; SELECT 2; SELECT 3"));
        Assert.That(await Mode.Run(() => grid.ReadFirst<int>(), () => grid.ReadFirstAsync<int>()), Is.EqualTo(1));

        await Mode.Dispose(grid);

        await AssertUsable();
    }

    [Test]
    public async Task Unbuffered_rows_come_one_by_one_and_may_be_left()
    {
        const string Sql = "SELECT i FROM generate_series(1, 100000) i";
        var sum = 0;
        if (Mode == WaitMode.Blocking)
        {
            foreach (var i in Connection.Query<int>(Sql, buffered: false).Take(100))
                sum += i;
        }
        else
        {
            await foreach (var i in Connection.QueryUnbufferedAsync<int>(Sql))
            {
                sum += i;
                if (i == 100)
                    break;
            }
        }

        Assert.That(sum, Is.EqualTo(5050));
        await AssertUsable();
    }

    [Test]
    public async Task ExecuteReader_gives_a_reader_that_a_DataTable_can_load()
    {
        using var reader = await Mode.Run<System.Data.IDataReader>(
            () => Connection.ExecuteReader("SELECT * FROM customer ORDER BY id"), async () => await Connection.ExecuteReaderAsync("SELECT * FROM customer ORDER BY id"));
        using var table = new System.Data.DataTable();

        table.Load(reader);

        Assert.That(table.Rows, Has.Count.EqualTo(3));
        Assert.That(table.Rows[1]["name"], Is.EqualTo("Bob"));
        Assert.That(table.Rows[1]["email"], Is.EqualTo(DBNull.Value));
        await AssertUsable();
    }

    [Test]
    public async Task A_parser_turns_the_readers_rows_into_objects()
    {
        await using var command = Command("SELECT id, name, email FROM customer ORDER BY id");
        var reader = await Mode.ExecuteReader(command);
        var parse = reader.GetRowParser<Customer>();
        var names = new List<string>();
        while (await Mode.Read(reader))
            names.Add(parse(reader).Name);
        await Mode.Close(reader);

        Assert.That(names, Is.EqualTo(new[] { "Ada", "Bob", "Cy" }));
    }

    [Test]
    public async Task An_error_is_the_servers_and_the_connection_stays_usable()
    {
        var error = await Catch<PostgresException>(() => Query<int>("SELECT 1/0"));
        Assert.That(error.SqlState, Is.EqualTo(SqlStates.DivisionByZero));
        await Catch<PostgresException>(() => Query<int>("SELECT 10 / (3 - i) FROM generate_series(1, 5) i"));
        await AssertUsable();
    }

    [Test]
    public async Task A_token_cancels_a_query()
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("A token belongs to asynchronous calls.");
        using var cancellation = new CancellationTokenSource();
        var command = new CommandDefinition("SELECT pg_sleep(60)", cancellationToken: cancellation.Token);

        var query = Connection.QueryAsync(command);
        // A cancel request that reaches the server before the command does is ignored.
        await using (var other = await OpenAnother())
        {
            while (await other.ExecuteScalarAsync<long>("SELECT count(*) FROM pg_stat_activity WHERE pid = @pid AND wait_event = 'PgSleep'", new { pid = Connection.ProcessID }) == 0)
                await Task.Delay(5);
        }
        await cancellation.CancelAsync();

        await Catch<OperationCanceledException>(() => query);
        await AssertUsable();
    }

    [Test]
    public async Task Dapper_opens_and_closes_a_closed_connection()
    {
        await using var connection = new PgConnection(ConnectionString);

        Assert.That(await Mode.Run(() => connection.ExecuteScalar<int>("SELECT 5"), () => connection.ExecuteScalarAsync<int>("SELECT 5")), Is.EqualTo(5));
        Assert.That(await Mode.Run(() => connection.Query<int>("SELECT 6"), () => connection.QueryAsync<int>("SELECT 6")), Is.EqualTo(new[] { 6 }));

        Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Closed));
    }
}
