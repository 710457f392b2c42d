using Loxo;

namespace Quickstart.Steps;

/// <summary>A transaction with named parameters. Its BEGIN costs nothing: it travels with the first command.</summary>
internal static class PlaceOrder
{
    public static async Task<string> Run(PgConnection connection, CancellationToken token)
    {
        await using var transaction = await connection.BeginTransactionAsync(token);
        var order = await InsertOrder(connection, "ada@example.com", token);
        await InsertLine(connection, order, "Notebook", quantity: 10, token);
        await InsertLine(connection, order, "Slide rule", quantity: 1, token);
        await transaction.CommitAsync(token);
        // Had anything failed, disposing the transaction would have rolled it back.
        return $"order {order} with 2 lines, committed";
    }

    private static async Task<int> InsertOrder(PgConnection connection, string email, CancellationToken token)
    {
        await using var insert = new PgCommand(
            """
            INSERT INTO orders (customer_id, placed_at)
            SELECT id, @now FROM customers WHERE email = @email
            RETURNING id
            """,
            connection);
        insert.Parameters.AddWithValue("email", email);
        insert.Parameters.AddWithValue("now", DateTime.UtcNow); // Kind Utc is timestamptz
        return (int)(await insert.ExecuteScalarAsync(token))!;
    }

    private static async Task InsertLine(PgConnection connection, int order, string product, int quantity, CancellationToken token)
    {
        await using var insert = new PgCommand(
            """
            INSERT INTO order_lines (order_id, product_id, quantity)
            SELECT @order, id, @quantity FROM products WHERE name = @product;
            UPDATE products SET stock = stock - @quantity WHERE name = @product;
            """,
            connection);
        insert.Parameters.AddWithValue("order", order);
        insert.Parameters.AddWithValue("product", product);
        insert.Parameters.AddWithValue("quantity", quantity);
        await insert.ExecuteNonQueryAsync(token);
    }
}
