using Loxo;

namespace WebShop;

/// <summary>The tables of the shop, and the products that it starts with.</summary>
internal static class Schema
{
    private const string Sql = """
        CREATE TABLE products (
            id int PRIMARY KEY,
            name text NOT NULL,
            price numeric NOT NULL,
            stock int NOT NULL CHECK (stock >= 0),
            tags text[] NOT NULL);
        CREATE TABLE orders (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            product_id int NOT NULL REFERENCES products,
            amount int NOT NULL CHECK (amount > 0),
            total numeric NOT NULL,
            ordered_at timestamptz NOT NULL DEFAULT now());
        INSERT INTO products VALUES
            (1, 'espresso', 2.20, 1000000, '{hot,coffee}'),
            (2, 'cappuccino', 3.40, 1000000, '{hot,coffee,milk}'),
            (3, 'iced coffee', 3.90, 1000000, '{cold,coffee,milk}'),
            (4, 'green tea', 2.80, 1000000, '{hot,tea}'),
            (5, 'iced tea', 3.10, 1000000, '{cold,tea}'),
            (6, 'chocolate cake', 4.50, 100, '{cake}');
        """;

    public static async Task CreateAsync(PgDataSource dataSource, CancellationToken token)
    {
        await using var command = dataSource.CreateCommand(Sql);
        await command.ExecuteNonQueryAsync(token);
    }
}
