using System.Reflection;

namespace Loxo.IntegrationTests.Copy;

/// <summary>Rows of a binary export as objects.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class ExportedObjectTests(WaitMode mode) : CopyTest(mode)
{
    private const string Orders = "(SELECT i AS order_id, 'name ' || i AS customer_name, nullif(i % 3, 0) AS discount FROM generate_series(1, 5) i)";

    [Test]
    public async Task Columns_find_members_and_parameters_by_their_names()
    {
        Order[] expected = [.. Enumerable.Range(1, 5).Select(i => new Order(i, $"name {i}") { Discount = i % 3 == 0 ? null : i % 3 })];
        Assert.That(await Read<Order>(Orders), Is.EqualTo(expected));
        var settable = await Read<Settable>(Orders);
        Assert.That(settable.Select(row => new Order((int)row.OrderId, row.Named!) { Discount = row.discount }), Is.EqualTo(expected));
        Assert.That((await Read<Pair>("(SELECT 1 AS a, 'x' AS b)"))[0], Is.EqualTo(new Pair { A = 1, B = "x" }));
    }

    [Test]
    public async Task NULL_is_null_for_a_reference_and_an_error_for_a_value()
    {
        Assert.That((await Read<Pair>("(SELECT 1 AS a, NULL::text AS b)"))[0].B, Is.Null);
        var error = await Catch<InvalidCastException>(() => Read<Pair>("(SELECT NULL::int AS a, 'x' AS b)"));
        Assert.That(error.Message, Does.Contain("\"a\""));
        await AssertUsable();
    }

    [TestCase("(SELECT 1 AS a, 'x' AS b, 2 AS c)", typeof(Pair), "c")]
    [TestCase("(SELECT 1 AS a, 2 AS \"A\")", typeof(Twice), "A")]
    [TestCase("(SELECT 1 AS order_id)", typeof(Order), "CustomerName")]
    [TestCase("(SELECT 1 AS a)", typeof(Closed), "Closed")]
    public async Task Names_without_a_counterpart_are_named(string source, Type type, string named)
    {
        var read = GetType().GetMethod(nameof(Read), 1, BindingFlags.NonPublic | BindingFlags.Instance, null, [typeof(string)], null)!;
        var error = await Catch<ArgumentException>(() => (Task)read.MakeGenericMethod(type).Invoke(this, [source])!);
        Assert.That(error.Message, Does.Contain(named));
        await AssertUsable();
    }

    [Test]
    public async Task A_function_reads_a_row()
    {
        var exporter = await BeginExport("COPY (SELECT i, repeat('x', i) FROM generate_series(0, 9999) i) TO STDOUT (FORMAT binary)");
        var rows = 0;
        await foreach (var (id, length) in Rows(exporter))
            Assert.That((id, length), Is.EqualTo((rows, rows++)));
        Assert.That(rows, Is.EqualTo(10_000));
        await AssertUsable();

        async IAsyncEnumerable<(int, int)> Rows(PgBinaryExporter exporter)
        {
            static (int, int) Row(PgBinaryExporter row) => (row.Read<int>(), row.Read<string>().Length);
            if (Mode == WaitMode.Blocking)
            {
                foreach (var row in exporter.ReadRows(Row))
                    yield return row;
                yield break;
            }
            await foreach (var row in exporter.ReadRowsAsync(Row))
                yield return row;
        }
    }

    [Test]
    public async Task A_data_source_exports_what_it_has_copied()
    {
        var table = $"exported_{Mode}_{Guid.NewGuid():N}".ToLowerInvariant();
        await Execute($"CREATE TABLE {table} (order_id int, customer_name text, discount int)");
        try
        {
            Order[] orders = [.. Enumerable.Range(1, 1000).Select(i => new Order(i, $"name {i}") { Discount = i % 2 == 0 ? i : null })];
            await using var source = PgDataSource.Create(TestServer.Default.ConnectionString);
            await Mode.Run(() => source.BulkCopy(table, orders), () => source.BulkCopyAsync(table, orders));
            Assert.That(await Exported(source, table), Is.EquivalentTo(orders));
            Assert.That(await Exported(source, $"(SELECT * FROM {table} ORDER BY order_id DESC)", 3), Is.EqualTo(orders.Reverse().Take(3)));
            Assert.That(source.GetPoolStatistics()!.Busy, Is.Zero);
        }
        finally
        {
            await Execute($"DROP TABLE {table}");
        }
    }

    [Test]
    public async Task A_cancelled_token_ends_the_export()
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("Blocking calls take no token.");
        using var stop = new CancellationTokenSource();
        await using (var exporter = await BeginExport("COPY (SELECT i AS a, repeat('x', 1000) AS b FROM generate_series(1, 100000) i) TO STDOUT (FORMAT binary)"))
        {
            await Catch<OperationCanceledException>(async () =>
            {
                await foreach (var row in exporter.ReadRowsAsync<Pair>(stop.Token))
                {
                    if (row.A == 100)
                        await stop.CancelAsync();
                }
            });
        }
        await AssertUsable();
    }

    private async Task<List<T>> Read<T>(string source)
    {
        var exporter = await BeginExport($"COPY {source} TO STDOUT (FORMAT binary)");
        try
        {
            return Mode == WaitMode.Blocking ? [.. exporter.ReadRows<T>()] : await exporter.ReadRowsAsync<T>().ToListAsync();
        }
        finally
        {
            await Mode.Dispose(exporter);
        }
    }

    private async Task<List<Order>> Exported(PgDataSource source, string table, int most = int.MaxValue) => Mode == WaitMode.Blocking
        ? [.. source.Export<Order>(table).Take(most)]
        : await source.ExportAsync<Order>(table).Take(most).ToListAsync();

    private sealed record Order(int OrderId, string CustomerName)
    {
        public int? Discount { get; init; }
    }

    private sealed class Settable
    {
        public long OrderId { get; set; }

        [PgName("customer_name")]
        public string? Named { get; set; }

        public int? discount = null;
    }

    private record struct Pair
    {
        public int A { get; set; }

        public string? B { get; set; }
    }

    private sealed record Twice(int A);

    private sealed class Closed
    {
        private Closed()
        {
        }
    }
}
