using Dapper;
using Npgsql;

namespace Catalog;

/// <summary>Reads and writes products through Dapper, on connections of an <see cref="NpgsqlDataSource"/>.</summary>
internal sealed class ProductCatalogue(NpgsqlDataSource dataSource)
{
    public async Task CreateAsync()
    {
        await using var connection = await dataSource.OpenConnectionAsync();
        await connection.ExecuteAsync("DROP SCHEMA IF EXISTS catalog CASCADE; CREATE SCHEMA catalog");
        await connection.ExecuteAsync(
            "CREATE TABLE product (id int PRIMARY KEY, name text NOT NULL, price numeric NOT NULL, tags text[] NOT NULL)");
        await connection.ExecuteAsync("CREATE TABLE orders (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY)");
        await connection.ExecuteAsync("CREATE TABLE order_line (order_id int REFERENCES orders, product_id int REFERENCES product)");
    }

    public async Task DropAsync()
    {
        await using var connection = await dataSource.OpenConnectionAsync();
        await connection.ExecuteAsync("DROP SCHEMA catalog CASCADE");
    }

    public async Task AddAsync(params Product[] products)
    {
        await using var connection = await dataSource.OpenConnectionAsync();
        var added = await connection.ExecuteAsync(
            "INSERT INTO product (id, name, price, tags) VALUES (@Id, @Name, @Price, @Tags)", products);
        Console.WriteLine($"{added} products are new.");
    }

    public async Task<bool> TryAddAsync(Product product)
    {
        try
        {
            await AddAsync(product);
            return true;
        }
        catch (NpgsqlException e) when (e is PostgresException { SqlState: PostgresErrorCodes.UniqueViolation })
        {
            return false;
        }
    }

    public async Task<IEnumerable<Product>> FindAsync(int[] ids)
    {
        await using var connection = await dataSource.OpenConnectionAsync();
        return await connection.QueryAsync<Product>(
            "SELECT id, name, price, tags FROM product WHERE id = ANY(@ids) ORDER BY id", new { ids });
    }

    public async Task<IEnumerable<string>> NamesWithAnyTagAsync(IReadOnlyList<string> tags)
    {
        await using var connection = await dataSource.OpenConnectionAsync();
        return await connection.QueryAsync<string>(
            "SELECT name FROM product WHERE tags && @tags ORDER BY name", new { tags = tags.ToArray() });
    }

    /// <summary>Writes an order and its lines in one <see cref="NpgsqlTransaction"/>.</summary>
    public async Task OrderAsync(params int[] products)
    {
        await using NpgsqlConnection connection = await dataSource.OpenConnectionAsync();
        await using NpgsqlTransaction transaction = await connection.BeginTransactionAsync();
        var id = await connection.QuerySingleAsync<int>("INSERT INTO orders DEFAULT VALUES RETURNING id", transaction: transaction);
        await connection.ExecuteAsync(
            "INSERT INTO order_line (order_id, product_id) SELECT @id, unnest(@products)", new { id, products }, transaction);
        await transaction.CommitAsync();
    }

    public async Task<IEnumerable<Order>> OrdersAsync()
    {
        await using var connection = await dataSource.OpenConnectionAsync();
        var orders = new Dictionary<int, Order>();
        await connection.QueryAsync<Order, Product, Order>(
            """
            SELECT o.id, p.id, p.name, p.price
            FROM orders o JOIN order_line l ON l.order_id = o.id JOIN product p ON p.id = l.product_id
            ORDER BY 1, 2
            """,
            (row, product) =>
            {
                var order = orders.TryGetValue(row.Id, out var known) ? known : orders[row.Id] = row;
                order.Products.Add(product);
                return order;
            });
        return orders.Values;
    }

    public async Task<(long Count, decimal MostExpensive)> SummaryAsync()
    {
        await using var connection = await dataSource.OpenConnectionAsync();
        await using var results = await connection.QueryMultipleAsync("SELECT count(*) FROM product; SELECT max(price) FROM product");
        return (await results.ReadSingleAsync<long>(), await results.ReadSingleAsync<decimal>());
    }
}
