using Dapper;

namespace Loxo.IntegrationTests.Dapper;

/// <summary>Dapper's calls in either form, on the test's connection.</summary>
public abstract class DapperTest(WaitMode mode) : DatabaseTest(mode)
{
    protected sealed record Customer(int Id, string Name, string? Email);

    protected sealed class Order
    {
        public int Id { get; set; }

        public decimal Total { get; set; }

        public DateTime Placed { get; set; }

        public Customer? Customer { get; set; }
    }

    [SetUp]
    public Task CreateTables() => Execute("""
        CREATE TEMP TABLE customer (id int PRIMARY KEY, name text NOT NULL, email text);
        CREATE TEMP TABLE orders (id int PRIMARY KEY, customer_id int NOT NULL, total numeric(10, 2) NOT NULL, placed timestamptz NOT NULL);
        INSERT INTO customer VALUES (1, 'Ada', 'ada@example.org'), (2, 'Bob', NULL), (3, 'Cy', 'cy@example.org');
        INSERT INTO orders VALUES (10, 1, 12.50, '2024-01-02 03:04:05Z'), (11, 1, 7.00, '2024-02-03Z'), (12, 2, 99.99, '2024-03-04Z')
        """);

    protected async Task<List<T>> Query<T>(string sql, object? param = null, System.Data.IDbTransaction? transaction = null) =>
        [.. await Mode.Run(() => Connection.Query<T>(sql, param, transaction), () => Connection.QueryAsync<T>(sql, param, transaction))];

    protected Task<T?> QuerySingle<T>(string sql, object? param = null) =>
        Mode.Run<T?>(() => Connection.QuerySingle<T>(sql, param), async () => await Connection.QuerySingleAsync<T>(sql, param));

    protected Task<int> DapperExecute(string sql, object? param = null, System.Data.IDbTransaction? transaction = null, System.Data.CommandType? type = null) =>
        Mode.Run(() => Connection.Execute(sql, param, transaction, commandType: type), () => Connection.ExecuteAsync(sql, param, transaction, commandType: type));
}
