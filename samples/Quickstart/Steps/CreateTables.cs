using Loxo;

namespace Quickstart.Steps;

/// <summary>Several statements in one text go out together. Outside a transaction they are one: if one fails, none has happened.</summary>
internal static class CreateTables
{
    private const string Sql = """
        CREATE TABLE customers (
            id     int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name   text NOT NULL,
            email  text NOT NULL UNIQUE
        );
        CREATE TABLE products (
            id     int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name   text NOT NULL UNIQUE,
            price  numeric(10, 2) NOT NULL CHECK (price >= 0),
            stock  int NOT NULL CHECK (stock >= 0)
        );
        CREATE TABLE orders (
            id           int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            customer_id  int NOT NULL REFERENCES customers,
            placed_at    timestamptz NOT NULL
        );
        CREATE TABLE order_lines (
            order_id    int NOT NULL REFERENCES orders,
            product_id  int NOT NULL REFERENCES products,
            quantity    int NOT NULL CHECK (quantity > 0),
            PRIMARY KEY (order_id, product_id)
        );
        """;

    public static async Task<string> Run(PgConnection connection, CancellationToken token)
    {
        await using var command = new PgCommand(Sql, connection);
        await command.ExecuteNonQueryAsync(token);
        return "customers, products, orders, order_lines";
    }
}
